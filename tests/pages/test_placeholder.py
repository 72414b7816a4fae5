"""The page on which the model is put together."""

from explorer.measure.parts import PART_NAMES
from explorer.ui.show import CODE
from tests.pages.conftest import Open, html, notice


def test_the_shell_has_the_right_shape_and_not_the_mathematics(open_app: Open) -> None:
    said = html(open_app("placeholder"))
    assert "(2, 4, 50,257) ✓" in said
    assert "off the finished model's" in said.replace("&#x27;", "'")


def test_every_switch_keeps_the_shapes_and_the_last_one_makes_the_model(open_app: Open) -> None:
    app = open_app("placeholder")
    for part in PART_NAMES:
        assert "✗" in html(app)
        app.toggle(key=f"placeholder_{part}").set_value(True).run()
        assert not app.exception
        assert "(2, 4, 50,257) ✓" in html(app)
    assert "equal to the finished model's ✓" in html(app)
    app.session_state[CODE] = True
    assert "LayerNorm" in "".join(code.value for code in app.run().code)


def test_the_notice_compares_with_the_parts_before_the_last_switch(open_app: Open) -> None:
    app = open_app("placeholder")
    app.toggle(key="placeholder_attention").set_value(True).run()
    first = notice(app)
    app.toggle(key="placeholder_attention").set_value(False).run()
    there, back = (text.split("parameters from ")[1].split(".")[0] for text in (first, notice(app)))
    assert there.split(" to ") == back.split(" to ")[::-1]


def test_sentences_of_unequal_length_get_one_sentence_and_change_nothing(open_app: Open) -> None:
    app = open_app("placeholder")
    app.text_input(key="placeholder_second").set_value("Every day holds a surprise").run()
    assert "sentence 1 has 5" in html(app)
    assert "(2, 4, 50,257) ✓" in html(app)
    app.text_input(key="placeholder_first").set_value("Every single effort moves you").run()
    assert 'class="problem"' not in html(app)
    assert "(2, 5, 50,257) ✓" in html(app)


def test_an_empty_sentence_and_one_beyond_the_context_are_refused(open_app: Open) -> None:
    app = open_app("placeholder")
    app.text_input(key="placeholder_first").set_value("").run()
    assert "is empty" in html(app)
    app.text_input(key="placeholder_first").set_value("a " * 65).run()
    app.text_input(key="placeholder_second").set_value("a " * 65).run()
    assert "the context holds 64" in html(app)
    assert not app.exception


def test_both_broken_parts_show_their_own_error(open_app: Open) -> None:
    shown = html(open_app("placeholder"))
    assert "must match the size of tensor" in shown
    assert "is invalid for input of size" in shown
