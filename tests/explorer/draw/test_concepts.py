"""The concept pages' pictures: scales, labels, zeros on a logarithmic axis, text versions."""

import numpy as np
import pandas as pd
import pytest

from explorer.draw.activations import activation_gap_line, activation_lines
from explorer.draw.gradients import LogAxis, block_gradient_lines, layer_gradient_lines
from explorer.draw.norms import norm_spread_lines, variance_divisor_line
from explorer.draw.numbers import significant
from explorer.draw.stages import Stage, row_px, stage_histograms
from explorer.draw.theme import Look

LOOK = Look()


@pytest.fixture
def layers() -> pd.DataFrame:
    """Two networks of three layers."""
    frame = pd.DataFrame(
        {
            "network": ["plain"] * 3 + ["with shortcuts"] * 3,
            "layer": [0, 1, 2] * 2,
            "value": [1e-4, 1e-3, 1e-2, 0.1, 0.2, 0.5],
        }
    )
    return frame.assign(median=frame["value"], lower=frame["value"] / 2, upper=frame["value"] * 2)


def test_gradients_stand_on_a_log_axis_that_says_so_with_names_at_the_ends(
    layers: pd.DataFrame,
) -> None:
    drawn = layer_gradient_lines(layers, "mean |gradient|", LOOK, width=3, gain=1000.0)
    assert drawn.figure.layout.yaxis.type == "log"
    assert "log scale" in drawn.figure.layout.title.text
    texts = " ".join(note.text for note in drawn.figure.layout.annotations)
    assert "with shortcuts" in texts
    assert "plain" in texts
    assert "1,000 ×" in texts
    assert "layer 2, 3 → 1, has no shortcut" in drawn.figure.layout.xaxis.title.text
    assert drawn.alt.startswith("Layer 0 is 1,000 times larger with shortcuts. ")
    assert "largest, 0.500, at network with shortcuts, layer 2" in drawn.alt
    assert "smallest, 1.00 × 10⁻⁴, at network plain, layer 0" in drawn.alt


def test_a_zero_gets_a_line_of_its_own_below_the_smallest_power(layers: pd.DataFrame) -> None:
    layers.loc[0, ["value", "median", "lower", "upper"]] = 0.0
    drawn = layer_gradient_lines(layers, "mean |gradient|", LOOK, width=3, gain=None)
    axis = drawn.figure.layout.yaxis
    assert axis.ticktext[0] == "0"
    line = next(trace for trace in drawn.figure.data if trace.name == "plain")
    assert line.y[0] == axis.tickvals[0] < 1e-3
    assert line.customdata[0] == "0"


def test_values_that_are_no_numbers_are_left_out_and_said_so(layers: pd.DataFrame) -> None:
    layers["value"] = np.nan
    drawn = layer_gradient_lines(layers, "mean |gradient|", LOOK, width=3, gain=None)
    assert "Nothing is drawn" in drawn.alt
    layers.loc[4, "value"] = 0.2
    assert "0.200" in layer_gradient_lines(layers, "m", LOOK, width=3, gain=None).alt


def test_a_log_axis_has_at_most_nine_ticks_over_fifty_decades() -> None:
    axis = LogAxis(pd.Series([1e-45, 1e5]))
    figure = block_gradient_lines(
        pd.DataFrame({"network": ["plain"], "block": [0], "value": [1e-45]}), "norms", LOOK, None
    ).figure
    axis.apply(figure)
    assert len(figure.layout.yaxis.tickvals) <= 9


def test_one_block_is_a_picture_too() -> None:
    frame = pd.DataFrame(
        {"network": ["plain", "with shortcuts"], "block": [0, 0], "value": [1.0, 2.0]}
    )
    drawn = block_gradient_lines(frame, "attention", LOOK, 2.0)
    assert drawn.figure.layout.xaxis.range[0] < 0 < drawn.figure.layout.xaxis.range[1]
    assert "attention" in drawn.alt


