"""Trained weights on every page, from the operator's folder, and against random ones."""

import json
import re
from pathlib import Path

import pytest
import torch
from streamlit.testing.v1 import AppTest

from explorer.measure.summary import over_tokens, pass_summary
from explorer.ui.options import MODELS_VARIABLE
from gptcore import build_model, encode, generate_greedy, load_gpt2
from tests.made_checkpoints import BROKEN, HALF_DOWNLOADED, SOUND, TOO_LARGE
from tests.pages.conftest import PAGES, Open, figures, html, notice

PROMPT = "Hello, I am"


@pytest.fixture
def offered(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MODELS_VARIABLE, str(models))


def choose(app: AppTest, name: str, key: str = "weights") -> AppTest:
    app.selectbox(key=key).set_value(name).run()
    assert not app.exception
    return app


def problems(app: AppTest) -> list[str]:
    return re.findall(r'<p class="problem"[^>]*>(.*?)</p>', html(app))


def link(app: AppTest) -> str:
    """Return what "Copy link" would copy: the sidebar's part and the page's."""
    (copied,) = [e for e in app.get("bidi_component") if e.proto.component_name == "copy_link"]
    page = re.findall(r'data-query="([^"]*)"', html(app))[-1]
    return f"{json.loads(copied.proto.json)['query']}&{page}".replace("&amp;", "&")


# In the sidebar


@pytest.mark.usefixtures("offered")
@pytest.mark.parametrize("name", SOUND)
@pytest.mark.parametrize("page", PAGES)
def test_every_page_works_on_a_checkpoint(page: str, name: str, open_app: Open) -> None:
    app = choose(open_app(page), name)
    assert not problems(app)
    assert "<b>24</b>" in html(app)  # the sidebar's facts are the checkpoint's
    assert f"weights={name}" in link(app)


@pytest.mark.usefixtures("offered")
def test_a_trained_shift_is_multiplied_and_an_untrained_one_added_to(open_app: Open) -> None:
    def shift_sliders(app: AppTest) -> set[str | None]:
        return {slider.label for slider in app.slider if slider.label.startswith("β")}

    app = open_app("layernorm", weights="tiny-gpt2")
    assert shift_sliders(app) == {"β times"}
    choose(app, "reference", "layernorm_norm")
    assert shift_sliders(app) == {"β plus"}
    choose(app, "random")
    assert shift_sliders(app) == {"β plus"}


@pytest.mark.usefixtures("offered")
def test_a_link_to_a_checkpoint_opens_with_what_it_fixes_switched_off(open_app: Open) -> None:
    app = open_app("block", weights="tiny-gpt2", config="custom", emb_dim="48", n_heads="3")
    assert app.selectbox(key="config").disabled
    assert app.number_input(key="seed").disabled
    assert all(field.key != "emb_dim" for field in app.number_input)
    assert not problems(app)
    choose(app, "random")
    assert not app.selectbox(key="config").disabled


@pytest.mark.usefixtures("offered")
def test_only_what_is_downloaded_whole_is_offered(open_app: Open) -> None:
    options = open_app("block").selectbox(key="weights").options
    assert HALF_DOWNLOADED not in options
    assert options == ["random (seed)", *sorted([*SOUND, *BROKEN, TOO_LARGE])]


@pytest.mark.usefixtures("offered")
@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_used_gets_one_sentence_and_everything_else_stays(
    name: str, open_app: Open, models: Path
) -> None:
    app = open_app("block")
    shown = notice(app)
    choose(app, name)
    (said,) = problems(app)
    assert BROKEN[name] in said.replace("&#x27;", "'")
    assert "The page still shows gpt-nano." in said
    assert str(models) not in html(app)  # viewers aren't told where it lies
    assert notice(app) == shown
    assert "&weights=" not in link(app)
    assert not problems(choose(app, "random"))


@pytest.mark.usefixtures("offered")
def test_after_a_good_checkpoint_a_broken_one_leaves_the_good_one_and_its_link(
    open_app: Open,
) -> None:
    app = choose(open_app("block"), "tiny-gpt2")
    shown = notice(app)
    choose(app, "cut-short")
    assert "The page still shows tiny-gpt2." in problems(app)[0]
    assert notice(app) == shown
    assert "weights=tiny-gpt2" in link(app)


