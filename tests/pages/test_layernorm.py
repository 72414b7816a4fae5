"""One token through a norm."""

import pytest

from tests.pages.conftest import Open, html, notice


def table(html_text: str) -> str:
    return html_text.split('class="figures"')[1].split("</table>")[0]


def test_the_books_example_shows_the_books_moments(open_app: Open) -> None:
    app = open_app("layernorm", layernorm_norm="reference")
    assert "<td>0.132</td><td>0.019</td>" in table(html(app))
    assert "<td>0.000</td><td>0.999</td>" in table(html(app))
    assert "rather than 1 because ε is added" in notice(app)


@pytest.mark.parametrize("norm", ["constant", "0.norm1", "2.norm2", "final_norm"])
def test_every_norm_can_be_chosen(norm: str, open_app: Open) -> None:
    app = open_app("layernorm", layernorm_norm=norm)
    before = table(html(app))
    app.selectbox(key="layernorm_norm").set_value("reference").run()
    assert not app.exception
    assert table(html(app)) != before


def test_the_list_holds_every_norm_of_this_model_and_no_other(open_app: Open) -> None:
    options = open_app("layernorm").selectbox(key="layernorm_norm").options
    assert len(options) == 2 + 2 * 3 + 1
    assert "block 2, norm2" in options
    assert "block 3, norm1" not in options


@pytest.mark.parametrize(
    ("kind", "key", "value"),
    [
        ("selectbox", "layernorm_token", 2),
        ("select_slider", "layernorm_eps", "10"),
        ("slider", "layernorm_gamma", 2.0),
        ("slider", "layernorm_beta", 1.5),
    ],
)
def test_a_control_changes_the_numbers(kind: str, key: str, value: object, open_app: Open) -> None:
    app = open_app("layernorm")
    before = table(html(app))
    getattr(app, kind)(key=key).set_value(value).run()
    assert not app.exception
    assert table(html(app)) != before


def test_the_divisor_and_the_axis_change_the_numbers(open_app: Open) -> None:
    app = open_app("layernorm", layernorm_norm="reference")
    before = table(html(app))
    app.get("button_group")[1].set_value("n-1").run()
    unbiased = table(html(app))
    assert unbiased != before
    app.get("button_group")[1].set_value("n").run()
    app.get("button_group")[0].set_value("batch").run()
    assert table(html(app)) not in (before, unbiased)
    assert "Normalised over its features it changes by 0" in notice(app)


def test_a_larger_batch_changes_the_token_and_says_by_how_much(open_app: Open) -> None:
    app = open_app("layernorm", layernorm_over="batch")
    alone = table(html(app))
    app.get("button_group")[0].set_value("larger").run()
    assert table(html(app)) != alone
    assert "With 8 more rows beside the batch&#x27;s 4" in notice(app)


def test_epsilon_0_with_a_constant_row_gets_one_sentence(open_app: Open) -> None:
    app = open_app("layernorm", layernorm_norm="constant")
    assert "Only ε keeps the division from being 0 / 0" in notice(app)
    app.select_slider(key="layernorm_eps").set_value("0").run()
    assert not app.exception
    assert html(app).count('class="problem"') == 1
    assert "With ε = 0 a constant row divides 0 by √0" in html(app)
    app.select_slider(key="layernorm_eps").set_value("1e-5").run()
    assert 'class="problem"' not in html(app)


def test_a_norm_that_a_smaller_model_lacks_falls_back(open_app: Open) -> None:
    app = open_app("layernorm", config="gpt-mini", layernorm_norm="5.norm1")
    app.selectbox(key="config").set_value("gpt-nano").run()
    assert not app.exception
    assert app.selectbox(key="layernorm_norm").value == "final_norm"


def test_a_damaged_link_names_some_of_many_norms(open_app: Open) -> None:
    app = open_app("layernorm", layernorm_norm="9999.norm1", layernorm_eps="-1")
    assert html(app).count('class="problem"') == 2
    assert "more; it was dropped" in html(app)
