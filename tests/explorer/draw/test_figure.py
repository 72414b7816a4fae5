"""What the browser gets is what plotly's own objects would have sent it."""

import base64
import json

import numpy as np
import pandas as pd
import plotly.io
import pytest

from explorer.draw.chart import Chart
from explorer.draw.figure import Figure, blank_figure, heatmap, scatter
from explorer.draw.theme import Look

FRAME = pd.DataFrame({"x": [0, 1, 2], "y": [1.5, np.nan, -2.0], "name": ["a", "<b>", "c"]})


def drawn() -> Figure:
    figure = blank_figure(Look(), height=300, x_title="x", y_title="y (units)")
    figure.add_trace(
        scatter(x=FRAME["x"], y=FRAME["y"], text=FRAME["name"], customdata=FRAME[["x", "y"]])
    )
    figure.add_trace(heatmap(z=np.arange(6, dtype="float32").reshape(2, 3), x=[0, 1, 2]))
    figure.add_hline(y=0, line={"width": 1})
    return figure


def test_the_json_is_read_back_as_the_figure_that_plotly_checks() -> None:
    figure = drawn()
    sent = plotly.io.from_json(figure.to_json())
    checked = Chart("a", figure, FRAME, "A line.").figure
    assert sent.layout == checked.layout
    for ours, theirs in zip(sent.data, checked.data, strict=True):
        assert ours.type == theirs.type
    spec = json.loads(figure.to_json())["data"]
    y = np.frombuffer(base64.b64decode(spec[0]["y"]["bdata"]), spec[0]["y"]["dtype"])
    assert np.array_equal(y, FRAME["y"].to_numpy(), equal_nan=True)
    assert (spec[0]["x"]["dtype"], spec[0]["text"]) == ("i4", ["a", "<b>", "c"])
    assert spec[0]["customdata"]["shape"] == "3, 2"
    assert (spec[1]["z"]["dtype"], spec[1]["z"]["shape"]) == ("f4", "2, 3")


def test_what_is_no_number_in_a_list_becomes_null() -> None:
    figure = Figure({})
    figure.add_trace(scatter(x=[0, 1, 2], y=[float("nan"), float("inf"), 1.0]))
    assert json.loads(figure.to_json())["data"][0]["y"] == [None, None, 1.0]


def test_a_change_leaves_what_is_besides_it_and_reaches_every_axis() -> None:
    figure = Figure({"xaxis": {"title": {"text": "a", "font": {"size": 9}}}, "xaxis2": {}})
    figure.update_xaxes(title={"text": "b"}, dtick=1)
    assert figure.layout["xaxis"] == {"title": {"text": "b", "font": {"size": 9}}, "dtick": 1}
    assert figure.layout["xaxis2"] == {"title": {"text": "b"}, "dtick": 1}


def test_a_change_of_one_axis_leaves_the_other_that_began_alike() -> None:
    font = {"size": 9}
    figure = Figure({"xaxis": {"tickfont": font}, "yaxis": {"tickfont": font}})
    figure.update_yaxes(tickfont={"size": 20})
    assert (figure.layout["xaxis"], font) == ({"tickfont": {"size": 9}}, {"size": 9})
    assert figure.layout["yaxis"] == {"tickfont": {"size": 20}}


def test_a_misspelt_property_is_refused_when_the_figure_is_checked() -> None:
    figure = Figure({})
    figure.add_trace(scatter(x=[1], colour="red"))
    with pytest.raises(ValueError, match="colour"):
        _ = Chart("a", figure, FRAME, "A point.").figure


def test_what_a_figure_cannot_hold_is_refused() -> None:
    figure = Figure({})
    figure.add_trace(scatter(x={1, 2}))
    with pytest.raises(TypeError, match="set"):
        figure.to_json()