@pytest.mark.parametrize("percent", [False, True])
def test_stages_share_both_scales_and_mark_mean_and_spread(percent: bool) -> None:
    histogram = pd.DataFrame(
        {
            "stage": ["a", "a", "b"],
            "low": [0.0, 1.0, -1.0],
            "high": [1.0, 2.0, 0.0],
            "count": [3, 1, 2],
        }
    )
    moments = pd.DataFrame(
        {
            "stage": ["a", "b"],
            "mean": [0.75, -0.5],
            "variance": [0.2, 0.0],
            "std": [0.45, 0.0],
            "n": [4, 2],
        }
    )
    stages = (Stage("a", "First", "x", "act"), Stage("b", "Second", "2x", "norm"))
    drawn = stage_histograms(
        histogram, moments, stages, "value", LOOK, name="test", percent=percent
    )
    layout = drawn.figure.layout
    assert layout.yaxis.range == layout.yaxis2.range
    bars = [trace for trace in drawn.figure.data if trace.type == "bar"]
    assert list(bars[0].y) == ([75, 25] if percent else [3, 1])
    marks = [trace for trace in drawn.figure.data if trace.type == "scatter"]
    assert [mark.x[0] for mark in marks] == [0.75, -0.5]
    assert marks[0].error_x.value == 0.45
    assert layout.xaxis.range[0] < -1
    assert layout.xaxis.range[1] > 2
    assert "The standard deviation is largest, 0.450, at stage a" in drawn.alt
    assert row_px(Look(projector=True)) > row_px(LOOK)


def test_the_two_lines_of_spread_start_at_zero_and_are_named() -> None:
    frame = pd.DataFrame(
        {"order": [0, 1], "norm": ["0.norm1", "final_norm"], "before": [1.4, 2.0], "after": [1, 1]}
    )
    drawn = norm_spread_lines(frame, LOOK)
    assert drawn.figure.layout.yaxis.rangemode == "tozero"
    assert "largest, 2, at norm final_norm" in drawn.alt


def test_the_divisors_stand_on_two_log_axes_that_say_so() -> None:
    frame = pd.DataFrame({"n": [5, 768], "percent": [25.0, 0.13]})
    figure = variance_divisor_line(frame, LOOK).figure
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert "log scale" in figure.layout.xaxis.title.text
    assert "log scale" in figure.layout.title.text


def test_the_curves_mark_the_x_that_was_asked_for() -> None:
    forms = ["gelu", "exact", "relu"]
    curves = pd.DataFrame(
        {"activation": forms * 2, "x": [-1.0] * 3 + [1.0] * 3, "value": range(6), "slope": range(6)}
    )
    at = curves.iloc[3:]
    drawn = activation_lines(curves, at, "value", LOOK, (-0.75, -0.17))
    assert list(drawn.figure.data[-1].y) == [3, 4, 5]
    texts = " ".join(note.text for note in drawn.figure.layout.annotations)
    assert "minimum −0.170 at −0.750" in texts
    assert "GELU's value" in drawn.alt


def test_the_gap_is_drawn_around_zero_on_its_own_scale() -> None:
    frame = pd.DataFrame({"x": [-1.0, 0.0, 1.0], "gap": [1e-4, 0.0, -4e-4]})
    low, high = activation_gap_line(frame, LOOK).figure.layout.yaxis.range
    assert -low == high == pytest.approx(5.4e-4)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0"),
        (1099.2, "1,099"),
        (0.0002017, "0.0002017"),
        (3.1e-9, "3.100 × 10⁻⁹"),
        (0.99996, "1.000"),
        (123456789, "1.235 × 10⁸"),
        (-0.5, "−0.5000"),
        (float("nan"), "—"),
        (float("inf"), "∞"),
    ],
)
def test_a_number_of_any_size_keeps_its_significant_digits(value: float, written: str) -> None:
    assert significant(value) == written
