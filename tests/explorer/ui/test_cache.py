"""Caches bounded in bytes; one build for all who ask."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.measure.memory import DoesNotFitError, model_bytes
from explorer.measure.prediction import next_token
from explorer.measure.progress import Progress
from explorer.ui import cache
from explorer.ui.cache import ByteCache
from gptcore import CONFIGS, GPTConfig, GPTModel
from gptcore.identity import ModelId, Seed


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 60)), max_size=60))
def test_the_budget_is_never_exceeded(entries: list[tuple[int, int]]) -> None:
    kept = ByteCache(100)
    for key, size in entries:
        kept.put(key, key, size)
        assert kept.used_bytes <= 100


def test_the_least_recently_used_goes_first() -> None:
    kept = ByteCache(100)
    kept.put("a", 1, 40)
    kept.put("b", 2, 40)
    kept.get("a")
    kept.put("c", 3, 40)
    assert [kept.get(key) for key in "abc"] == [1, None, 3]


def test_what_is_larger_than_the_budget_is_not_kept_and_evicts_nothing() -> None:
    kept = ByteCache(100)
    kept.put("a", 1, 40)
    kept.put("huge", 2, 101)
    assert kept.get("a") == 1
    assert kept.get("huge") is None


def test_room_is_made_before_a_model_is_built() -> None:
    kept = ByteCache(100)
    kept.put("a", 1, 60)
    kept.make_room(50)
    assert kept.get("a") is None
    assert kept.used_bytes == 0


def test_ten_threads_that_ask_for_one_answer_build_one_model(
    tiny: GPTConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gptcore.building

    built: list[ModelId] = []
    make = gptcore.building.make_model

    def counting(model_id: ModelId, on_block: object) -> GPTModel:
        built.append(model_id)
        return make(model_id, on_block)  # type: ignore[arg-type]

    monkeypatch.setattr(gptcore.building, "make_model", counting)
    monkeypatch.setattr(cache, "_tables", ByteCache(10**6))
    models = ByteCache(10**9)
    monkeypatch.setattr(cache, "_models", lambda: models)
    model_id = ModelId(tiny, Seed(77))
    answers = []

    def ask() -> None:
        answers.append(cache.measured(next_token, model_id, (1, 2, 3)))

    threads = [threading.Thread(target=ask) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert built == [model_id]
    assert len({id(answer) for answer in answers}) == 1


def test_seeds_and_prompts_have_answers_of_their_own(tiny: GPTConfig) -> None:
    first = cache.measured(next_token, ModelId(tiny, Seed(1)), (1, 2))
    assert cache.measured(next_token, ModelId(tiny, Seed(2)), (1, 2)) is not first
    assert cache.measured(next_token, ModelId(tiny, Seed(1)), (1, 3)) is not first
    assert cache.measured(next_token, ModelId(tiny, Seed(1)), (1, 2)) is first


def test_models_in_turn_never_exceed_the_budget(
    tiny: GPTConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget = 512 * 2**20 + 3 * model_bytes(tiny)
    kept = ByteCache(budget)
    monkeypatch.setattr(cache, "_models", lambda: kept)
    for seed in range(40):
        cache.measured(next_token, ModelId(tiny, Seed(1000 + seed)), (1, 2))
        assert kept.used_bytes <= budget


def test_work_that_its_viewer_left_ends_at_its_next_step_and_blocks_nobody(
    tiny: GPTConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached: list[int] = []

    def long_measure(model: GPTModel, *, on_step: Progress) -> int:
        for step in range(1, 100):
            reached.append(step)
            on_step(step, 100, "step")
        return 1

    def leave(*_: object) -> None:
        if reached == [1, 2, 3]:
            raise InterruptedError

    model_id = ModelId(tiny, Seed(1))
    with monkeypatch.context() as patch:
        patch.setattr(cache, "_bar", lambda: (leave, leave, leave))
        with pytest.raises(InterruptedError):
            cache.measured(long_measure, model_id)
    assert reached == [1, 2, 3]
    assert cache.measured(long_measure, model_id) == 1
    assert reached == [1, 2, 3, *range(1, 100)]


def test_a_model_that_can_not_fit_is_refused_before_anything_is_built() -> None:
    with pytest.raises(DoesNotFitError):
        cache.measured(next_token, ModelId(CONFIGS["gpt3-175b"], Seed(1)), (1, 2))
