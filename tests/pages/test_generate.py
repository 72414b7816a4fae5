"""The page that takes greedy steps."""

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from gptcore import CONFIGS, build_model, encode, generate_greedy
from tests.pages.conftest import Open, html, notice


def sent(app: AppTest) -> Any:
    """Return what the page sends to the stepper in the browser."""
    (stepper,) = [e for e in app.get("bidi_component") if e.proto.component_name == "stepper"]
    return json.loads(stepper.proto.json)


def completed(app: AppTest) -> Any:
    """Ask for more, as the browser does, until the run is complete."""
    while len(sent(app)["steps"]) <= sent(app)["wanted"]:
        app.session_state["_generate_asked_for_more"] = True
        app.run()
    return sent(app)


def test_the_browser_gets_the_greedy_run_and_one_prediction_more(open_app: Open) -> None:
    data = completed(open_app("generate", generate_tokens="5"))
    prompt = encode("Hello, I am")
    expected = generate_greedy(build_model(CONFIGS["gpt-nano"], 123), prompt, 6)
    assert data["prompt"] == prompt
    assert [step["token"] for step in data["steps"]] == expected[len(prompt) :]
    assert len(data["notices"]) == 6
    assert all(len(sentence.split()) <= 40 for sentence in data["notices"])


def test_without_being_asked_a_run_that_has_begun_is_not_computed_further(open_app: Open) -> None:
    app = open_app("generate", seed="4711", generate_tokens="200")
    n_steps = len(sent(app)["steps"])
    assert 1 <= n_steps <= 200
    app.run()
    assert len(sent(app)["steps"]) == n_steps


def test_controls_change_how_many_tokens_candidates_and_the_scale(open_app: Open) -> None:
    app = open_app("generate")
    data = sent(app)
    assert (data["wanted"], len(data["steps"][0]["ids"]), data["log"]) == (10, 10, False)
    app.number_input(key="generate_tokens").set_value(12).run()
    app.number_input(key="generate_top_k").set_value(50).run()
    app.get("button_group")[0].set_value("log").run()
    data = sent(app)
    assert (data["wanted"], len(data["steps"][0]["ids"]), data["log"]) == (12, 50, True)


def test_a_link_to_a_step_opens_there(open_app: Open) -> None:
    app = open_app("generate", generate_step="3")
    assert sent(app)["step"] == 3
    assert "generate_step=3" in html(app)


def test_tied_with_pytorchs_initialisation_it_says_why_it_echoes(open_app: Open) -> None:
    app = open_app("generate", config="custom", emb_dim="768", n_layers="1", tie_weights="true")
    data = sent(app)
    assert data["steps"][0]["token"] == data["prompt"][-1]
    assert data["steps"][0]["entropy"] < 0.01
    assert "echoes the last token" in data["notices"][0]


def test_an_untrained_model_is_said_to_be_close_to_even(open_app: Open) -> None:
    said = sent(open_app("generate"))["notices"][0]
    assert "close to an even draw" in said
    assert "nonsense is the correct result" in said


def test_what_fell_off_the_context_is_counted(open_app: Open) -> None:
    data = sent(open_app("generate", prompt="word " * 100))
    assert len(data["prompt"]) == data["context"] == 64
    assert data["dropped"] == len(encode("word " * 100)) - 64


def test_parts_of_a_character_are_shown_as_bytes(open_app: Open) -> None:
    data = sent(open_app("generate", prompt="🤖"))
    texts = [data["texts"][str(token_id)] for token_id in data["prompt"]]
    assert len(texts) > 1
    assert texts[0].startswith("\\xf0")
    assert not any("\ufffd" in text for text in data["texts"].values())


def test_any_token_is_found_by_typing_it(open_app: Open) -> None:
    app = open_app("generate", generate_standing="true")
    assert "“·you” has rank" in notice(app)
    app.text_input(key="generate_asked").set_value("<b>").run()
    assert "“&lt;” has rank" in notice(app)
    app.text_input(key="generate_asked").set_value("").run()
    assert "Type at least one character" in html(app)


def test_every_position_predicts_one_row_a_position(open_app: Open) -> None:
    app = open_app("generate", generate_positions="true")
    frame = next(table.value for table in app.dataframe if "predicted" in table.value)
    assert frame["token"].tolist() == ["Hello", ",", "·I", "·am"]
    assert "is ranked best" in notice(app)


def test_one_token_of_prompt_has_nothing_that_really_follows(open_app: Open) -> None:
    app = open_app("generate", prompt="a", generate_positions="true", generate_cropping="true")
    assert "is ranked best" not in html(app)


def test_both_loops_are_counted_and_timed_and_give_the_same_tokens(open_app: Open) -> None:
    app = open_app("generate", generate_cache="true", generate_cache_tokens="6")
    assert "6 tokens: 39 positions read without a cache, 9 with" in notice(app)
    app.button(key="generate_race").click().run()
    assert "The same 6 tokens in both loops: ✓" in html(app)


def test_a_shorter_window_is_compared_with_the_whole_prompt(open_app: Open) -> None:
    app = open_app("generate", generate_cropping="true")
    assert "Reading only the last token" in notice(app)
    assert "position 0 again" in html(app)


def test_another_seed_differs_and_the_same_one_does_not(open_app: Open) -> None:
    app = open_app("generate", generate_comparison="true")
    assert "The runs first differ at step 1" in notice(app)
    assert "class=new" in html(app)
    app.number_input(key="generate_b_seed").set_value(123).run()
    assert "All 10 tokens are the same in both runs." in html(app)
    app.text_input(key="generate_b_prompt").set_value("Tea").run()
    assert "The runs first differ at step" in html(app)
    app.selectbox(key="generate_b_config").set_value("gpt3-175b").run()
    assert "needs" in html(app).split('class="problem"')[1]


def test_the_run_can_be_taken_away_as_text_table_and_script(open_app: Open) -> None:
    app = open_app("generate", generate_copies="true", generate_tokens="3")
    completed(app)
    text, script = (code.value for code in app.code[:2])
    assert text.startswith("Hello, I am")
    assert "generate_greedy(model, prompt, max_new_tokens=3)" in script
    frame = next(table.value for table in app.dataframe if "entropy" in table.value)
    assert frame["step"].tolist() == [1, 2, 3]


@pytest.mark.golden
def test_the_chapters_run_is_ticked_by_itself(open_app: Open) -> None:
    app = open_app("generate", config="gpt2-small")
    completed(app)
    assert "ten greedy tokens" in html(app)
    assert "✗" not in html(app)
    assert not [button for button in app.button if "Recompute" in button.label]
