"""Shared models, tables and what is drawn from them, each made once and kept within a budget of bytes.

Models are keyed by what identifies them, tables by the measure, the model and plain arguments, and
what is made of tables by the tables themselves, which nobody changes. All are evicted least recently
used first.
"""

import gc
import os
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

import streamlit as st
from cachetools import LRUCache

from explorer.measure.checkpoints import without_place
from explorer.measure.memory import (
    available_bytes,
    check_fits,
    model_bytes,
    refusing_what_memory_lacks,
)
from explorer.measure.progress import Progress, silent
from explorer.ui.options import MEMORY_VARIABLE
from explorer.ui.work import BATON, POLL_SECONDS, SingleFlight, Turnstile, Workers
from gptcore.config import GPT_CONFIG_124M
from gptcore.identity import Checkpoint, ModelId, Seed

if TYPE_CHECKING:
    from gptcore.model import GPTModel

P = ParamSpec("P")
T = TypeVar("T")

TABLE_BUDGET_BYTES = 128 * 2**20
STREAM_BUDGET_BYTES = 64 * 2**20
DRAWN_BUDGET_BYTES = 32 * 2**20
_SLICE_SECONDS = 0.25
_MAX_SOURCES = 16  # each may hold a KV cache: 72 MiB for 1,024 positions of GPT-2 small
_PATIENCE_SECONDS = 1.0
_BAR_SECONDS = 0.1  # between two changes of a progress bar; fifty small steps were fifty messages
_BUILDING = "building a model"
_MODEL_SHARE = 0.7  # of the memory that is free when the first model is asked for

DEFAULT_MODEL = ModelId(GPT_CONFIG_124M, Seed(123))


class ByteCache:
    """Keep values up to a number of bytes; the least recently used goes first. Thread-safe."""

    def __init__(self, budget_bytes: int) -> None:
        self._sizes: dict[Hashable, int] = {}
        self._lock = threading.Lock()
        self._values: LRUCache[Hashable, tuple[int, object]] = LRUCache(
            budget_bytes, getsizeof=lambda entry: entry[0]
        )

    @property
    def budget_bytes(self) -> int:
        """The most that is ever kept."""
        return int(self._values.maxsize)

    @property
    def used_bytes(self) -> int:
        """What is kept now."""
        with self._lock:
            return int(self._values.currsize)

    def get(self, key: Hashable) -> object | None:
        """Return the value, or None if it isn't kept."""
        with self._lock:
            entry = self._values.get(key)
            return None if entry is None else entry[1]

    def put(self, key: Hashable, value: object, n_bytes: int) -> None:
        """Keep a value, if it is not larger than the whole budget."""
        with self._lock:
            if n_bytes <= self._values.maxsize:
                self._values[key] = (n_bytes, value)

    def make_room(self, n_bytes: int) -> None:
        """Evict until `n_bytes` more can be kept."""
        with self._lock:
            while self._values and self._values.currsize + n_bytes > self._values.maxsize:
                self._values.popitem()


class ModelCache(ByteCache):
    """Keep models, and know of those that were evicted while somebody still computes with them."""

    def __init__(self, budget_bytes: int) -> None:
        super().__init__(budget_bytes)
        self._alive: weakref.WeakKeyDictionary[object, int] = weakref.WeakKeyDictionary()

    def put(self, key: Hashable, value: object, n_bytes: int) -> None:
        """Keep a model, and count it until it is freed."""
        with self._lock:
            self._alive[value] = n_bytes
        super().put(key, value, n_bytes)

    @property
    def occupied_bytes(self) -> int:
        """What the models take that are kept, and those that are only still in use."""
        with self._lock:
            return sum(self._alive.values())

    def free(self, n_bytes: int, while_waiting: Callable[[], None]) -> None:
        """Evict until `n_bytes` can be allocated, and wait for what is evicted but in use.

        Args:
            n_bytes: At most the budget.
            while_waiting: Called ten times a second; may raise to stop waiting.
        """
        self.make_room(n_bytes)
        while True:
            _drop_sources()  # they hold on to evicted models
            gc.collect()  # an evicted model can hang in a reference cycle
            if self.occupied_bytes + n_bytes <= self.budget_bytes:
                return
            while_waiting()
            time.sleep(POLL_SECONDS)


def _bytes_of(value: object) -> int:
    from explorer.measure.sizes import kept_bytes  # not above: it imports pandas

    return kept_bytes(value)


_tables = ByteCache(TABLE_BUDGET_BYTES)
_streams = ByteCache(STREAM_BUDGET_BYTES)
_drawn = ByteCache(DRAWN_BUDGET_BYTES)
_sources: LRUCache[Hashable, Iterator[object]] = LRUCache(_MAX_SOURCES)
_sources_lock = threading.Lock()
_flights = SingleFlight()
_compute = Turnstile()
_workers = Workers()


@lru_cache(maxsize=1)
def _models() -> ModelCache:
    given = os.environ.get(MEMORY_VARIABLE)
    return ModelCache(int(given) if given else int(_MODEL_SHARE * available_bytes()))


