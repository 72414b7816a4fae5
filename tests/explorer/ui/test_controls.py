"""What a link may hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.ui.controls import CONTROLS, EVERYWHERE, Choice, Control, Real, Switch, Whole
from tests.nasty import TEXTS


@pytest.mark.parametrize("key", CONTROLS)
def test_every_default_survives_being_written_and_read(key: str) -> None:
    control = CONTROLS[key]
    assert control.parse(control.write(control.default)) == control.default


def test_every_page_control_is_named_after_its_page() -> None:
    for control in CONTROLS.values():
        if control.page != EVERYWHERE:
            assert control.key.startswith(f"{control.page}_"), control.key


@pytest.mark.parametrize(
    ("control", "text", "allowed"),
    [
        (Whole("n", "", 1, 1, 9), "10", "from 1 to 9"),
        (Whole("n", "", 1, 1, 9), "0", "from 1 to 9"),
        (Whole("n", "", 1, 1, 9), "1.5", "whole number"),
        (Whole("n", "", 1, 1, 9), "٣", "whole number"),
        (Whole("n", "", 1, 1, 9), "", "whole number"),
        (Whole("n", "", 1, 1, 9), "--1", "whole number"),
        (Whole("n", "", 1, 1, 9), "9" * 10_000, "whole number"),
        (Real("x", "", 0.5, 0.0, 1.0), "nan", "from 0 to 1"),
        (Real("x", "", 0.5, 0.0, 1.0), "inf", "from 0 to 1"),
        (Real("x", "", 0.5, 0.0, 1.0), "a", "from 0 to 1"),
        (Switch("s", "", False), "yes", "true or false"),
        (Choice("c", "", "a", ("a", "b")), "z", "a, b"),
        (Control("t", "", ""), "a" * 100_001, "100,000"),
    ],
)
def test_a_damaged_value_is_refused_with_what_is_allowed(
    control: Control, text: str, allowed: str
) -> None:
    with pytest.raises(ValueError, match=allowed):
        control.parse(text)


@pytest.mark.parametrize("key", CONTROLS)
def test_nasty_text_is_refused_or_survives_being_written_and_read(key: str) -> None:
    control = CONTROLS[key]
    for text in TEXTS:
        try:
            value = control.parse(text)
        except ValueError:
            continue
        assert type(value) is type(control.default), text
        assert control.parse(control.write(value)) == value, text


@given(st.text(max_size=30))
def test_no_text_at_all_raises_anything_but_a_value_error(text: str) -> None:
    for control in CONTROLS.values():
        try:
            value = control.parse(text)
        except ValueError:
            continue
        assert isinstance(value, type(control.default))
