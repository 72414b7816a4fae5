"""The picture that the page itself brings along."""

import json
import re
from urllib.parse import quote

import pytest

from explorer.draw.numbers import short
from explorer.draw.theme import Look
from explorer.ui.first_paint import first_paint
from explorer.ui.scaling.parameters import parameter_bars
from gptcore import CONFIGS


def _data(html: str) -> dict[str, object]:
    found = re.search(r"^const data = (.*);$", html, re.MULTILINE)
    assert found is not None
    data: dict[str, object] = json.loads(found[1])
    return data


def test_an_address_without_parts_gives_the_default_screen() -> None:
    data = _data(first_paint("overview", ""))
    assert data["total"] == 163_009_536
    assert data["axes"] == {"B": 1, "T": 4, "D": 768, "H": 12, "K": 64, "F": 3072, "V": 50257}


def test_an_address_is_obeyed() -> None:
    query = "config=gpt-nano&prompt=one+two&overview_stop=softmax&overview_block=99"
    data = _data(first_paint("overview", query))
    assert data["n_layers"] == 3
    assert data["block"] == 2
    assert data["selected"] == "softmax"
    assert [token["text"] for token in data["tokens"]] == ["one", "·two"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "query",
    [
        "config=custom&emb_dim=64",
        "config=gpt5",
        "config=",
        "seed=-1",
        "seed=1&seed=2",
        "prompt=",
        "projector=true",
        "weights=mine",
        "embed=true",
        "overview_stop=nowhere",
        "overview_block=x",
        "config=gpt-nano&prompt=" + "a+b+" * 40,
        "prompt=" + "a" * 100_001,
    ],
)
def test_what_the_app_has_to_say_something_about_is_left_to_the_app(query: str) -> None:
    assert first_paint("overview", query) == ""


def test_no_prompt_ends_the_script_it_is_in() -> None:
    prompt = "</script><img src=x onerror=alert(1)><!--"
    html = first_paint("overview", f"prompt={quote(prompt)}")
    assert html.count("</script>") == 1
    assert "<img" not in html
    tokens: list[dict[str, str]] = _data(html)["tokens"]  # type: ignore[assignment]
    assert "".join(token["text"] for token in tokens)[:9] == prompt[:9]


def test_scaling_brings_its_bars_with_every_share_and_sum() -> None:
    html = first_paint("scaling", "config=gpt2-xl").split("<script>")[0]
    frame = parameter_bars(CONFIGS["gpt2-xl"], True, Look()).frame
    shares = re.findall(r'class="bartext">([\d.]+) %', html)
    assert shares == [f"{100 * share:.1f}" for share in frame["share"]]
    sums = frame.groupby("model", sort=False)["parameters"].sum()
    assert re.findall(r'class="total">([^<]+)', html) == [short(total) for total in sums]
    assert "feed-forward" in html


@pytest.mark.parametrize("query", ["scaling_view=memory", "config=custom", "projector=true"])
def test_another_view_of_scaling_is_left_to_the_app(query: str) -> None:
    assert first_paint("scaling", query) == ""