def preload_default_model() -> None:
    """Build the default model, so that the first viewer finds it there."""
    _model(DEFAULT_MODEL, silent, lambda: None)


def _end_if_abandoned() -> None:
    """End this run, as any call of Streamlit does, if its viewer has left or asked for another."""
    st.session_state.get("anything")


def _bar(patience_seconds: float = 0) -> tuple[Progress, Callable[[], None], Callable[[], None]]:
    """Return a progress bar as: report, repeat the last report, remove.

    Ask for one even if nothing is left to compute: its place is counted, and without it all that
    follows on the page would move up by one, which a browser takes for other elements. Waiting
    shows only after some patience, and nothing shows that is over at once; but every call may end
    the script's run, from the first moment.
    """
    place = st.empty()
    start = time.monotonic()
    last, shown_at = [(0, 1, "Waiting for a turn to compute …")], [start]
    shown: list[tuple[int, int, str] | None] = [None]

    def repeat() -> None:
        _end_if_abandoned()
        done, total, text = last[0]
        now = time.monotonic()
        if now < shown_at[0] + _BAR_SECONDS or (not done and now < start + patience_seconds):
            return
        if shown[0] != last[0]:
            place.progress(done / total, text)
        shown_at[0], shown[0] = now, last[0]

    def report(done: int, total: int, what: str) -> None:
        last[0] = (done, total, f"{what} {done:,} of {total:,}")
        repeat()

    def remove() -> None:
        place.empty()

    return report, repeat, remove


def _model(model_id: ModelId, report: Progress, repeat: Callable[[], None]) -> "GPTModel":
    """Return the shared model, building it if nobody has. Call it outside a turn."""
    cache = _models()
    with _flights.alone(model_id, repeat):
        if (model := cache.get(model_id)) is None:
            check_fits(model_id.config, cache.budget_bytes)
            n_bytes = model_bytes(model_id.config)
            from gptcore.building import make_model  # not above: it imports torch

            # One build at a time, or two that fit alone would be allocated together.
            with _flights.alone(_BUILDING, repeat):
                cache.free(n_bytes, repeat)
                with _compute.turn(repeat) as pass_on:

                    def on_step(n_blocks: int, n_layers: int, what: str) -> None:
                        report(n_blocks, n_layers, what)
                        pass_on()

                    def build(on_step: Progress) -> "GPTModel":
                        n_layers, what = model_id.config.n_layers, "Building the model: block"
                        return make_model(
                            model_id, lambda n_built: on_step(n_built, n_layers, what)
                        )

                    try:
                        with refusing_what_memory_lacks(model_id.config):
                            model = _workers.run(build, on_step)
                    except ValueError as error:
                        if isinstance(model_id.weights, Checkpoint):
                            raise without_place(error, Path(model_id.weights.folder)) from error
                        raise
                cache.put(model_id, model, n_bytes)
    return model  # type: ignore[return-value]


def _once(key: Hashable, make: Callable[[Progress, Callable[[], None]], T]) -> T:
    """Return what is kept under `key`; otherwise make it, with progress, for all who wait."""
    report, repeat, remove = _bar()
    if (found := _tables.get(key)) is not None:
        return found  # type: ignore[return-value]
    with BATON.put_down(), _flights.alone(key, repeat):
        if (found := _tables.get(key)) is not None:
            remove()
            return found  # type: ignore[return-value]
        value = make(report, repeat)
        _tables.put(key, value, _bytes_of(value))
    remove()
    return value


def _in_turn(compute: Callable[[Progress], T], report: Progress, repeat: Callable[[], None]) -> T:
    """Compute when it is this viewer's turn, and let others have theirs after each step."""
    with _compute.turn(repeat) as pass_on:

        def on_step(done: int, total: int, what: str) -> None:
            report(done, total, what.capitalize())
            pass_on()

        return _workers.run(compute, on_step)


def _drop_sources() -> None:
    with _sources_lock:
        _sources.clear()


