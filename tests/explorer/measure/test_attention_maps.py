"""Attention read off a summary against a trace, Hugging Face and sums by hand."""

import math
import os

import numpy as np
import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from explorer.measure.attention_maps import (
    STEPS,
    attention_map,
    group_labels,
    head_entropies,
    head_ratios,
)
from explorer.measure.stream import block_stats
from explorer.measure.summary import MAX_GROUPS, PassSummary, pass_summary
from gptcore import GPTConfig, GPTModel, build_model, load_gpt2, trace_gpt
from gptcore.attention import split_heads

IDS = (5, 17, 2, 99, 40)
LONG = GPTConfig(101, 256, 12, 3, 2, 0.1, False)


@pytest.fixture(scope="module")
def summary(tiny_model: GPTModel) -> PassSummary:
    return pass_summary(tiny_model, IDS)


def values(summary: PassSummary, block: int, head: int, step: str) -> np.ndarray:
    n = len(summary.groups)
    return attention_map(summary, block, head, step)["value"].to_numpy().reshape(n, n)


def test_each_step_is_what_the_trace_gives_by_hand(
    summary: PassSummary, tiny_model: GPTModel
) -> None:
    trace = trace_gpt(tiny_model, torch.tensor([IDS]))
    for block in range(2):
        q, k = (split_heads(getattr(trace.blocks[block], name), 3)[0] for name in ("q", "k"))
        for head in range(3):
            raw = (q[head].double() @ k[head].double().T).numpy()
            np.testing.assert_allclose(values(summary, block, head, "scores"), raw, atol=1e-5)
            scaled = values(summary, block, head, "scaled")
            np.testing.assert_allclose(scaled, raw / math.sqrt(4), atol=1e-5)
            masked = values(summary, block, head, "masked")
            later = np.triu(np.ones((5, 5), dtype=bool), 1)
            assert np.isneginf(masked[later]).all()
            np.testing.assert_array_equal(masked[~later], scaled[~later])
            weights = values(summary, block, head, "weights")
            taps = trace.blocks[block].attn_weights[0, head].numpy()
            np.testing.assert_array_equal(weights, taps)
            even = weights * np.arange(1, 6)[:, None]
            np.testing.assert_allclose(values(summary, block, head, "ratio"), even, rtol=1e-5)


def test_hidden_cells_are_those_above_the_diagonal(summary: PassSummary) -> None:
    hidden = attention_map(summary, 0, 0, "weights")["hidden"].to_numpy().reshape(5, 5)
    np.testing.assert_array_equal(hidden, np.triu(np.ones((5, 5), dtype=bool), 1))


def test_without_the_mask_the_upper_triangle_is_not_zero_and_rows_still_sum_to_one(
    tiny_model: GPTModel,
) -> None:
    open_eyed = pass_summary(tiny_model, IDS, "no_mask")
    assert (open_eyed.weights > 0).all()
    np.testing.assert_allclose(open_eyed.weights.sum(-1), 1, atol=1e-6)
    assert not attention_map(open_eyed, 0, 0, "weights")["hidden"].any()
    assert open_eyed.uniform_entropy == pytest.approx(math.log(5))


def test_entropy_is_minus_the_sum_of_w_ln_w(summary: PassSummary) -> None:
    frame = head_entropies(summary).set_index(["block", "head"])
    w = summary.weights[1, 2].astype(float)
    by_hand = -(w * np.log(np.where(w > 0, w, 1))).sum(-1).mean()
    assert frame.loc[(1, 2), "entropy"] == pytest.approx(by_hand, abs=1e-6)
    assert frame["uniform"].iloc[0] == pytest.approx(np.log(np.arange(1, 6)).mean())
    assert (frame["share"] <= 1 + 1e-6).all()


@pytest.mark.parametrize("n_tokens", [64, 65, 150, 256])
def test_long_prompts_are_pooled_so_that_rows_still_sum_to_one(n_tokens: int) -> None:
    model = build_model(LONG, 1)
    ids = tuple(i % 101 for i in range(n_tokens))
    summary = pass_summary(model, ids)
    size = math.ceil(n_tokens / MAX_GROUPS)
    assert len(summary.groups) == math.ceil(n_tokens / size) <= MAX_GROUPS
    np.testing.assert_allclose(summary.weights.sum(-1), 1, atol=1e-5)
    np.testing.assert_allclose(summary.uniform.sum(-1), 1, atol=1e-5)
    whole = trace_gpt(model, torch.tensor([ids])).blocks[1]
    first, last = summary.groups[1]
    rows = whole.attn_weights[0, 0, first : last + 1, : summary.groups[0][1] + 1]
    assert summary.weights[1, 0, 1, 0] == pytest.approx(rows.sum(-1).mean().item(), abs=1e-5)
    q, k = (split_heads(x, 3)[0, 0] for x in (whole.q, whole.k))
    block = (q[first : last + 1] @ k[: summary.groups[0][1] + 1].T / 2).mean().item()
    assert summary.scores[1, 0, 1, 0] == pytest.approx(block, abs=1e-5)


def test_ratios_near_one_mean_near_even_weights(summary: PassSummary) -> None:
    ratios = head_ratios(summary)
    np.testing.assert_allclose(ratios[:, :, 0, 0], 1)  # the first row has no choice
    assert ratios.shape == (2, 3, 5, 5)


def test_labels_show_position_and_token_or_a_range(summary: PassSummary) -> None:
    assert group_labels(summary)[0].startswith("0 ")
    assert len(set(group_labels(summary))) == 5


def test_every_step_is_explained_and_another_is_refused(summary: PassSummary) -> None:
    assert list(STEPS) == ["scores", "scaled", "masked", "weights", "ratio"]
    with pytest.raises(ValueError, match="one of scores"):
        attention_map(summary, 0, 0, "dropout")


def test_hidden_states_and_attentions_are_hugging_faces_on_the_same_weights(
    tmp_path: "os.PathLike[str]",
) -> None:
    torch.manual_seed(3)
    theirs = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=101,
            n_positions=32,
            n_embd=24,
            n_layer=3,
            n_head=4,
            attn_implementation="eager",
            bos_token_id=0,
            eos_token_id=0,
        )
    ).eval()
    theirs.save_pretrained(tmp_path)
    summary = pass_summary(load_gpt2(tmp_path), IDS)
    with torch.no_grad():
        out = theirs(torch.tensor([IDS]), output_hidden_states=True, output_attentions=True)
    stats = block_stats(summary).set_index(["block", "point"])
    for block, attentions in enumerate(out.attentions):
        np.testing.assert_allclose(summary.weights[block], attentions[0].numpy(), atol=1e-5)
        x = out.hidden_states[block].double()
        row = stats.loc[(block, "resid_pre")]
        assert row["std"] == pytest.approx(x.std(correction=0).item(), abs=1e-5)
        assert row["mean"] == pytest.approx(x.mean().item(), abs=1e-5)
        assert row["max"] == pytest.approx(x.max().item(), abs=1e-5)
