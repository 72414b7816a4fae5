"""The page with the whole model as one picture."""

import json
from typing import Any
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import Open, html


def told(app: AppTest) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the picture and its feed were given."""
    found = {}
    for element in app.get("bidi_component"):
        if element.proto.component_name in ("overview_picture", "overview_feed"):
            found[element.proto.component_name] = json.loads(element.proto.json)
    return found["overview_picture"], found["overview_feed"]


def shape(picture: dict[str, Any], stop: str) -> str:
    (found,) = (s for s in picture["stops"] if s["id"] == stop)
    return " ".join("".join(axis) for axis in found["out"])


def test_the_prompt_and_the_configuration_change_the_shapes(open_app: Open) -> None:
    picture, feed = told(open_app(prompt="Hello, I am"))
    assert shape(picture, "scores") == "B1 H3 T4 T4"
    assert feed["of"] == picture["of"]
    assert feed["live"]["tensors"]["embed"]["rows"] == 4
    picture, _ = told(open_app(config="gpt-mini", prompt="one two"))
    assert shape(picture, "scores") == "B1 H6 T2 T2"


def test_a_link_opens_a_block_and_selects_an_operation(open_app: Open) -> None:
    app = open_app(overview_stop="gelu", overview_block="2")
    picture, _ = told(app)
    assert (picture["selected"], picture["block"]) == ("gelu", 2)
    link = html(app).split('data-query="')[-1].split('"')[0].replace("&amp;", "&")
    assert parse_qs(link) == {"overview_stop": ["gelu"], "overview_block": ["2"]}


def test_a_block_that_the_configuration_lacks_becomes_its_last(open_app: Open) -> None:
    picture, _ = told(open_app(overview_block="100"))
    assert picture["block"] == 2


def test_a_link_to_no_operation_is_dropped_with_a_sentence(open_app: Open) -> None:
    app = open_app(overview_stop="nowhere")
    assert told(app)[0]["selected"] == "tokens"
    assert "overview_stop" in html(app)


def test_the_text_version_has_every_operation_in_order_with_the_total(open_app: Open) -> None:
    app = open_app()
    table = html(app).split('class="path"')[1].split("</table>")[0]
    positions = [table.index(name) for name in ("text →", "norm1", "GELU", "out_head", "argmax")]
    assert positions == sorted(positions)
    assert table.count("<tr") == 28  # 27 operations and the heading


def test_a_model_that_does_not_fit_keeps_its_picture_and_its_code(open_app: Open) -> None:
    app = open_app(config="gpt3-175b")
    picture, feed = told(app)
    assert picture["total"] == 174_604_259_328
    assert feed["live"] is None
    assert "memory" in feed["refused"]
    assert feed["code"]["qkv"]["lines"]


@pytest.mark.parametrize("prompt", ["x", "<b>$x$</b> 👋🏽", "word " * 60])
def test_any_prompt_is_sent_as_data(open_app: Open, prompt: str) -> None:
    picture, feed = told(open_app(prompt=prompt))
    assert picture["axes"]["T"] >= len(picture["tokens"]) >= 1
    assert feed["live"] is not None
