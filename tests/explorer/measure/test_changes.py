"""What each what-if must do, and what causality and depth must show."""

import math
import threading
from dataclasses import replace

import numpy as np
import pytest
import torch

from explorer.measure.causality import moved_by_edit
from explorer.measure.changes import CHANGES
from explorer.measure.norm_depth import DEPTHS, gradient_ratios, norm_depth_stats
from explorer.measure.summary import pass_summary
from gptcore import GPTConfig, GPTModel, build_model

IDS = (5, 17, 2, 99, 40)


def test_no_change_is_the_model_itself(tiny_model: GPTModel) -> None:
    plain, none = pass_summary(tiny_model, IDS), pass_summary(tiny_model, IDS, "none", 7)
    np.testing.assert_array_equal(plain.stream, none.stream)


@pytest.mark.parametrize("change", [name for name in CHANGES if name != "none"])
def test_every_change_changes_the_stream_and_leaves_the_model_alone(
    change: str, tiny_model: GPTModel
) -> None:
    before = {name: tensor.clone() for name, tensor in tiny_model.state_dict().items()}
    plain = pass_summary(tiny_model, IDS)
    changed = pass_summary(tiny_model, IDS, change, 7)
    assert not np.allclose(plain.stream[-1], changed.stream[-1], atol=1e-6)
    assert not tiny_model.training
    for name, tensor in tiny_model.state_dict().items():
        assert torch.equal(tensor, before[name])


def test_an_unknown_change_is_refused(tiny_model: GPTModel) -> None:
    with pytest.raises(ValueError, match="one of none, post_ln"):
        pass_summary(tiny_model, IDS, "bigger")


def test_without_shortcuts_the_stream_is_what_the_part_gave_out(tiny_model: GPTModel) -> None:
    summary = pass_summary(tiny_model, IDS, "no_shortcuts")
    np.testing.assert_array_equal(summary.stream[1:], summary.added)


def test_post_ln_ends_each_half_with_mean_0_and_std_near_1(tiny_model: GPTModel) -> None:
    summary = pass_summary(tiny_model, IDS, "post_ln")
    mean, std = summary.stream[1:, :, 0], summary.stream[1:, :, 1]
    np.testing.assert_allclose(mean, 0, atol=1e-6)
    np.testing.assert_allclose(std, 1, atol=1e-3)


def test_dropout_depends_on_its_seed_alone(tiny_model: GPTModel) -> None:
    once, again, other = (pass_summary(tiny_model, IDS, "train", seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(once.stream, again.stream)
    assert not np.array_equal(once.stream, other.stream)


def test_without_dropout_train_mode_changes_nothing(tiny: GPTConfig) -> None:
    model = build_model(replace(tiny, drop_rate=0.0), 1)
    np.testing.assert_array_equal(
        pass_summary(model, IDS).stream, pass_summary(model, IDS, "train", 3).stream
    )


def test_others_can_use_the_random_state_between_the_blocks_of_a_train_mode_pass(
    tiny: GPTConfig, tiny_model: GPTModel
) -> None:
    built = []

    def build_elsewhere(done: int, total: int, what: str) -> None:
        thread = threading.Thread(target=lambda: built.append(build_model(tiny, done)))
        thread.start()
        thread.join(20)

    pass_summary(tiny_model, IDS, "train", 3, on_step=build_elsewhere)
    assert len(built) == tiny.n_layers


def test_progress_counts_blocks_and_giving_up_ends_the_pass(tiny_model: GPTModel) -> None:
    seen: list[tuple[int, int]] = []

    def leave(done: int, total: int, what: str) -> None:
        seen.append((done, total))
        raise InterruptedError

    with pytest.raises(InterruptedError):
        pass_summary(tiny_model, IDS, on_step=leave)
    assert seen == [(1, tiny_model.cfg.n_layers)]


@pytest.mark.parametrize("position", [0, 2, 4])
def test_nothing_before_a_changed_token_moves_and_everything_after_does(
    position: int, tiny_model: GPTModel
) -> None:
    frame = moved_by_edit(tiny_model, IDS, position, 63)
    assert (frame[frame["position"] < position]["moved"] == 0).all()
    assert (frame[frame["position"] == position]["moved"] > 0).all()
    later = frame[frame["position"] > position]
    assert (later[later["point"] == 0]["moved"] == 0).all()  # nothing has been mixed yet
    assert (later[later["point"] > 0]["moved"] > 0).all()


def test_without_the_mask_everything_moves(tiny_model: GPTModel) -> None:
    frame = moved_by_edit(tiny_model, IDS, 3, 63, causal=False)
    assert (frame[frame["point"] > 0]["moved"] > 0).all()


def test_the_same_token_moves_nothing(tiny_model: GPTModel) -> None:
    assert (moved_by_edit(tiny_model, IDS, 3, IDS[3])["moved"] == 0).all()


def test_an_edit_outside_the_tokens_is_refused(tiny_model: GPTModel) -> None:
    with pytest.raises(ValueError, match="position must be below"):
        moved_by_edit(tiny_model, IDS, 5, 1)


def test_depth_tables_hold_both_norms_at_every_depth_and_post_ln_has_size_1() -> None:
    frame = norm_depth_stats((15496, 11, 314, 716), 123)
    assert frame.groupby(["depth", "norm"]).size().to_dict() == {
        (depth, norm): depth for depth in DEPTHS for norm in ("pre", "post")
    }
    post = frame[frame["norm"] == "post"]["rms"]
    assert post.min() > 0.999
    assert post.max() <= 1.0001
    assert (frame["gradient"] > 0).all()
    deep = frame[(frame["depth"] == 48) & (frame["norm"] == "pre")]["rms"]
    assert deep.iloc[-1] > 1.2 * deep.iloc[0]
    ratios = gradient_ratios(frame).set_index("depth")
    of_12 = frame[(frame["depth"] == 12) & (frame["norm"] == "post")]["gradient"]
    assert ratios.loc[12, "post"] == pytest.approx(of_12.iloc[0] / of_12.iloc[-1])


def test_a_single_token_has_no_next_token_to_differentiate() -> None:
    with pytest.raises(ValueError, match="at least 2 tokens"):
        norm_depth_stats((5,), 1)


def test_gpt2_s_initialisation_starts_with_a_small_stream(tiny_model: GPTModel) -> None:
    summary = pass_summary(tiny_model, IDS, "gpt2_init", 3)
    assert summary.stream[0, :, 1].mean() == pytest.approx(0.02 * math.sqrt(2), rel=0.3)
