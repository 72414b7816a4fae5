"""What the picture is told, without a browser."""

import base64
import itertools
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from explorer.draw.theme import Look
from explorer.measure import STOPS
from explorer.measure.glance import gpt_glances
from explorer.ui.components.overview import files
from explorer.ui.components.overview.payload import (
    MAX_CHIPS,
    TENSORS,
    colour_limit,
    identity,
    live_data,
    picture_data,
)
from explorer.ui.components.overview.sources import EXCERPTS, Excerpt, source_excerpts
from explorer.ui.components.overview.words import live_sentences, path_words
from explorer.ui.state import Screen
from gptcore import CONFIGS, GPTConfig, build_model, encode
from gptcore.identity import Seed

FILES = Path(files.__file__).parent


def screen(cfg: GPTConfig, ids: tuple[int, ...]) -> Screen:
    return Screen(cfg, "custom", 123, Seed(123), "", ids, Look())


NANO = CONFIGS["gpt-nano"]
IDS = tuple(encode("Hello, I am"))


def test_every_operation_has_words_and_marked_source() -> None:
    assert set(path_words(NANO, 4, 1)) == set(STOPS)
    assert set(EXCERPTS) == set(STOPS)
    for stop, source in source_excerpts().items():
        assert source["lines"], stop


def test_a_mark_that_is_no_longer_in_the_code_is_an_error() -> None:
    with pytest.raises(LookupError, match="no line of encode holds 'gone'"):
        Excerpt(encode, ("gone",)).show()


def test_the_two_additions_are_marked_one_after_the_other() -> None:
    first, second = (source_excerpts()[stop]["marked"] for stop in ("add_att", "add_ff"))
    assert first < second  # type: ignore[operator]


@pytest.mark.parametrize(
    "cfg",
    [
        *CONFIGS.values(),
        replace(NANO, n_heads=1, n_layers=1, drop_rate=0.0, qkv_bias=True, tie_weights=True),
        replace(NANO, n_heads=48, n_layers=96),
    ],
)
@pytest.mark.parametrize("n_tokens", [1, 2, 64])
def test_words_are_two_sentences_without_plurals_of_one(cfg: GPTConfig, n_tokens: int) -> None:
    for block in {0, cfg.n_layers // 2, cfg.n_layers - 1}:
        for stop, words in path_words(cfg, n_tokens, block).items():
            sentences = re.findall(r"[.:;](?:\s|$)", words.does)
            assert 2 <= len(sentences) <= 4, (stop, words.does)
            assert len(words.does.split()) <= 60, (stop, words.does)
            for text in (words.title, words.does, words.say):
                assert not re.search(r"(?<![\d,–.])1 (?!remains)\w+s\b", text), (stop, text)
                assert "!" not in text


def test_live_sentences_hold_for_every_block_and_name_the_winner() -> None:
    glances = gpt_glances(build_model(NANO, 123), IDS, 1)
    said = live_sentences(glances, NANO, 1)
    assert set(said) <= set(STOPS)
    assert glances.next_token.candidates["token"].iloc[0] in said["next"]


def test_the_picture_needs_no_torch_and_says_the_same_twice() -> None:
    now = screen(NANO, IDS)
    assert json.dumps(picture_data(now, 1, "tokens")) == json.dumps(picture_data(now, 1, "tokens"))


def test_a_long_prompt_sends_its_two_ends_only() -> None:
    ids = tuple(range(100, 164))
    chips = picture_data(screen(NANO, ids), 0, "tokens")["tokens"]
    assert [chip["position"] for chip in chips] == [  # type: ignore[attr-defined]
        *range(MAX_CHIPS // 2),
        *range(64 - MAX_CHIPS // 2, 64),
    ]


def test_identity_differs_when_anything_that_the_values_depend_on_does() -> None:
    now = screen(NANO, IDS)
    others = [
        identity(now, 1),
        identity(replace(now, weights=Seed(124)), 0),
        identity(replace(now, token_ids=IDS[:-1]), 0),
        identity(replace(now, config=CONFIGS["gpt-mini"]), 0),
    ]
    assert len({identity(now, 0), *others}) == 5
    assert identity(now, 0) == identity(replace(now, prompt="x", look=Look("dark")), 0)


def test_cells_come_back_from_the_payload_within_half_a_step() -> None:
    glances = gpt_glances(build_model(NANO, 123), IDS, 0)
    live = live_data(glances, screen(NANO, IDS), 0)
    json.dumps(live, allow_nan=False)
    for name in set(TENSORS.values()) - {"scores", "masked", "attn_weights"}:
        sent = live["tensors"][name]  # type: ignore[index]
        cells = (glances.outside | glances.inside)[name].cells
        steps = np.frombuffer(base64.b64decode(sent["cells"]), np.int8)
        back = steps.reshape(cells.shape) / 127 * sent["limit"]
        expected = np.clip(cells, -sent["limit"], sent["limit"])
        assert np.abs(back - expected).max() <= sent["limit"] / 254 + 1e-6, name


@pytest.mark.parametrize("spreads", [[1.0], [0.001, 0.02], [28.0, 3.0], [1e6]])
def test_a_colour_limit_is_round_and_holds_two_and_a_half_spreads(spreads: list[float]) -> None:
    limit = colour_limit(spreads)
    assert 2.5 * max(spreads) <= limit <= 5 * max(spreads)
    assert float(f"{limit:.1g}") == pytest.approx(limit)


def test_a_colour_limit_of_nothing_is_one() -> None:
    assert colour_limit([0.0]) == colour_limit([float("nan")]) == 1.0


def test_no_script_reads_a_string_as_html_and_none_is_forgotten() -> None:
    names = {path.stem for path in FILES.glob("*.js")}
    assert names == {*files.SCRIPTS, "feed"}
    for path in FILES.glob("*.js"):
        source = path.read_text(encoding="utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", source
        )
        assert "http" not in source.replace("http://www.w3.org/2000/svg", "")


def test_no_two_scripts_give_the_same_name() -> None:
    names = [
        name
        for script in files.SCRIPTS
        for name in re.findall(
            r"^(?:const|let|class|function) (\w+)",
            (FILES / f"{script}.js").read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    ]
    doubled = [name for name, same in itertools.groupby(sorted(names)) if len(list(same)) > 1]
    assert not doubled
