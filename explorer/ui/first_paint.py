"""A page's picture in its HTML, so that it is seen before Streamlit has started.

A browser has to fetch and start some hundred scripts before Streamlit draws anything. The pictures of
the Overview and of Scaling need only the configuration and the prompt, and both are in the address: so
the page brings them along, the Overview's drawn by its component's own script, Scaling's as HTML.
They can't be operated; the components replace them.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import parse_qs

import streamlit

from explorer.draw.theme import SCALE, Base, Look
from explorer.ui import overview_text
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
        body: HTML below them.
        script: JavaScript that draws into it, once `theme` is "light" or "dark".
    """

    title: str
    claim: str
    in_a_row: bool
    body: str
    script: str


def _overview(now: Screen, block: int, stop: str) -> _Picture:
    files, scales = picture_files(), {base: SCALE[base] for base in _BASES}
    script = f"""
{files["js"].replace("export default ", "")}
const host = document.querySelector("#first-paint .st-key-{PICTURE}");
const parentElement = host.attachShadow({{ mode: "open" }});
parentElement.innerHTML = {in_script(f"<style>{files['css']}</style>{files['html']}")};
const data = {in_script(picture_data(now, block, stop))};
const scales = {in_script(scales)};
mount({{ parentElement, data: {{ ...data, scales: scales[theme] }} }});
"""
    return _Picture(
        title=overview_text.TITLE,
        claim=overview_text.CLAIM,
        in_a_row=True,
        body=f'<div class="st-key-{PICTURE}"></div>',
        script=script,
    )


def _scaling(now: Screen) -> _Picture:
    from explorer.ui import scaling, show  # not above: with pandas, which the Overview doesn't need
    from explorer.ui.scaling.first_bars import first_bars
    from explorer.ui.scaling.parameters import hues, parameter_bars

    key, bars = show.key_html(hues()), first_bars(parameter_bars(now.config, True, Look()))
    return _Picture(
        title=scaling.TITLE,
        claim=scaling.CLAIM,
        in_a_row=False,
        body=f'<div class="to-come"></div><div class="stHtml">{key}</div><div>{bars}</div>',
        script="",
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
    themes = {base: variables(Look(base)) for base in _BASES}
    head = f"page-head{'-in-a-row' * shown.in_a_row}"
    return f"""
<style>{_font_faces()}{own["css"]}{STYLE}</style>
<div id="first-paint" class="stMain" aria-hidden="true" inert>
  <div class="stMainBlockContainer">
    <div class="st-key-{head}"><h1>{shown.title}</h1>{text_html("claim", shown.claim)}</div>
    {shown.body}
  </div>
</div>
<script>{{
const themes = {in_script(themes)};
{own["js"]}
{shown.script}
}}</script>
"""
