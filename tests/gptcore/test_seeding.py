"""A seed gives its numbers, whoever else draws, and gives the caller's state back."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from gptcore.seeding import MAX_SEED, seeded


def draw(seed: int) -> Tensor:
    with seeded(seed):
        return torch.randn(5)


@pytest.mark.parametrize("seed", [0, 1, 123, MAX_SEED])
def test_a_seed_gives_what_manual_seed_gives(seed: int) -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        expected = torch.randn(5)
    assert torch.equal(draw(seed), expected)


def test_the_callers_random_state_is_given_back() -> None:
    before = torch.get_rng_state()
    draw(1)
    assert torch.equal(torch.get_rng_state(), before)


def test_the_callers_random_state_is_given_back_after_an_error() -> None:
    before = torch.get_rng_state()

    def fail() -> None:
        with seeded(1):
            torch.randn(5)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(draw(1), draw(1))


def test_one_seed_inside_another_disturbs_neither() -> None:
    with seeded(1):
        first = torch.randn(5)
        inner = draw(2)
        second = torch.randn(5)
    with seeded(1):
        assert torch.equal(torch.randn(5), first)
        assert torch.equal(torch.randn(5), second)
    assert torch.equal(inner, draw(2))


def test_while_one_is_paused_others_draw_and_it_goes_on_where_it_was() -> None:
    with seeded(1):
        expected = torch.randn(3), torch.randn(3)
    outside = torch.get_rng_state()
    with seeded(1) as own:
        assert torch.equal(torch.randn(3), expected[0])
        with own.paused():
            assert torch.equal(torch.get_rng_state(), outside)
            with ThreadPoolExecutor(1) as pool:
                elsewhere = pool.submit(draw, 2).result(timeout=60)
            torch.randn(1)
            moved = torch.get_rng_state()
        assert torch.equal(torch.randn(3), expected[1])
    assert torch.equal(elsewhere, draw(2))
    assert torch.equal(torch.get_rng_state(), moved)


def test_an_error_while_paused_gives_the_callers_state_back_and_frees_the_others() -> None:
    before = torch.get_rng_state()

    def fail() -> None:
        with seeded(1) as own, own.paused():
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert torch.equal(torch.get_rng_state(), before)
    with ThreadPoolExecutor(1) as pool:
        assert torch.equal(pool.submit(draw, 3).result(timeout=60), draw(3))


@pytest.mark.parametrize(
    "seed",
    [-1, MAX_SEED + 1, 1.0, True, None, "123", float("nan"), float("inf"), np.int64(3), 10**40],
    ids=repr,
)
def test_what_is_no_seed_is_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match="from 0 to 4,294,967,295") as error, seeded(seed):
        pass
    assert str(error.value).endswith(repr(seed))


def test_eight_threads_draw_what_each_draws_alone() -> None:
    alone = [draw(seed) for seed in range(8)]
    together = threading.Barrier(8)

    def draw_often(seed: int) -> list[Tensor]:
        together.wait()
        return [draw(seed) for _ in range(50)]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(draw_often, range(8)))
    for seed in range(8):
        assert all(torch.equal(numbers, alone[seed]) for numbers in found[seed])