@pytest.mark.usefixtures("offered")
@pytest.mark.parametrize("page", PAGES)
def test_a_checkpoint_too_large_is_refused_with_figures_and_still_counted(
    page: str, open_app: Open
) -> None:
    app = choose(open_app(page), TOO_LARGE)
    assert "<b>12,288</b>" in html(app)
    said = problems(app)
    assert len(set(said)) <= 1  # LayerNorm says it in a closed part too
    assert all("needs" in sentence and "GiB of memory to run" in sentence for sentence in said)
    assert said or page not in ("block", "generate")


@pytest.mark.usefixtures("offered")
def test_what_is_damaged_after_it_was_chosen_gets_a_sentence_too(
    open_app: Open, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    shutil.copytree(models / "tiny-gpt2", tmp_path / "later")
    monkeypatch.setenv(MODELS_VARIABLE, str(tmp_path))
    app = choose(open_app("gelu"), "later")  # looks at the headers, and here at the weights
    file = tmp_path / "later" / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1])
    from explorer.ui import cache

    cache._models.cache_clear()
    cache._tables.make_room(cache.TABLE_BUDGET_BYTES)
    app.run()
    assert problems(app) == ["later/model.safetensors is damaged or no safetensors file"]


@pytest.mark.usefixtures("offered")
@pytest.mark.parametrize("name", ["../models", "/etc", "nothing", "tiny-gpt2/.."])
def test_a_link_to_weights_that_are_not_offered_says_so(name: str, open_app: Open) -> None:
    app = open_app("block", weights=name)
    assert "are not offered here" in html(app)
    assert app.selectbox(key="weights").value == "random"


def test_without_a_folder_nothing_is_offered(open_app: Open) -> None:
    for page in ("block", "generate"):
        app = open_app(page, block_view="what_if", generate_comparison="true")
        assert not any("weights" in str(box.key) for box in app.selectbox)
        assert "random against trained" not in [o for box in app.selectbox for o in box.options]


# What if


def what_if(open_app: Open, **query: str) -> AppTest:
    return open_app("block", block_view="what_if", block_change="weights", **query)


@pytest.mark.usefixtures("offered")
def test_random_weights_are_compared_with_a_checkpoints_in_its_own_shapes(
    open_app: Open, models: Path
) -> None:
    app = what_if(open_app, block_b_weights="tiny-gpt2", seed="7")
    assert not problems(app)
    trained = load_gpt2(models / "tiny-gpt2")
    random = build_model(trained.cfg, 7)
    ids = tuple(encode(PROMPT))
    a, b = (over_tokens(pass_summary(m, ids).stream)[-1, 1] for m in (random, trained))
    (factor,) = re.findall(r"([\d.,]+) times (?:smaller|larger)", notice(app))
    assert float(factor) == pytest.approx(max(a, b) / min(a, b), rel=0.01)
    assert "With the weights of tiny-gpt2, the standard deviation" in notice(app)
    assert f"is {b:.3f}"[:8] in notice(app)
    assert "the configuration of tiny-gpt2 rather than gpt-nano" in html(app)
    assert "emb_dim 24, 2 heads, 2 blocks, context 32" in html(app)
    assert "A has random weights of seed 7, B the weights of tiny-gpt2" in html(app)
    assert len(figures(app)) == 2


@pytest.mark.usefixtures("offered")
def test_a_checkpoint_is_compared_with_random_weights_of_any_seed(open_app: Open) -> None:
    app = what_if(open_app, weights="tiny-gpt2")
    assert "With random weights of seed 123" in notice(app)
    app.number_input(key="block_b_seed").set_value(9).run()
    assert "With random weights of seed 9" in notice(app)
    assert "rather than" not in html(app)
    assert "block_change=weights" in link(app)
    assert "block_b_seed=9" in link(app)


@pytest.mark.usefixtures("offered")
def test_the_change_stays_when_the_sidebar_turns_a_and_b_around(open_app: Open) -> None:
    app = what_if(open_app)
    assert app.selectbox(key="block_b_weights").value == sorted([*SOUND, *BROKEN, TOO_LARGE])[0]
    choose(app, "sharded", "block_b_weights")
    there = float(re.findall(r"is ([\d.]+) instead of", notice(app))[0])
    choose(app, "sharded")
    assert app.selectbox(key="block_change").value == "weights"
    back = re.findall(r"instead of ([\d.]+)", notice(app))[0].rstrip(".")
    assert float(back) == there
    choose(app, "random")
    assert app.selectbox(key="block_b_weights").value == "sharded"


