"""Caches bounded in bytes; one build for all who ask."""

import gc
import threading
import weakref
from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.measure.generation import Step, begun_run, cropped_predictions, greedy_run
from explorer.measure.memory import DoesNotFitError, in_words, model_bytes
from explorer.measure.progress import Progress
from explorer.ui import cache
from explorer.ui.cache import ByteCache, ModelCache
from gptcore import CONFIGS, GPTConfig, GPTModel, build_model
from gptcore.identity import ModelId, Seed

NANO = CONFIGS["gpt-nano"]


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
    models = ModelCache(10**9)
    monkeypatch.setattr(cache, "_models", lambda: models)
    model_id = ModelId(tiny, Seed(77))
    answers = []

    def ask() -> None:
        answers.append(cache.measured(cropped_predictions, model_id, (1, 2, 3)))

    threads = [threading.Thread(target=ask) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert built == [model_id]
    assert len({id(answer) for answer in answers}) == 1


def test_seeds_and_prompts_have_answers_of_their_own(tiny: GPTConfig) -> None:
    first = cache.measured(cropped_predictions, ModelId(tiny, Seed(1)), (1, 2))
    assert cache.measured(cropped_predictions, ModelId(tiny, Seed(2)), (1, 2)) is not first
    assert cache.measured(cropped_predictions, ModelId(tiny, Seed(1)), (1, 3)) is not first
    assert cache.measured(cropped_predictions, ModelId(tiny, Seed(1)), (1, 2)) is first


@pytest.mark.thorough
def test_models_in_turn_never_exceed_the_budget(
    tiny: GPTConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget = 512 * 2**20 + 3 * model_bytes(tiny)
    kept = ModelCache(budget)
    monkeypatch.setattr(cache, "_models", lambda: kept)
    for seed in range(40):
        cache.measured(cropped_predictions, ModelId(tiny, Seed(1000 + seed)), (1, 2))
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
        cache.measured(cropped_predictions, ModelId(CONFIGS["gpt3-175b"], Seed(1)), (1, 2))


def whole_run(model_id: ModelId, n_tokens: int) -> tuple[Step, ...]:
    steps: tuple[Step, ...] = ()
    while len(steps) < n_tokens:
        steps = cache.streamed(
            greedy_run, model_id, (1, 2), begin=begun_run, wanted=n_tokens, more=True
        )
    return steps


def test_a_stream_gives_something_at_once_and_more_only_when_asked(tiny: GPTConfig) -> None:
    model_id = ModelId(tiny, Seed(501))
    first = cache.streamed(greedy_run, model_id, (1, 2), begin=begun_run, wanted=10**6, more=False)
    assert len(first) == 1
    assert (
        cache.streamed(greedy_run, model_id, (1, 2), begin=begun_run, wanted=10**6, more=False)
        == first
    )
    more = cache.streamed(
        greedy_run, model_id, (1, 2), begin=begun_run, wanted=len(first) + 1, more=True
    )
    assert more[:-1] == first
    assert (
        cache.streamed(greedy_run, model_id, (1, 2), begin=begun_run, wanted=1, more=True)
        == first[:1]
    )


def test_a_stream_whose_source_is_gone_goes_on_without_a_gap(
    tiny: GPTConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = whole_run(ModelId(tiny, Seed(502)), 9)
    monkeypatch.setattr(cache, "_streams", ByteCache(cache.STREAM_BUDGET_BYTES))
    model_id = ModelId(tiny, Seed(502))
    whole_run(model_id, 4)
    cache._drop_sources()
    found = whole_run(model_id, 9)
    assert [s.token_id for s in found] == [s.token_id for s in expected]
    assert [s.earlier_ranks for s in found] == [s.earlier_ranks for s in expected]


def test_viewers_of_one_run_share_it_and_those_of_others_take_turns(tiny: GPTConfig) -> None:
    runs: dict[int, tuple[Step, ...]] = {}
    models = [ModelId(tiny, Seed(510 + n % 3)) for n in range(9)]
    threads = [
        threading.Thread(target=lambda n=n: runs.update({n: whole_run(models[n], 20)}))
        for n in range(9)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for n in range(9):
        assert runs[n] == runs[n % 3]
        assert len(runs[n]) == 20


def test_many_streams_stay_within_their_budget(
    tiny: GPTConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = ByteCache(100_000)
    monkeypatch.setattr(cache, "_streams", kept)
    for seed in range(12):
        whole_run(ModelId(tiny, Seed(600 + seed)), 3)
        assert kept.used_bytes <= 100_000
        assert len(cache._sources) <= 16


FAMILY = {
    "XL": GPTConfig(503, 64, 200, 25, 6, 0.1, qkv_bias=False),
    "large": GPTConfig(503, 64, 160, 20, 5, 0.1, qkv_bias=False),
    "medium": GPTConfig(503, 64, 128, 16, 4, 0.1, qkv_bias=False),
}
"""The family at an eighth of its width and depth."""


def test_the_family_and_six_seeds_from_ten_viewers_stay_within_the_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import gptcore.building

    wanted = [ModelId(cfg, Seed(1)) for cfg in FAMILY.values()]
    wanted += [ModelId(FAMILY["medium"], Seed(seed)) for seed in range(2, 8)]
    sizes = {model_id: model_bytes(model_id.config) for model_id in wanted}
    kept = ModelCache(sizes[wanted[0]] + sizes[wanted[2]])  # the largest and the smallest
    monkeypatch.setattr("explorer.measure.memory._HEADROOM_BYTES", 0)
    monkeypatch.setattr(cache, "_models", lambda: kept)
    monkeypatch.setattr(cache, "_tables", ByteCache(10**6))
    make, models, peaks = gptcore.building.make_model, [], []

    def watched(model_id: ModelId, on_block: object) -> GPTModel:
        peaks.append(sum(n for alive, n in models if alive() is not None) + sizes[model_id])
        model = make(model_id, on_block)  # type: ignore[arg-type]
        models.append((weakref.ref(model), sizes[model_id]))
        return model

    monkeypatch.setattr(gptcore.building, "make_model", watched)
    failed: list[BaseException] = []

    def viewer(n: int) -> None:
        try:
            for model_id in (*wanted[n % 9 :], *wanted[: n % 9])[:5]:
                cache.measured(cropped_predictions, model_id, (n, 2, 3))
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=viewer, args=(n,)) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not failed
    assert not any(thread.is_alive() for thread in threads)
    assert len(peaks) >= len(wanted)
    assert max(peaks) <= kept.budget_bytes, "evicted models were still there"
    gc.collect()
    assert sum(n for alive, n in models if alive() is not None) == kept.used_bytes


def test_a_model_that_is_evicted_while_in_use_is_waited_for(
    tiny: GPTConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = ModelCache(model_bytes(tiny))
    monkeypatch.setattr("explorer.measure.memory._HEADROOM_BYTES", 0)
    in_use, n_bytes = build_model(tiny, 1), model_bytes(tiny)
    kept.put("a", in_use, n_bytes)
    waited: list[int] = []

    def leave() -> None:
        waited.append(kept.occupied_bytes)
        if len(waited) == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        kept.free(n_bytes, leave)
    assert waited == [n_bytes, n_bytes]
    assert kept.get("a") is None
    del in_use
    kept.free(n_bytes, leave)
    assert kept.occupied_bytes == 0


def test_what_can_not_fit_is_refused_with_the_figures_and_evicts_nothing(
    tiny: GPTConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = ModelCache(model_bytes(FAMILY["medium"]))
    monkeypatch.setattr("explorer.measure.memory._HEADROOM_BYTES", 0)
    monkeypatch.setattr(cache, "_models", lambda: kept)
    cache.measured(cropped_predictions, ModelId(tiny, Seed(901)), (1, 2))
    needed, there_is = in_words(model_bytes(FAMILY["XL"])), in_words(kept.budget_bytes)
    with pytest.raises(DoesNotFitError, match=f"{needed}.*{there_is}"):
        cache.measured(cropped_predictions, ModelId(FAMILY["XL"], Seed(1)), (1, 2))
    assert kept.get(ModelId(tiny, Seed(901))) is not None


def leave_after(n_reports: int) -> Callable[..., None]:
    """Return a progress bar's report by a viewer who leaves: Streamlit raises in the script then."""
    told: list[object] = []

    def report(*what: object) -> None:
        if what:
            told.append(what)
        if len(told) >= n_reports:
            raise InterruptedError(len(told))

    return report


def test_who_leaves_while_a_model_is_built_ends_it_at_that_block(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = ModelCache(10**9)
    monkeypatch.setattr(cache, "_models", lambda: kept)
    model_id = ModelId(FAMILY["XL"], Seed(31))
    with monkeypatch.context() as patch:
        report = leave_after(2)
        patch.setattr(cache, "_bar", lambda *_: (report, report, report))
        with pytest.raises(InterruptedError, match=r"^2$"):  # of six blocks
            cache.measured(cropped_predictions, model_id, (1, 2))
    assert kept.occupied_bytes == kept.used_bytes == 0
    assert not cache._flights._flights
    assert not cache._compute._queue
    assert len(cache.measured(cropped_predictions, model_id, (1, 2))) == 2


def test_who_stops_asking_for_tokens_has_ended_the_run_within_one_turn(
    tiny: GPTConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_SLICE_SECONDS", 0.0)
    steps = cache.streamed(
        greedy_run, ModelId(tiny, Seed(32)), (1, 2), begin=begun_run, wanted=1_000, more=True
    )
    assert len(steps) == 1
    assert not cache._compute._queue
    assert not cache._flights._flights


class Maker:
    """Counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, *args: object, **kwargs: object) -> None:
        self.asked += 1


def test_what_is_made_of_the_same_table_is_made_once() -> None:
    make, table, like_it = Maker(), pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [1]})
    for one in (table, like_it, table, table[:], like_it):
        cache.kept(make, one, name="x")
    assert make.asked == 3  # an equal table is another one, and so is a part of one


def test_plain_values_count_as_the_same_if_they_are_equal_and_of_one_type() -> None:
    make = Maker()
    for one in ((1, 2), (1, 2), (1, 3), 1, 1.0, True, None, None, NANO, replace(NANO)):
        cache.kept(make, one)
    assert make.asked == 7
    cache.kept(make, a=1, b=2)
    cache.kept(make, b=1, a=2)
    assert make.asked == 9


def test_what_was_made_of_a_table_is_not_given_for_one_in_the_same_place_of_memory() -> None:
    make, places = Maker(), set()
    for n in range(50):
        table = pd.DataFrame({"a": [n]})
        places.add(id(table))
        cache.kept(make, table)
        del table
    assert len(places) < 50
    assert make.asked == 50


def test_nothing_made_keeps_a_table_alive() -> None:
    table = pd.DataFrame({"a": [1]})
    gone = weakref.ref(table)
    cache.kept(Maker(), table)
    del table
    gc.collect()
    assert gone() is None


def test_a_list_cannot_be_told_from_another_and_is_refused() -> None:
    with pytest.raises(TypeError, match="weak reference"):
        cache.kept(Maker(), [1])
