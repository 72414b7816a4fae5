"""A greedy run against torch's own functions and against itself taken up again."""

import math
from itertools import islice

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from explorer.measure.generation import (
    MAX_TOP_K,
    begun_run,
    candidates,
    compared_runs,
    cropped_predictions,
    greedy_run,
    position_predictions,
    ranks_of,
    run_table,
    token_standing,
)
from explorer.measure.tokens import sequence_text
from gptcore import GPTModel, encode, generate_greedy

IDS = (5, 17, 2, 99)


def last_logits(model: GPTModel, ids: tuple[int, ...]) -> torch.Tensor:
    with torch.no_grad():
        logits: torch.Tensor = model(torch.tensor([ids[-model.cfg.context_length :]]))[0, -1]
    return logits


def test_a_run_is_the_greedy_one_and_its_figures_are_those_of_the_softmax(
    tiny_model: GPTModel,
) -> None:
    steps = tuple(islice(greedy_run(tiny_model, IDS), 20))  # past the context of 13
    tokens = [step.token_id for step in steps]
    assert [*IDS, *tokens] == generate_greedy(tiny_model, list(IDS), 20, use_cache=False)
    for index, step in enumerate(steps):
        logits = last_logits(tiny_model, IDS + tuple(tokens[:index]))
        probs = torch.softmax(logits, -1)
        frame = candidates(step, 10)
        assert frame["token_id"].tolist() == probs.topk(10).indices.tolist()
        assert frame["probability"].tolist() == pytest.approx(
            probs.topk(10).values.tolist(), rel=1e-4
        )
        assert step.entropy == pytest.approx(
            torch.distributions.Categorical(logits=logits).entropy().item(), rel=1e-4
        )
        assert step.top_10_share == pytest.approx(probs.topk(10).values.sum().item(), rel=1e-4)
        assert step.total == pytest.approx(1, abs=1e-5)
        assert step.softmax_agrees
        assert len(step.top_ids) == MAX_TOP_K


def test_ranks_before_are_the_tokens_places_one_step_earlier(tiny_model: GPTModel) -> None:
    first, second = islice(greedy_run(tiny_model, IDS), 2)
    assert first.earlier_ranks == ()
    assert candidates(first, 5)["rank_before"].isna().all()
    order = last_logits(tiny_model, IDS).argsort(descending=True).tolist()
    assert list(second.earlier_ranks) == [order.index(t) + 1 for t in second.top_ids]


@pytest.mark.parametrize("n_known", [1, 2, 7, 12])
def test_a_run_taken_up_again_goes_on_as_if_it_had_not_stopped(
    tiny_model: GPTModel, n_known: int
) -> None:
    whole = tuple(islice(greedy_run(tiny_model, IDS), 15))
    rest = tuple(islice(greedy_run(tiny_model, IDS, whole[:n_known]), 15 - n_known))
    for ours, expected in zip(rest, whole[n_known:], strict=True):
        assert ours.token_id == expected.token_id
        assert ours.earlier_ranks == expected.earlier_ranks
        assert ours.entropy == pytest.approx(expected.entropy, rel=1e-5)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30))
def test_equal_scores_share_the_best_rank(scores: list[int]) -> None:
    logits = torch.tensor(scores, dtype=torch.float32)
    ranks = ranks_of(logits, torch.arange(len(scores))).tolist()
    assert ranks == [1 + sum(other > score for other in scores) for score in scores]


def test_every_rank_occurs_once_and_probabilities_sum_to_one(tiny_model: GPTModel) -> None:
    frame = token_standing(tiny_model, IDS, tuple(range(tiny_model.cfg.vocab_size)))
    assert sorted(frame["rank"]) == list(range(1, 102))
    assert frame["probability"].sum() == pytest.approx(1)
    assert frame.set_index("rank").at[1, "token_id"] == int(last_logits(tiny_model, IDS).argmax())


def test_every_position_predicts_what_the_model_says_after_its_tokens(tiny_model: GPTModel) -> None:
    frame = position_predictions(tiny_model, IDS)
    for position in range(len(IDS)):
        logits = last_logits(tiny_model, IDS[: position + 1])
        probs = torch.softmax(logits, -1)
        assert frame["probability"][position] == pytest.approx(probs.max().item(), rel=1e-4)
        if position + 1 < len(IDS):
            following = IDS[position + 1]
            assert frame["next_probability"][position] == pytest.approx(
                probs[following].item(), rel=1e-4
            )
            assert frame["next_rank"][position] == int((logits > logits[following]).sum()) + 1
    assert math.isnan(frame["next_probability"].iloc[-1])


def test_reading_all_tokens_is_at_no_distance_from_itself(tiny_model: GPTModel) -> None:
    frame = cropped_predictions(tiny_model, IDS)
    assert frame["window"].tolist() == [1, 2, 4]
    assert frame["distance"].iloc[-1] == 0
    assert frame["distance"].between(0, 1).all()
    full, cropped = (torch.softmax(last_logits(tiny_model, ids), -1) for ids in (IDS, IDS[-2:]))
    expected = (full - cropped).clamp(min=0).sum().item()
    assert frame["distance"][1] == pytest.approx(expected, rel=1e-4)


def test_runs_are_compared_as_far_as_both_go(tiny_model: GPTModel) -> None:
    a = tuple(islice(greedy_run(tiny_model, IDS), 6))
    b = tuple(islice(greedy_run(tiny_model, (1, 2)), 4))
    frame = compared_runs(a, b)
    assert frame["step"].tolist() == [1, 2, 3, 4]
    assert frame["same"].tolist() == [x.token_id == y.token_id for x, y in zip(a, b, strict=False)]
    assert compared_runs(a, a)["same"].all()
    assert run_table(a)["probability"].tolist() == frame["probability_a"].tolist() + [
        candidates(step, 1)["probability"][0] for step in a[4:]
    ]


def test_bytes_that_form_no_character_are_shown_as_such() -> None:
    whole = encode("Hi 🤖 <b>")
    assert sequence_text(whole) == "Hi 🤖 <b>"
    robot = encode("🤖")
    assert len(robot) > 1
    assert sequence_text(robot[:-1]).startswith("\\xf0\\x9f")
    assert "\ufffd" not in sequence_text(robot[:-1])


def test_a_run_that_was_begun_gives_the_same_steps(tiny_model: GPTModel) -> None:
    for ids in (IDS, tuple(range(1, 16))):  # and longer than the context of 13
        begun = islice(greedy_run(tiny_model, ids, reader=begun_run(tiny_model, ids)), 14)
        assert tuple(begun) == tuple(islice(greedy_run(tiny_model, ids), 14))
