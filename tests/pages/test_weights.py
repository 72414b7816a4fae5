"""Trained weights on every page, from the operator's folder."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from transformers import GPT2Config, GPT2LMHeadModel

from explorer.ui.weights import MODELS_VARIABLE
from tests.pages.conftest import PAGES, Open, html


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint that works, one of another vocabulary, and one cut short."""
    root = tmp_path_factory.mktemp("models")
    small = {"n_embd": 24, "n_head": 2, "n_layer": 2, "n_positions": 32}
    GPT2LMHeadModel(GPT2Config(**small)).save_pretrained(root / "tiny-gpt2")
    GPT2LMHeadModel(GPT2Config(**small, vocab_size=99)).save_pretrained(root / "other-vocabulary")
    GPT2LMHeadModel(GPT2Config(**small)).save_pretrained(root / "cut-short")
    whole = (root / "cut-short" / "model.safetensors").read_bytes()
    (root / "cut-short" / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    return root


@pytest.fixture
def offered(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MODELS_VARIABLE, str(models))


def choose(app: AppTest, name: str) -> None:
    app.selectbox(key="weights").set_value(name).run()
    assert not app.exception


@pytest.mark.usefixtures("offered")
@pytest.mark.parametrize("page", PAGES)
def test_every_page_works_on_a_checkpoint(page: str, open_app: Open) -> None:
    app = open_app(page)
    choose(app, "tiny-gpt2")
    assert 'class="problem"' not in html(app)
    assert "<b>24</b>" in html(app)  # the sidebar's facts are the checkpoint's


@pytest.mark.usefixtures("offered")
def test_a_checkpoint_of_another_vocabulary_gets_one_sentence(open_app: Open) -> None:
    app = open_app("block")
    choose(app, "other-vocabulary")
    assert "vocabulary of 99 tokens" in html(app)
    assert "The page still shows gpt-nano." in html(app)


@pytest.mark.usefixtures("offered")
def test_a_checkpoint_that_was_cut_short_gets_one_sentence(open_app: Open) -> None:
    app = open_app("block")
    choose(app, "cut-short")
    assert html(app).count('class="problem"') == 1
    assert "damaged" in html(app)
    choose(app, "random")
    assert 'class="problem"' not in html(app)


@pytest.mark.usefixtures("offered")
@pytest.mark.parametrize("name", ["../models", "/etc", "nothing", "tiny-gpt2/.."])
def test_a_link_to_weights_that_are_not_offered_says_so(name: str, open_app: Open) -> None:
    app = open_app("block", weights=name)
    assert "are not offered here" in html(app)
    assert app.selectbox(key="weights").value == "random"


def test_without_a_folder_nothing_is_offered(open_app: Open) -> None:
    app = open_app("block")
    assert all(box.key != "weights" for box in app.selectbox)
