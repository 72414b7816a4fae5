"""Stacked networks are the single ones, and every number of the lab is what it says."""

import numpy as np
import pandas as pd
import pytest
import torch

from explorer.measure.gradient_lab import (
    across_seeds,
    first_layer_gains,
    lab_input,
    layer_gradients,
)
from gptcore import DeepNetwork, mean_abs_gradients
from gptcore.seeding import seeded
from gptcore.variants import ACTIVATIONS

FIFTY = tuple(range(50))


@pytest.fixture(scope="module")
def fifty() -> pd.DataFrame:
    return layer_gradients(5, 3, "gelu", FIFTY)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(("depth", "width"), [(2, 2), (7, 5), (40, 3)])
def test_every_seed_of_a_stack_gives_what_its_own_network_gives(
    activation: str, depth: int, width: int
) -> None:
    frame = layer_gradients(depth, width, activation, (4, 123, 7))
    for (network, seed), rows in frame.groupby(["network", "seed"]):
        with seeded(int(seed)):
            own = DeepNetwork(
                [width] * depth + [1], network == "with shortcuts", ACTIVATIONS[activation]
            )
        expected = mean_abs_gradients(own, lab_input(width))
        assert rows["gradient"].tolist() == pytest.approx(expected, rel=1e-4, abs=1e-37)
        assert rows["layer"].tolist() == list(range(depth))


def test_a_gradient_is_the_input_times_the_error_signal() -> None:
    frame = layer_gradients(3, 4, "tanh", (5,))
    with seeded(5):
        network = DeepNetwork([4, 4, 4, 1], True, ACTIVATIONS["tanh"])
    x = lab_input(4)
    sizes = []
    with torch.no_grad():
        for layer in network.layers:
            sizes.append(x.abs().mean().item())
            y = layer(x)
            x = x + y if x.shape == y.shape else y
    rows = frame[frame["network"] == "with shortcuts"]
    assert (rows["signal"] * sizes).tolist() == pytest.approx(rows["gradient"].tolist(), rel=1e-4)


def test_the_first_signal_is_the_last_times_the_product_of_factors(fifty: pd.DataFrame) -> None:
    for _, rows in fifty.groupby(["network", "seed"]):
        assert np.isnan(rows["factor"].iloc[-1])
        product = rows["factor"].iloc[:-1].prod() * rows["signal"].iloc[-1]
        assert product == pytest.approx(rows["signal"].iloc[0], rel=1e-4)


def test_relative_values_are_divided_by_the_last_layers(fifty: pd.DataFrame) -> None:
    for _, rows in fifty.groupby(["network", "seed"]):
        assert rows["relative"].tolist() == pytest.approx(
            (rows["gradient"] / rows["gradient"].iloc[-1]).tolist(), rel=1e-5
        )


def test_the_median_gain_over_fifty_seeds_is_38_and_one_seed_gives_1099(
    fifty: pd.DataFrame,
) -> None:
    assert first_layer_gains(fifty).median() == pytest.approx(38.4, abs=0.2)
    assert first_layer_gains(layer_gradients(5, 3, "gelu", (123,))).item() == pytest.approx(
        1099, abs=1
    )


def test_at_depth_20_three_in_ten_networks_with_shortcuts_get_almost_nothing() -> None:
    frame = layer_gradients(20, 3, "gelu", FIFTY)
    rows = frame[frame["network"] == "with shortcuts"]
    gradients = rows.pivot(index="seed", columns="layer", values="gradient")
    starved = gradients[gradients[0] < 1e-6]
    assert 0.2 <= len(starved) / 50 <= 0.4
    assert (starved[19] < 1e-6).all()


def test_a_dead_relu_leaves_zeros_and_no_number_for_a_ratio() -> None:
    frame = layer_gradients(20, 3, "relu", FIFTY)
    assert (frame["gradient"] == 0).any()
    assert np.isfinite(frame["gradient"]).all()
    assert not np.isinf(frame[["relative", "factor"]]).any(axis=None)
    assert first_layer_gains(frame).isna().any()


def test_quartiles_hold_half_of_the_seeds(fifty: pd.DataFrame) -> None:
    summary = across_seeds(fifty, "gradient").set_index(["network", "layer"])
    assert len(summary) == 10
    for key, rows in fifty.groupby(["network", "layer"]):
        own = summary.loc[key]
        inside = rows["gradient"].between(own["lower"], own["upper"]).mean()
        assert 0.48 <= inside <= 0.56
        assert own["median"] == pytest.approx(rows["gradient"].median())


def test_one_networks_quartiles_are_its_value() -> None:
    frame = layer_gradients(2, 2, "gelu", (0,))
    summary = across_seeds(frame, "gradient")
    assert summary["lower"].tolist() == summary["upper"].tolist() == frame["gradient"].tolist()


def test_the_input_repeats_the_chapters() -> None:
    assert lab_input(3).tolist() == [[1, 0, -1]]
    assert lab_input(5).tolist() == [[1, 0, -1, 1, 0]]


@pytest.mark.parametrize(
    ("depth", "width", "seeds", "said"),
    [
        (0, 3, (1,), "layers must be from 2 to 40; got 0"),
        (41, 3, (1,), "layers must be from 2 to 40; got 41"),
        (5, 10**9, (1,), "width must be from 2 to 64; got 1,000,000,000"),
        (5, 3, (), "seeds must be from 1 to 50; got 0"),
        (5, 3, tuple(range(51)), "seeds must be from 1 to 50; got 51"),
    ],
)
def test_a_size_out_of_range_gets_a_sentence(
    depth: int, width: int, seeds: tuple[int, ...], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        layer_gradients(depth, width, "gelu", seeds)


def test_progress_is_told_and_may_end_the_work() -> None:
    told: list[tuple[int, int, str]] = []
    layer_gradients(2, 2, "gelu", (1, 2, 3), on_step=lambda *step: told.append(step))
    assert told == [(n, 5, "network") for n in range(1, 6)]

    def stop(done: int, total: int, what: str) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        layer_gradients(2, 2, "gelu", (1, 2, 3), on_step=stop)


def test_the_callers_random_state_stays() -> None:
    before = torch.get_rng_state()
    layer_gradients(2, 2, "gelu", (1, 2))
    assert torch.equal(before, torch.get_rng_state())
