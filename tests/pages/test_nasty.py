"""The nasty corpus, put through every page: text stays text, and everything else stays as it was.

Each text goes to a field of one page in turn. `NASTY=all` gives every text to every field of every
page, which takes minutes.
"""

import os
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import parse_qs

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextArea, TextInput

from explorer.ui.controls import CONTROLS, EVERYWHERE, FIELDS
from gptcore.tokenizer import MAX_CHARACTERS
from tests.nasty import ADDRESSES, TEXTS
from tests.pages.conftest import PAGES, ROOT, Open, html
from tests.thorough import mostly_thorough

OPENED = {
    "generate": {
        "generate_tokens": "1",
        "generate_cache_tokens": "2",
        **dict.fromkeys(
            (
                "generate_standing",
                "generate_positions",
                "generate_cropping",
                "generate_comparison",
                "generate_copies",
            ),
            "true",
        ),
    },
    "scaling": {"scaling_view": "compare"},
    "block": {"block_view": "causality"},
}
"""Parts of a page that show what was typed, and are shut or elsewhere at first."""

MODEL_FIELDS = {"config", *(field.key for field in FIELDS)}  # some ask for gigabytes
# They act on the text around them, or end a terminal's line; none may reach the page as it is.
ACTING = [chr(code) for code in (*range(9), *range(0x0E, 0x20), 0x7F, *range(0x202A, 0x202F))]


class Shape(HTMLParser):
    """The tags, classes and attributes of a piece of HTML."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.seen.update(f"{tag} {name}" for name, _ in attrs)

    def handle_decl(self, decl: str) -> None:
        self.seen.add(f"!{decl}")

    handle_pi = unknown_decl = handle_comment = handle_decl


EVERYTHING = os.environ.get("NASTY") == "all"
REFUSED = {"p", "p class", "p role"}
FOLDED = {"li class"}


def interpreted(app: AppTest) -> set[str]:
    """Return every string of a page that Streamlit reads as Markdown."""
    found = {element.value for element in app.markdown}
    for kind in ("button", "toggle", "selectbox", "number_input", "text_input", "text_area"):
        found |= {widget.label for widget in app.get(kind)}
    return found | {block.label for block in app.expander}


def text_fields(app: AppTest) -> Iterator[TextInput | TextArea]:
    yield from (field for field in app.text_area if field.key == "prompt")
    yield from (field for field in (*app.text_area, *app.text_input) if field.key != "prompt")


def assert_nothing_acts(app: AppTest, plain: AppTest, text: str) -> None:
    assert not app.exception, (text, app.exception[0].stack_trace)
    written = html(app)
    assert Shape(written).seen <= Shape(html(plain)).seen | REFUSED | FOLDED, text
    assert written.count('class="link-part"') == html(plain).count('class="link-part"'), text
    assert not [ord(mark) for mark in ACTING if mark in written], text
    assert interpreted(app) <= interpreted(plain), text
    assert "Traceback" not in written


def share(page: str, of: tuple[str, ...]) -> tuple[str, ...]:
    """Return what of the corpus this page gets."""
    if EVERYTHING:
        return of
    return of[PAGES.index(page) :: len(PAGES)]


@pytest.mark.parametrize("page", mostly_thorough(PAGES, PAGES[::3]))
def test_nasty_text_in_every_field_is_shown_as_typed_and_changes_nothing_else(
    page: str, open_app: Open
) -> None:
    plain = open_app(page, seed="7", **OPENED.get(page, {}))
    app = open_app(page, seed="7", **OPENED.get(page, {}))
    texts, n_fields = share(page, TEXTS), len(list(text_fields(app)))
    for first in range(0, len(texts), 1 if EVERYTHING else n_fields):
        typed = [texts[(first + n) % len(texts)] for n in range(n_fields)]
        for field, text in zip(text_fields(app), typed, strict=True):
            field.set_value(text)
        if page == "scaling":
            app.button(key="scaling_use").click()
        app.run()
        assert_nothing_acts(app, plain, repr(typed)[:500])
        assert [field.value for field in text_fields(app)] == typed
        assert app.number_input(key="seed").value == 7
        assert app.selectbox(key="config").value == "gpt-nano"
        assert app.query_params["seed"] == "7"


def open_address(page: str, query: dict[str, list[str]]) -> AppTest:
    app = AppTest.from_file(str(ROOT / "explorer" / "app.py"), default_timeout=120)
    for key, values in query.items():
        app.query_params[key] = values
    app.switch_page(str(ROOT / "pages" / f"{page}.py"))
    return app.run()


def assert_the_link_was_judged(app: AppTest, query: dict[str, list[str]], plain: AppTest) -> None:
    """What was dropped is said and not used; what was not dropped is."""
    assert_nothing_acts(app, plain, str(query)[:200])
    said = html(app)
    for key in ("seed", "projector", "prompt"):
        control, values = CONTROLS[key], query.get(key, [])
        try:
            (value,) = values
            expected = control.parse(value)
        except ValueError:
            expected = control.default
            assert not values or f"“{key}”" in said or "more parts of the link" in said
        if key == "prompt" and len(str(expected)) > MAX_CHARACTERS:
            expected = control.default
        assert app.session_state[key] == expected, (key, values)


@pytest.mark.parametrize("page", mostly_thorough(PAGES, PAGES[1::3]))
def test_a_nasty_address_opens_the_page_and_what_was_dropped_is_not_used(
    page: str, open_app: Open
) -> None:
    plain = open_app(page)
    for address in share(page, ADDRESSES):
        query = parse_qs(address, keep_blank_values=True)
        if page != "scaling" or "config" not in query:
            query["config"] = ["gpt-nano"]
        assert_the_link_was_judged(open_address(page, query), query, plain)


@pytest.mark.parametrize("page", mostly_thorough(PAGES, PAGES[2::3]))
def test_nasty_text_in_every_parameter_is_dropped_or_used_as_the_sentence_says(
    page: str, open_app: Open
) -> None:
    plain = open_app(page)
    own = [control.key for control in CONTROLS.values() if control.page in (EVERYWHERE, page)]
    safe = own if page == "scaling" else [key for key in own if key not in MODEL_FIELDS]
    texts = share(page, TEXTS)
    for index in range(0, len(texts), 1 if EVERYTHING else 8):  # each text to some parameter
        query = {key: [texts[(index + n) % len(texts)]] for n, key in enumerate(safe)}
        if page != "scaling":
            query["config"] = ["gpt-nano"]
        assert_the_link_was_judged(open_address(page, query), query, plain)


@pytest.fixture
def plain(open_app: Open) -> AppTest:
    return open_app("generate")


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=40), key=st.sampled_from(sorted(CONTROLS)))
def test_no_text_in_any_parameter_breaks_a_page(text: str, key: str, plain: AppTest) -> None:
    query = {"config": ["gpt-nano"], "prompt": [text], key: [text]}
    assert_the_link_was_judged(open_address("generate", query), query, plain)
