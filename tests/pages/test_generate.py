"""The page that takes greedy steps."""

from tests.pages.conftest import Open, html, notice


def test_a_step_appends_the_winner_and_going_back_removes_it(open_app: Open) -> None:
    app = open_app("generate")
    before = notice(app)
    app.number_input(key="generate_step").set_value(1).run()
    assert html(app).count('class="new"') == 1
    app.number_input(key="generate_step").set_value(0).run()
    assert "new" not in html(app).split("chips")[1]
    assert notice(app) == before
