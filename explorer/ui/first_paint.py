"""A page's picture in its HTML, so that it is seen before Streamlit has started.

A browser has to fetch and start some hundred scripts before Streamlit draws anything. The pictures of
the Overview and of Scaling need only the configuration and the prompt, and both are in the address: so
the page brings them along, drawn by the components' own scripts. They can't be operated; the
components replace them.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import streamlit

from explorer.draw.theme import SCALE, Base, Look
from explorer.ui import overview_text
from explorer.ui.components.chart.library import library_address
from explorer.ui.components.overview.files import PICTURE, picture_files
from explorer.ui.components.overview.payload import picture_data
from explorer.ui.controls import CONTROLS, Value
from explorer.ui.frame import STYLE, text_html, variables
from explorer.ui.state import Screen
from gptcore.config import CONFIGS
from gptcore.identity import Seed
from gptcore.tokenizer import encode

_FONT_FILES = Path(streamlit.__file__).with_name("static") / "static/media"
_BASES: tuple[Base, Base] = ("light", "dark")
_SCREEN = ("config", "seed", "prompt")
_READ = {"overview": (*_SCREEN, "overview_stop", "overview_block"), "scaling": _SCREEN}
_FONTS = {
    "Source Sans": "SourceSansVF-Upright",
    "Source Serif": "SourceSerifVariable-Roman",
    "Source Code Pro": "SourceCodeVF-Upright",
}


def _asked(query: str, read: tuple[str, ...]) -> tuple[Screen, dict[str, Value]] | None:
    """Return the screen that an address asks for, and what all the controls that are read hold.

    None if anything in it has to be refused, dropped, cropped or explained: that is for the app.
    """
    held = {key: CONTROLS[key].default for key in read}
    for key, values in parse_qs(query, keep_blank_values=True).items():
        if key not in read or len(values) > 1:
            return None
        held[key] = CONTROLS[key].parse(values[0])
    cfg, seed, prompt = CONFIGS[str(held["config"])], int(held["seed"]), str(held["prompt"])
    token_ids = tuple(encode(prompt))
    if not 0 < len(token_ids) <= cfg.context_length:
        return None
    return Screen(cfg, str(held["config"]), seed, Seed(seed), prompt, token_ids, Look()), held


def in_script(value: object) -> str:
    """Write a value as JavaScript that no text in it can end."""
    return json.dumps(value).replace("<", "\\u003c")


@lru_cache(maxsize=1)
def font_files() -> dict[str, str]:
    """Return the file of each family that the pages use, among those that Streamlit serves."""
    found = {}
    for family, file in _FONTS.items():
        (path,) = _FONT_FILES.glob(f"{file}.*.woff2")
        found[family] = path.name
    return found


@lru_cache(maxsize=1)
def _font_faces() -> str:
    return "".join(
        f'@font-face{{font-family:"{family}";font-weight:200 900;'
        f'src:url("./static/media/{name}") format("woff2")}}'
        for family, name in font_files().items()
    )


@dataclass(frozen=True)
class _Picture:
    """What a page's picture is drawn from.

    Attributes:
        title: The page's title.
        claim: Its sentence.
        in_a_row: Whether the sentence stands beside the title.
        key: The component's key on the page.
        files: Its HTML, CSS and JavaScript.
        data: What it is told; `themed` comes with it, by theme.
        before: HTML between the head and the picture.
        library: HTML that loads what its script needs.
        isolated: Whether it has a shadow root.
    """

    title: str
    claim: str
    in_a_row: bool
    key: str
    files: dict[str, str]
    data: dict[str, Any]
    themed: dict[Base, dict[str, Any]]
    before: str
    library: str
    isolated: bool


def _overview(now: Screen, block: int, stop: str) -> _Picture:
    return _Picture(
        title=overview_text.TITLE,
        claim=overview_text.CLAIM,
        in_a_row=True,
        key=PICTURE,
        files=picture_files(),
        data=picture_data(now, block, stop),
        themed={base: {"scales": SCALE[base]} for base in _BASES},
        before="",
        library="",
        isolated=True,
    )


def _scaling(now: Screen) -> _Picture:
    from explorer.ui import scaling, show  # not above: with pandas, which the Overview doesn't need
    from explorer.ui.components.chart.mount import chart_data, chart_files
    from explorer.ui.scaling.parameters import hues, parameter_bars

    bars = {base: parameter_bars(now.config, True, Look(base)) for base in _BASES}
    return _Picture(
        title=scaling.TITLE,
        claim=scaling.CLAIM,
        in_a_row=False,
        key=f"chart-{bars['light'].name}",
        files=chart_files(),
        data={},
        themed={base: chart_data(chart) for base, chart in bars.items()},
        before=f'<div class="to-come"></div><div class="stHtml">{show.key_html(hues())}</div>',
        # Not deferred: Streamlit's own scripts are, and so they start after the picture is there.
        library=f'<script src="./{library_address()}"></script>',
        isolated=False,
    )


@lru_cache(maxsize=32)
def first_paint(page: str, query: str) -> str:
    """Return the HTML that draws the picture an address asks for; empty if there is none to draw.

    Args:
        page: "overview" or "scaling".
        query: The address's query, without the question mark.
    """
    try:
        asked = _asked(query, _READ[page])
    except (ValueError, KeyError):  # a value that the app itself refuses, or fields of a custom one
        asked = None
    if asked is None:
        return ""
    now, held = asked
    if page == "overview":
        block = min(int(held["overview_block"]), now.config.n_layers - 1)
        shown = _overview(now, block, str(held["overview_stop"]))
    else:
        shown = _scaling(now)
    own = {
        name: (Path(__file__).with_name(f"first_paint.{name}")).read_text()
        for name in ("css", "js")
    }
    themes = {base: {"css": variables(Look(base)), "data": shown.themed[base]} for base in _BASES}
    head = f"page-head{'-in-a-row' * shown.in_a_row}"
    return f"""
<style>{_font_faces()}{own["css"]}{STYLE}</style>
<div id="first-paint" class="stMain" aria-hidden="true" inert>
  <div class="stMainBlockContainer">
    <div class="st-key-{head}"><h1>{shown.title}</h1>{text_html("claim", shown.claim)}</div>
    {shown.before}
    <div class="st-key-{shown.key}"></div>
  </div>
</div>
{shown.library}
<script>{{
{shown.files["js"].replace("export default ", "")}
const html = {in_script(shown.files["html"])}, css = {in_script(shown.files["css"])};
const host = document.querySelector({in_script(f"#first-paint .st-key-{shown.key}")});
const data = {in_script(shown.data)}, isolated = {in_script(shown.isolated)};
const themes = {in_script(themes)};
{own["js"]}
}}</script>
"""
