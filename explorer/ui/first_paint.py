"""The Overview's picture in the page itself, so that it is seen before Streamlit has started.

A browser has to fetch and start some hundred scripts before Streamlit draws anything. The picture
needs only the configuration and the prompt, and both are in the address: so the page's HTML brings
it along, drawn by the component's own scripts. It can't be operated; the component replaces it.
"""

import json
from functools import lru_cache
from pathlib import Path
from urllib.parse import parse_qs

import streamlit

from explorer.draw.theme import SCALE, Look
from explorer.ui.components.overview.files import PICTURE, picture_files
from explorer.ui.components.overview.payload import picture_data
from explorer.ui.controls import CONTROLS
from explorer.ui.frame import STYLE, text_html, variables
from explorer.ui.overview_text import CLAIM, TITLE
from explorer.ui.state import Screen
from gptcore.config import CONFIGS
from gptcore.identity import Seed
from gptcore.tokenizer import encode

_FONT_FILES = Path(streamlit.__file__).with_name("static") / "static/media"
_READ = ("config", "seed", "prompt", "overview_stop", "overview_block")
_FONTS = {
    "Source Sans": "SourceSansVF-Upright",
    "Source Serif": "SourceSerifVariable-Roman",
    "Source Code Pro": "SourceCodeVF-Upright",
}


def _asked(query: str) -> tuple[Screen, int, str] | None:
    """Return the screen, the open block and the selected operation that an address asks for.

    None if anything in it has to be refused, dropped, cropped or explained: that is for the app.
    """
    held = {key: CONTROLS[key].default for key in _READ}
    for key, values in parse_qs(query, keep_blank_values=True).items():
        if key not in _READ or len(values) > 1:
            return None
        held[key] = CONTROLS[key].parse(values[0])
    cfg, seed, prompt = CONFIGS[str(held["config"])], int(held["seed"]), str(held["prompt"])
    token_ids = tuple(encode(prompt))
    if not 0 < len(token_ids) <= cfg.context_length:
        return None
    now = Screen(cfg, str(held["config"]), seed, Seed(seed), prompt, token_ids, Look())
    return now, min(int(held["overview_block"]), cfg.n_layers - 1), str(held["overview_stop"])


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


@lru_cache(maxsize=32)
def first_paint(query: str) -> str:
    """Return the HTML that draws the picture an address asks for; empty if there is none to draw.

    Args:
        query: The address's query, without the question mark.
    """
    try:
        asked = _asked(query)
    except (ValueError, KeyError):  # a value that the app itself refuses, or fields of a custom one
        asked = None
    if asked is None:
        return ""
    files = picture_files()
    own = {
        name: (Path(__file__).with_name(f"first_paint.{name}")).read_text()
        for name in ("css", "js")
    }
    themes = {
        base: {"css": variables(Look(base)), "scales": SCALE[base]} for base in ("light", "dark")
    }
    return f"""
<style>{_font_faces()}{own["css"]}{STYLE}</style>
<div id="first-paint" class="stMain" aria-hidden="true" inert>
  <div class="stMainBlockContainer">
    <div class="st-key-page-head-in-a-row"><h1>{TITLE}</h1>{text_html("claim", CLAIM)}</div>
    <div class="st-key-{PICTURE}"></div>
  </div>
</div>
<script>{{
{files["js"].replace("export default ", "")}
const html = {in_script(files["html"])}, css = {in_script(files["css"])};
const data = {in_script(picture_data(*asked))};
const themes = {in_script(themes)};
{own["js"]}
}}</script>
"""
