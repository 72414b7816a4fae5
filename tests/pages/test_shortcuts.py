"""The gradient lab and the real blocks."""

import pytest

from explorer.ui import gradient_lab
from tests.pages.conftest import Open, html, notice


def test_the_reference_run_is_the_first_thing_seen_and_ticked(open_app: Open) -> None:
    app = open_app("shortcuts")
    assert "1,099 times larger with shortcuts" in notice(app)
    assert "4.2 times, from 0.0400 to 0.167" in notice(app)
    assert "Over seeds 0 to 49 the median gain is 38." in notice(app)
    checks = html(app).split('class="checks"')[1]
    assert checks.count("✓") == 2
    assert "± 0.001 %" in checks


@pytest.mark.parametrize(
    ("key", "value"), [("shortcuts_layers", 12), ("shortcuts_width", 8), ("shortcuts_seeds", 7)]
)
def test_a_number_changes_what_is_said(key: str, value: int, open_app: Open) -> None:
    app = open_app("shortcuts")
    before = notice(app)
    app.number_input(key=key).set_value(value).run()
    assert not app.exception
    assert notice(app) != before


def test_activation_and_view_change_what_is_said(open_app: Open) -> None:
    app = open_app("shortcuts")
    before = notice(app)
    app.get("button_group")[0].set_value("tanh").run()
    tanh = notice(app)
    assert tanh != before
    app.get("button_group")[1].set_value("factor").run()
    assert "the plain error signal is multiplied by" in notice(app)
    app.get("button_group")[1].set_value("relative").run()
    assert notice(app) == tanh


def test_the_sidebars_seed_is_the_thick_line(open_app: Open) -> None:
    app = open_app("shortcuts")
    app.number_input(key="seed").set_value(7).run()
    assert "Thick lines: seed 7." in html(app)
    assert "1,099" not in notice(app)


def test_dead_networks_get_a_sentence_and_not_a_ratio(open_app: Open) -> None:
    app = open_app("shortcuts", shortcuts_layers="20", shortcuts_activation="relu")
    assert "without shortcuts and" in notice(app)
    app.get("button_group")[1].set_value("factor").run()
    assert not app.exception
    assert "is 0 from the start" in notice(app)


def test_the_page_says_what_shortcuts_do_not_do(open_app: Open) -> None:
    app = open_app("shortcuts", shortcuts_layers="20")
    assert "in 15 of 50 networks with shortcuts (30 %)" in html(app)


def test_the_real_blocks_answer_part_by_part(open_app: Open) -> None:
    app = open_app("shortcuts")
    assert html(app).count("Notice.</b>") == 1
    app.toggle(key="shortcuts_blocks").set_value(True).run()
    assert html(app).count("Notice.</b>") == 2
    said = html(app).split("Notice.</b> ")[2]
    assert "Block 0" in said
    app.get("button_group")[2].set_value("norms").run()
    assert html(app).split("Notice.</b> ")[-1] != said


def test_one_token_leaves_the_lab_and_gets_a_sentence(open_app: Open) -> None:
    app = open_app("shortcuts", prompt="a", shortcuts_blocks="true")
    assert "at least 2 tokens; this one has 1" in html(app)
    assert "1,099" in notice(app)


@pytest.mark.parametrize(
    ("key", "value", "range_said"),
    [
        ("shortcuts_layers", "0", "from 2 to 40"),
        ("shortcuts_width", "1000000000", "from 2 to 64"),
        ("shortcuts_seeds", "many", "from 1 to 50"),
        ("shortcuts_activation", "swish", "one of gelu, relu, tanh"),
    ],
)
def test_a_damaged_link_keeps_the_reference_run(
    key: str, value: str, range_said: str, open_app: Open
) -> None:
    app = open_app("shortcuts", **{key: value})
    assert html(app).count('class="problem"') == 1
    assert range_said in html(app)
    assert "1,099" in notice(app)


def test_ratios_are_said_the_way_round_that_is_above_one() -> None:
    assert gradient_lab.times(1099.2) == "1,099 times larger"
    assert gradient_lab.times(0.25) == "4.000 times smaller"