def streamed(
    measure: Callable[..., Iterator[T]],
    model_id: ModelId,
    /,
    *args: Hashable,
    begin: Callable[..., object],
    wanted: int,
    more: bool,
) -> tuple[T, ...]:
    """Return what a measure that yields has given so far, at most `wanted` items.

    Nothing is computed twice. The first call computes one item, so that there is something to see;
    each further one computes for a fraction of a second, or one item if others wait for their turn.
    Where many come at once, everybody's first block is computed before anybody's first item: a queue
    has nothing to show. Whoever stops asking has abandoned the rest.

    Args:
        measure: A function of `explorer.measure` that yields items and takes those already known
            as `known`, and as `reader` what `begin` gives.
        model_id: The model.
        *args: The measure's other arguments, hashable.
        begin: Runs the model's first block for the measure.
        wanted: How many items there should be in the end.
        more: Whether to compute if there are some, but not enough.

    Raises:
        DoesNotFitError: If the model is too large for the memory.
        ValueError: Whatever the measure refuses.
    """
    key = (measure.__module__, measure.__qualname__, model_id, args)
    report, repeat, remove = _bar(_PATIENCE_SECONDS)
    kept: tuple[T, ...] = _streams.get(key) or ()  # type: ignore[assignment]
    if len(kept) >= wanted or (kept and not more):
        return kept[:wanted]
    with BATON.put_down(), _flights.alone(key, repeat):
        had, kept = len(kept), _streams.get(key) or ()  # type: ignore[assignment]
        if len(kept) == had:
            model = _model(model_id, report, repeat)
            with _compute.turn(repeat) as pass_on:
                begun = None
                if not kept and _compute.crowded:
                    begun = _workers.run(lambda _: begin(model, *args), silent)
                    report(1, model.cfg.n_layers, "Reading the prompt: block")
                    pass_on()
                start = partial(measure, model, *args, known=kept, reader=begun)
                kept = _extended(key, start, kept, wanted)
    remove()
    return kept[:wanted]


def _extended(
    key: Hashable, start: Callable[[], Iterator[T]], items: tuple[T, ...], wanted: int
) -> tuple[T, ...]:
    """Add to a stream's items, at least one, for as long as a turn should last."""
    with _sources_lock:
        kept_source = _sources.pop(key, None)
    source = kept_source if items and kept_source is not None else start()
    end = time.monotonic() + (_SLICE_SECONDS if items else 0)
    while True:
        items = (*items, _workers.run(lambda _: next(source), silent))  # type: ignore[arg-type]
        if len(items) >= wanted or _compute.crowded or time.monotonic() >= end:
            break
    _streams.put(key, items, len(items) * _bytes_of(items[-1]))
    with _sources_lock:
        _sources[key] = source
    return items


def measured(
    measure: "Callable[Concatenate[GPTModel, P], T]",
    model_id: ModelId,
    /,
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Return what a measure says of a shared model, from the cache if it is there.

    Otherwise build the model if need be and compute, with progress, one computation at a time for
    all viewers, each step in turn.

    Args:
        measure: A function of `explorer.measure` with `on_step` as its last argument.
        model_id: The model.
        *args: The measure's other arguments, hashable.
        **kwargs: Likewise.

    Raises:
        DoesNotFitError: If the model is too large for the memory.
        ValueError: Whatever the measure refuses.
    """

    def make(report: Progress, repeat: Callable[[], None]) -> T:
        model = _model(model_id, report, repeat)
        return _in_turn(
            lambda on_step: measure(model, *args, **kwargs, on_step=on_step),  # type: ignore[arg-type]
            report,
            repeat,
        )

    key = (measure.__module__, measure.__qualname__, model_id, args, tuple(kwargs.items()))
    return _once(key, make)


def computed(measure: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Do the same for a measure that needs no shared model.

    Args:
        measure: A function of `explorer.measure` with `on_step` as its last argument.
        *args: The measure's other arguments, hashable.
        **kwargs: Likewise.

    Raises:
        ValueError: Whatever the measure refuses.
    """

    def make(report: Progress, repeat: Callable[[], None]) -> T:
        return _in_turn(
            lambda on_step: measure(*args, **kwargs, on_step=on_step),  # type: ignore[arg-type]
            report,
            repeat,
        )

    key = (measure.__module__, measure.__qualname__, args, tuple(kwargs.items()))
    return _once(key, make)


class _Same:
    """A part of a key: equal only for the very same object, which it doesn't keep alive."""

    def __init__(self, value: object) -> None:
        self._hash = id(value)
        self._ref = weakref.ref(value)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        mine = self._ref()
        return isinstance(other, _Same) and mine is not None and mine is other._ref()


def _key_of(argument: object) -> Hashable:
    """Return an argument's part of a key: its value where it has one, and else which object it is."""
    kind = type(argument)
    if isinstance(argument, tuple):
        return kind, *map(_key_of, argument)
    if argument is None or kind.__hash__ is not object.__hash__:
        try:
            hash(argument)
        except TypeError:  # it is changeable, or holds what is
            return _Same(argument)
        return kind, argument
    return _Same(argument)


def kept(make: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what a function makes of tables and plain values; made once for the same ones.

    Thirty people who look at one prompt see the same charts and sentences: to make them again takes
    longer than all else that a page does.

    Args:
        make: A function of its arguments alone, defined at a module's top.
        *args: Tables, and what holds them, count as the same if they are the same object; nobody
            changes one. Other values count as the same if they are equal and of one type.
        **kwargs: Likewise.

    Raises:
        TypeError: If an argument has neither a hash nor room for a weak reference, such as a list.
        ValueError: Whatever the function refuses.
    """
    parts = map(_key_of, (make, *args, *kwargs.values()))
    key = (tuple(kwargs), *parts)
    found = _drawn.get(key)
    if found is None:
        found = (make(*args, **kwargs),)
        _drawn.put(key, found, _bytes_of(found))
    return found[0]  # type: ignore[index,no-any-return]
