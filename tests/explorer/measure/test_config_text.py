"""Configurations as text: what is written can be read, and nothing that is read is evaluated."""

import contextlib
import json
import time
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.measure.config_text import (
    MAX_TEXT,
    as_book_dict,
    as_call,
    as_json,
    read_config,
    read_pins,
    write_pins,
)
from gptcore import CONFIGS, GPT_CONFIG_124M, GPTConfig
from tests.gptcore.test_counting import small_configs

BOOK = """GPT_CONFIG_124M = {
    "vocab_size": 50257,    # Vocabulary size
    "context_length": 1024, # Context length
    "emb_dim": 768,         # Embedding dimension
    "n_heads": 12,          # Number of attention heads
    "n_layers": 12,         # Number of layers
    "drop_rate": 0.1,       # Dropout rate
    "qkv_bias": False       # Query-Key-Value bias
}"""
HUGGING_FACE = {
    "activation_function": "gelu_new",
    "architectures": ["GPT2LMHeadModel"],
    "layer_norm_epsilon": 1e-05,
    "model_type": "gpt2",
    "n_ctx": 1024,
    "n_embd": 1024,
    "n_head": 16,
    "n_layer": 24,
    "n_positions": 1024,
    "resid_pdrop": 0.1,
    "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}},
    "vocab_size": 50257,
}


@given(small_configs())
def test_every_way_of_writing_a_configuration_can_be_read(cfg: GPTConfig) -> None:
    for written in (as_json(cfg), as_book_dict(cfg), as_call(cfg)):
        assert read_config(written) == cfg


@given(small_configs())
def test_what_is_written_as_python_is_python_of_the_same_value(cfg: GPTConfig) -> None:
    assert eval(as_call(cfg), {"GPTConfig": GPTConfig}) == cfg
    scope: dict[str, object] = {}
    exec(as_book_dict(cfg), scope)
    assert scope["GPT_CONFIG"] == asdict(cfg)


@given(st.lists(small_configs(), max_size=4))
def test_pins_survive_a_link(configs: list[GPTConfig]) -> None:
    assert read_pins(write_pins(configs)) == configs


def test_the_books_own_dict_is_read_with_its_comments() -> None:
    assert read_config(BOOK) == GPT_CONFIG_124M


def test_a_hugging_face_config_json_is_read() -> None:
    expected = replace(CONFIGS["gpt2-medium"], qkv_bias=True, tie_weights=True)
    assert read_config(json.dumps(HUGGING_FACE)) == expected


def test_another_models_config_json_is_refused() -> None:
    with pytest.raises(ValueError, match="model_type must be 'gpt2'; got 'llama'"):
        read_config(json.dumps(HUGGING_FACE | {"model_type": "llama"}))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "nothing was pasted"),
        ("  \n ", "nothing was pasted"),
        ("x" * (MAX_TEXT + 1), "at most 20,000 characters"),
        ("hello", "must be a Python dict"),
        ("[1, 2]", "JSON object; got list"),
        ("{}", "are missing"),
        ('{"emb_dim": 768}', "the fields vocab_size, context_length, .* are missing"),
        (BOOK.replace("emb_dim", "embdim"), "unknown field 'embdim'"),
        (BOOK.replace("12,", "12 * 1,"), "can't read"),
        (BOOK.replace("False", "not True"), "can't read"),
        (BOOK.replace("50257", "__import__('os').getpid()"), "can't read"),
        (BOOK.replace("50257", "9" * 50), "at most 30 characters"),
        (BOOK.replace("n_layers", "n_heads"), "n_heads is given twice"),
        (BOOK.replace("50257", "'50257'"), "vocab_size must be a whole number"),
        (BOOK.replace("50257", "None"), "vocab_size must be a whole number"),
        (BOOK.replace("768", "770"), "divisible by n_heads"),
        (BOOK.replace("0.1", "1e999"), "drop_rate must be"),
        ('{"emb_dim": ' + "9" * 5000 + "}", "too large a value"),
        ("[" * 15_000, "too large a value|must be a Python dict"),
        ("{" * 15_000 + "}" * 15_000, "can't read|at most 20,000"),
    ],
)
def test_what_can_not_be_read_is_refused_with_the_reason(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read_config(text)


@given(st.text(max_size=300))
def test_any_text_is_a_configuration_or_a_value_error(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert isinstance(read_config(text), GPTConfig)


@pytest.mark.parametrize("character", [" ", "\n", "a", "'", "#", "(", "{", "1", ",", "_", "a="])
def test_no_text_makes_the_reader_slow(character: str) -> None:
    for text in (character * 9_000, "{" + character * 9_000 + "}"):
        start = time.perf_counter()
        with pytest.raises(ValueError, match=r"\w"):
            read_config(text)
        assert time.perf_counter() - start < 1


@pytest.mark.parametrize(
    "text", ["1", "1_2_3", "0_1_1_1_1_0.1_0_0", "5_1_4_3_1_0.1_0_0", ",", "a" * 10_000]
)
def test_damaged_pins_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_pins(text)


def test_a_fifth_pin_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 4"):
        read_pins(write_pins([GPT_CONFIG_124M] * 5))
