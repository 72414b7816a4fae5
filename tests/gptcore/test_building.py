"""The same seed gives the same model, whatever else goes on, and touches nothing else."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from gptcore import GPTConfig, GPTModel, build_model
from gptcore.building import make_model
from gptcore.identity import Checkpoint, ModelId, Seed


def same_weights(one: GPTModel, other: GPTModel) -> bool:
    ours, theirs = one.state_dict(), other.state_dict()
    return ours.keys() == theirs.keys() and all(torch.equal(ours[n], theirs[n]) for n in ours)


def test_the_same_seed_gives_the_same_weights_and_another_seed_others(tiny: GPTConfig) -> None:
    assert same_weights(build_model(tiny, 5), build_model(tiny, 5))
    assert not same_weights(build_model(tiny, 5), build_model(tiny, 6))


def test_it_is_what_manual_seed_and_the_constructor_give(tiny: GPTConfig) -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        expected = GPTModel(tiny)
    assert same_weights(build_model(tiny, 5), expected)


@pytest.mark.parametrize("tie_weights", [False, True])
def test_a_built_model_is_in_eval_mode_throughout(tiny: GPTConfig, tie_weights: bool) -> None:
    model = build_model(replace(tiny, tie_weights=tie_weights), 5)
    assert not any(module.training for module in model.modules())


def test_building_leaves_the_callers_random_state_untouched(tiny: GPTConfig) -> None:
    before = torch.get_rng_state()
    build_model(tiny, 5)
    assert torch.equal(torch.get_rng_state(), before)


class LeaveError(Exception):
    """What a viewer who has left raises."""


def test_a_building_that_is_given_up_leaves_the_random_state_and_the_lock(tiny: GPTConfig) -> None:
    told: list[int] = []

    def leave(n_built: int) -> None:
        told.append(n_built)
        raise LeaveError

    before = torch.get_rng_state()
    with pytest.raises(LeaveError):
        build_model(tiny, 5, leave)
    assert told == [1]
    assert torch.equal(torch.get_rng_state(), before)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(build_model, tiny, 5).result(timeout=60)
    assert same_weights(other, build_model(tiny, 5))


def test_being_told_of_every_block_changes_no_weight(tiny: GPTConfig) -> None:
    told: list[int] = []

    def draw(n_built: int) -> None:
        told.append(n_built)
        torch.randn(7)  # whoever is told may draw numbers of its own

    assert same_weights(build_model(tiny, 5, draw), build_model(tiny, 5))
    assert told == list(range(1, tiny.n_layers + 1))


def test_two_buildings_take_turns_and_both_are_right(tiny: GPTConfig) -> None:
    """Each waits after its first block until the other is as far."""
    both = threading.Barrier(2)

    def meet(n_built: int) -> None:
        both.wait(timeout=60)

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda seed: build_model(tiny, seed, meet), [5, 6]))
    assert same_weights(found[0], build_model(tiny, 5))
    assert same_weights(found[1], build_model(tiny, 6))


def test_eight_threads_build_what_each_builds_alone(tiny: GPTConfig) -> None:
    cfg = replace(tiny, emb_dim=48, n_layers=4)
    alone = [build_model(cfg, seed) for seed in range(8)]
    together = threading.Barrier(8)
    before = torch.get_rng_state()

    def build_often(seed: int) -> list[GPTModel]:
        together.wait()
        return [build_model(cfg, seed, lambda _: None) for _ in range(5)]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(build_often, range(8)))
    for seed in range(8):
        assert all(same_weights(model, alone[seed]) for model in found[seed])
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("seed", [-1, 2**32, 1.0, True, "123"], ids=repr)
def test_a_seed_that_is_none_is_refused_before_anything_is_built(
    tiny: GPTConfig, seed: int
) -> None:
    told: list[int] = []
    with pytest.raises(ValueError, match="seed must be a whole number"):
        build_model(tiny, seed, told.append)
    assert told == []


def test_a_model_id_of_a_seed_names_the_model_of_that_seed(tiny: GPTConfig) -> None:
    made = make_model(ModelId(tiny, Seed(5)))
    assert made.cfg == tiny
    assert same_weights(made, build_model(tiny, 5))


def test_a_model_id_is_a_key(tiny: GPTConfig) -> None:
    assert len({ModelId(tiny, Seed(5)), ModelId(replace(tiny), Seed(5))}) == 1
    assert len({ModelId(tiny, Seed(5)), ModelId(tiny, Seed(6))}) == 2
    assert len({ModelId(tiny, Checkpoint("a")), ModelId(tiny, Checkpoint("b"))}) == 2


def test_a_checkpoint_that_is_not_there_is_refused(tiny: GPTConfig, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"config\.json can't be read"):
        make_model(ModelId(tiny, Checkpoint(str(tmp_path / "none"))))