@pytest.mark.usefixtures("offered")
@pytest.mark.parametrize("name", BROKEN)
def test_b_that_cannot_be_used_gets_one_sentence_and_the_controls_stay(
    name: str, open_app: Open
) -> None:
    app = what_if(open_app, block_b_weights=name)
    assert len(problems(app)) == 1
    assert BROKEN[name] in problems(app)[0].replace("&#x27;", "'")
    choose(app, "tiny-gpt2", "block_b_weights")
    assert not problems(app)
    app = open_app("generate", generate_comparison="true", generate_b_weights=name)
    assert len(problems(app)) == 1
    assert BROKEN[name] in problems(app)[0].replace("&#x27;", "'")


@pytest.mark.usefixtures("offered")
def test_b_that_is_too_large_is_refused_with_figures(open_app: Open) -> None:
    app = what_if(open_app, block_b_weights=TOO_LARGE)
    assert "GiB of memory to run" in problems(app)[0]
    app = open_app("generate", generate_comparison="true", generate_b_weights=TOO_LARGE)
    assert "GiB of memory to run" in problems(app)[0]


@pytest.mark.usefixtures("offered")
def test_a_link_to_a_b_that_is_not_offered_says_so_once(open_app: Open) -> None:
    app = what_if(open_app, block_b_weights="gone")
    assert problems(app)[0].startswith("The weights “gone” are not offered here; B has ")
    choose(app, "tiny-gpt2", "block_b_weights")
    assert not problems(app)
    app = open_app("generate", generate_comparison="true", generate_b_weights="gone")
    (said,) = problems(app)
    assert said == "The weights “gone” are not offered here; B has random (seed) instead."
    app.run()
    assert not problems(app)


def test_a_link_to_trained_weights_where_none_are_offered_says_so(open_app: Open) -> None:
    app = what_if(open_app, block_b_weights="tiny-gpt2")
    assert problems(app) == ["No trained weights are offered here; post-LN is compared instead."]
    assert "With post-LN" in notice(app)
    app = open_app("generate", generate_comparison="true", generate_b_weights="tiny-gpt2")
    assert "The weights “tiny-gpt2” are not offered here" in problems(app)[0]
    assert "The runs first differ" in notice(app)


@pytest.mark.usefixtures("offered")
def test_a_prompt_longer_than_the_checkpoints_context_is_cropped_for_both(open_app: Open) -> None:
    app = what_if(open_app, block_b_weights="tiny-gpt2", prompt="word " * 40)
    assert "(the last 32 of 41 tokens)" in html(app)
    assert not problems(app)


# Two runs


def rows(app: AppTest) -> list[list[int]]:
    frame = next(table.value for table in app.dataframe if "token_b" in table.value)
    return [frame[column].tolist() for column in ("token_a", "token_b")]


@pytest.mark.usefixtures("offered")
def test_a_random_run_is_compared_with_a_checkpoints_in_its_own_shapes(
    open_app: Open, models: Path
) -> None:
    from explorer.measure import token_text

    app = open_app("generate", generate_comparison="true", generate_b_weights="tiny-gpt2")
    assert not problems(app)
    trained = load_gpt2(models / "tiny-gpt2")
    prompt = encode(PROMPT)
    for model, row in zip((build_model(trained.cfg, 123), trained), rows(app), strict=True):
        new = generate_greedy(model, prompt, 10)[len(prompt) :]
        assert [token_text(token_id) for token_id in new] == row
    assert "the configuration of tiny-gpt2 rather than gpt-nano" in html(app)
    assert "A, random weights of seed 123" in html(app)
    assert "B, the weights of tiny-gpt2" in html(app)
    assert all(box.key != "generate_b_config" for box in app.selectbox)
    with torch.no_grad():
        first = trained(torch.tensor([prompt]))[0, -1].softmax(-1).max().item()
    frame = next(table.value for table in app.dataframe if "token_b" in table.value)
    assert frame["probability_b"][0] == pytest.approx(first, rel=1e-4)
    assert "the mean over 10 steps" in notice(app)


@pytest.mark.usefixtures("offered")
def test_a_checkpoints_run_is_compared_with_random_weights_and_with_another_checkpoint(
    open_app: Open,
) -> None:
    app = open_app("generate", generate_comparison="true", weights="tiny-gpt2")
    assert "A has the weights of tiny-gpt2, B random weights of seed 124" in html(app)
    choose(app, "tiny-gpt2", "generate_b_weights")
    assert "All 10 tokens are the same in both runs." in notice(app)
    choose(app, "sharded", "generate_b_weights")
    assert not problems(app)
    assert "B, the weights of sharded" in html(app)
    assert "generate_b_weights=sharded" in link(app)
