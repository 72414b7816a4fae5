"""The activation as a gate, and the feed-forward on a prompt."""

from tests.pages.conftest import Open, html, notice


def test_x_is_read_off_every_curve(open_app: Open) -> None:
    app = open_app("gelu")
    assert "At x = 1.00" in html(app)
    assert "<td>0.8412</td><td>1.0830</td>" in html(app)
    app.slider(key="gelu_x").set_value(-1.0).run()
    assert "At x = −1.00" in html(app)
    assert "<td>−0.1588</td>" in html(app)
    assert "<td>0.0000</td>" in html(app)


def test_the_minimum_and_the_saturated_tail_are_said(open_app: Open) -> None:
    said = notice(open_app("gelu"))
    assert "−0.17004 at x = −0.75246" in said
    assert "the float32 gradient reads 0" in said


def near_zero(html_text: str) -> str:
    return html_text.split("Notice.</b> ")[2].split("</p>")[0]


def test_block_and_threshold_change_what_is_near_zero(open_app: Open) -> None:
    app = open_app("gelu")
    before = near_zero(html(app))
    assert "In block 0" in before
    app.select_slider(key="gelu_threshold").set_value("0.5").run()
    wider = near_zero(html(app))
    assert "nearer to 0 than 0.5" in wider
    app.number_input(key="gelu_block").set_value(2).run()
    assert not app.exception
    assert "In block 2" in near_zero(html(app))


def test_each_position_is_transformed_on_its_own_and_attention_mixes(open_app: Open) -> None:
    assert "it transforms each position on its own" in html(open_app("gelu", gelu_positions="true"))
    assert "One token has no other order" in html(
        open_app("gelu", prompt="a", gelu_positions="true")
    )


def test_the_widths_count_this_configuration(open_app: Open) -> None:
    said = html(open_app("gelu"))
    assert "<td>(1, 4, 192)</td><td>(1, 4, 48)</td><td>18,672</td><td>1.00 ×</td>" in said
    assert "<td>(1, 4, 48)</td><td>(1, 4, 48)</td><td>4,704</td>" in said


def test_the_small_case_is_printed_in_full(open_app: Open) -> None:
    said = html(open_app("gelu"))
    for shape in (
        "x (1, 2, 4)",
        "first layer (1, 2, 16)",
        "GELU (1, 2, 16)",
        "second layer (1, 2, 4)",
    ):
        assert shape in said
    assert "W₂ · W₁, (4, 16) · (16, 4) = (4, 4)" in said


def test_a_block_that_is_not_there_is_clamped(open_app: Open) -> None:
    app = open_app("gelu", gelu_block="99")
    assert "In block 2" in near_zero(html(app))
