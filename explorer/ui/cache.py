"""Shared models and tables, each made once and kept within a budget of bytes.

Models are keyed by what identifies them, tables by the measure, the model and plain arguments. Both
are evicted least recently used first.
"""

import gc
import os
import pickle
import threading
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

import streamlit as st
from cachetools import LRUCache

from explorer.measure.memory import available_bytes, check_fits, model_bytes
from explorer.measure.progress import Progress, silent
from explorer.ui.work import SingleFlight, Turnstile
from gptcore.config import GPT_CONFIG_124M
from gptcore.identity import ModelId, Seed

if TYPE_CHECKING:
    from gptcore.model import GPTModel

P = ParamSpec("P")
T = TypeVar("T")

TABLE_BUDGET_BYTES = 128 * 2**20
MEMORY_VARIABLE = "GPT_EXPLORER_MEMORY"
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


_tables = ByteCache(TABLE_BUDGET_BYTES)
_flights = SingleFlight()
_compute = Turnstile()


@lru_cache(maxsize=1)
def _models() -> ByteCache:
    given = os.environ.get(MEMORY_VARIABLE)
    return ByteCache(int(given) if given else int(_MODEL_SHARE * available_bytes()))


def preload_default_model() -> None:
    """Build the default model, so that the first viewer finds it there."""
    _model(DEFAULT_MODEL, silent, lambda: None)


def _bar() -> tuple[Progress, Callable[[], None], Callable[[], None]]:
    """Return a progress bar as: report, repeat the last report, remove."""
    place = st.empty()
    last = [(0, 1, "Waiting for a turn to compute …")]

    def repeat() -> None:
        done, total, text = last[0]
        place.progress(done / total, text)

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
            gc.collect()  # an evicted model can hang in a reference cycle
            n_bytes = model_bytes(model_id.config)
            cache.make_room(n_bytes)
            from gptcore.building import make_model  # not above: it imports torch

            with _compute.turn(repeat) as pass_on:

                def built(n_blocks: int) -> None:
                    report(n_blocks, model_id.config.n_layers, "Building the model: block")
                    pass_on()

                model = make_model(model_id, built)
            cache.put(model_id, model, n_bytes)
    return model  # type: ignore[return-value]


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
    key = (measure.__module__, measure.__qualname__, model_id, args, tuple(kwargs.items()))
    if (found := _tables.get(key)) is not None:
        return found  # type: ignore[return-value]
    report, repeat, remove = _bar()
    with _flights.alone(key, repeat):
        if (found := _tables.get(key)) is not None:
            remove()
            return found  # type: ignore[return-value]
        model = _model(model_id, report, repeat)
        with _compute.turn(repeat) as pass_on:

            def on_step(done: int, total: int, what: str) -> None:
                report(done, total, what.capitalize())
                pass_on()

            value = measure(model, *args, **kwargs, on_step=on_step)  # type: ignore[arg-type]
        _tables.put(key, value, len(pickle.dumps(value)))
    remove()
    return value
