"""A pass at a glance against the whole trace."""

import numpy as np
import pytest
import torch

from explorer.measure.glance import (
    MAX_COLUMNS,
    MAX_HEADS,
    MAX_ROWS,
    N_BINS,
    Glances,
    gpt_glances,
    groups,
)
from gptcore import CONFIGS, GPTConfig, GPTModel, build_model, trace_gpt
from gptcore.attention import attention_scores, split_heads
from gptcore.model import GPTModel as Model
from gptcore.trace import BLOCK_TAPS, MODEL_TAPS, GPTTrace

IDS = tuple(range(3, 53))  # 50 tokens: more than a heat map has rows


@pytest.fixture(scope="module")
def nano() -> Model:
    return build_model(CONFIGS["gpt-nano"], 123)


@pytest.fixture(scope="module")
def trace(nano: Model) -> GPTTrace:
    return trace_gpt(nano, torch.tensor([IDS]))


@pytest.fixture(scope="module")
def glances(nano: Model) -> Glances:
    return gpt_glances(nano, IDS, 1)


def traced(trace: GPTTrace) -> dict[str, torch.Tensor]:
    outside = {tap.name: getattr(trace, tap.name) for tap in MODEL_TAPS}
    inside = {tap.name: getattr(trace.blocks[1], tap.name) for tap in BLOCK_TAPS}
    return {name: x.reshape(-1, x.shape[-1]) for name, x in (outside | inside).items()}


def test_statistics_are_those_of_the_traced_tensors(trace: GPTTrace, glances: Glances) -> None:
    for name, x in traced(trace).items():
        glance = (glances.outside | glances.inside)[name]
        assert glance.n == x.numel(), name
        assert glance.mean == pytest.approx(x.double().mean().item(), abs=1e-6), name
        assert glance.std == pytest.approx(x.double().std(unbiased=False).item(), rel=1e-4), name
        assert (glance.low, glance.high) == (x.min().item(), x.max().item()), name


def test_a_cell_is_the_first_token_of_its_group_and_every_so_manieth_feature(
    trace: GPTTrace, glances: Glances
) -> None:
    rows = [run[0] for run in groups(len(IDS))]
    for name, x in traced(trace).items():
        glance = (glances.outside | glances.inside)[name]
        if name == "attn_weights":
            continue
        stride = {"logits": 1048}.get(name, 1)  # ⌈50,257 / 48⌉; nano's D is no wider than a strip
        np.testing.assert_array_equal(glance.cells, x[rows][:, ::stride].numpy(), err_msg=name)
        assert glance.cells.shape[0] == MAX_ROWS


def test_f_gets_four_times_the_columns_of_d_at_every_width() -> None:
    for emb_dim in (12, 48, 768, 1000, 1600):
        cfg = GPTConfig(
            vocab_size=60,
            context_length=4,
            emb_dim=emb_dim,
            n_heads=1,
            n_layers=1,
            drop_rate=0.0,
            qkv_bias=False,
        )
        seen = gpt_glances(GPTModel(cfg).eval(), (1, 2), 0).inside
        narrow, wide = seen["resid_pre"].cells.shape[1], seen["ff_pre"].cells.shape[1]
        assert narrow <= MAX_COLUMNS
        assert 4 * narrow - 4 < wide <= 4 * narrow


def test_a_histogram_counts_every_value_once(glances: Glances) -> None:
    for name, glance in (glances.outside | glances.inside).items():
        if glance.counts:
            assert len(glance.counts) == N_BINS
            assert sum(glance.counts) == glance.n, name


def test_scores_and_context_are_what_the_block_computes(
    trace: GPTTrace, glances: Glances, nano: Model
) -> None:
    block = trace.blocks[1]
    n_heads, n = nano.cfg.n_heads, len(IDS)
    scores = attention_scores(split_heads(block.q, n_heads), split_heads(block.k, n_heads))
    kept = scores[0][:, torch.ones(n, n).tril().bool()]
    assert glances.inside["scores"].std == pytest.approx(scores.std(unbiased=False).item(), 1e-5)
    assert glances.inside["masked"].n == n_heads * n * (n + 1) // 2
    assert glances.inside["masked"].mean == pytest.approx(kept.mean().item(), abs=1e-6)
    projected = nano.trf_blocks[1].att.out_proj
    context = torch.linalg.solve(
        projected.weight.double(), (block.attn_out - projected.bias).double()[0].T
    ).T
    np.testing.assert_allclose(
        glances.inside["context"].cells,
        context[[run[0] for run in groups(n)]].detach().numpy(),
        atol=1e-3,
    )


def test_pooled_weights_are_sums_over_keys_and_means_over_queries(
    trace: GPTTrace, glances: Glances
) -> None:
    weights = trace.blocks[1].attn_weights[0].numpy()
    runs = groups(len(IDS))
    for i, queries in enumerate(runs):
        for j, keys in enumerate(runs):
            block = weights[:, queries.start : queries.stop, keys.start : keys.stop]
            expected = block.sum(axis=2).mean(axis=1)
            np.testing.assert_allclose(glances.heads.weights[:, i, j], expected, atol=1e-6)
    np.testing.assert_allclose(glances.heads.weights.sum(axis=2), 1, atol=1e-5)


def test_nothing_is_left_of_scores_that_look_ahead(glances: Glances) -> None:
    ahead = np.triu(np.ones((MAX_ROWS, MAX_ROWS), bool), 1)
    assert np.isnan(glances.heads.masked[:, ahead]).all()
    assert not np.isnan(glances.heads.masked[:, ~ahead]).any()


def test_a_short_prompt_is_shown_value_by_value(nano: Model) -> None:
    ids = IDS[:5]
    seen = gpt_glances(nano, ids, 0)
    trace = trace_gpt(nano, torch.tensor([ids]))
    weights = trace.blocks[0].attn_weights[0].numpy()
    np.testing.assert_allclose(seen.heads.weights, weights, atol=1e-7)


def test_one_token_attends_to_itself_alone(nano: Model) -> None:
    assert (gpt_glances(nano, (7,), 0).heads.weights == 1).all()


def test_many_heads_keep_the_first_maps_and_all_statistics() -> None:
    cfg = GPTConfig(
        vocab_size=60,
        context_length=6,
        emb_dim=96,
        n_heads=96,
        n_layers=1,
        drop_rate=0.0,
        qkv_bias=False,
    )
    seen = gpt_glances(GPTModel(cfg).eval(), (1, 2, 3), 0)
    assert seen.heads.weights.shape == (MAX_HEADS, 3, 3)
    assert seen.inside["scores"].n == 96 * 9


def test_the_next_token_is_the_argmax_of_the_last_position(
    trace: GPTTrace, glances: Glances
) -> None:
    assert glances.next_token.token_id == int(trace.logits[0, -1].argmax())


def test_a_block_that_is_not_there_is_refused(nano: Model) -> None:
    with pytest.raises(ValueError, match="block must be from 0 to 2; got 3"):
        gpt_glances(nano, IDS, 3)


@pytest.mark.parametrize("n_tokens", [1, 2, 16, 17, 50, 1024])
def test_groups_cover_every_position_once(n_tokens: int) -> None:
    runs = groups(n_tokens)
    assert [i for run in runs for i in run] == list(range(n_tokens))
    assert len(runs) == min(n_tokens, MAX_ROWS)
    assert max(map(len, runs)) - min(map(len, runs)) <= 1
