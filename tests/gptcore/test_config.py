"""GPTConfig takes what can be built and names what can't."""

import math
from dataclasses import FrozenInstanceError, asdict, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gptcore import CONFIGS, GPT_CONFIG_124M, GPTConfig

BOOK = {
    "vocab_size": 50257,
    "context_length": 1024,
    "emb_dim": 768,
    "n_heads": 12,
    "n_layers": 12,
    "drop_rate": 0.1,
    "qkv_bias": False,
}
COUNTS = ("vocab_size", "context_length", "emb_dim", "n_heads", "n_layers")
SWITCHES = ("qkv_bias", "tie_weights")
NO_COUNT = [
    0, -1, -(10**30), 1.0, 12.5, True, False, None, "12", "", b"12", math.nan, math.inf, -math.inf,
    np.int64(12), np.int32(12), np.float64(12), 12j, [12], (12,), {},
]  # fmt: skip
NO_RATE = [
    -0.1, 1, 1.0, 1.5, 100, True, False, None, "0.1", math.nan, math.inf, -math.inf,
    np.float64(0.1), np.float32(0.1), np.int64(0), 0j, [0.1],
]  # fmt: skip
NO_SWITCH = [0, 1, None, "True", "", math.nan, np.True_, []]


def test_the_books_dictionary_is_a_configuration() -> None:
    assert GPTConfig(**BOOK) == GPT_CONFIG_124M  # type: ignore[arg-type]
    assert asdict(GPT_CONFIG_124M) == BOOK | {"tie_weights": False}


def test_a_field_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        GPT_CONFIG_124M.n_layers = 13  # type: ignore[misc]


def test_equal_configurations_are_one_key() -> None:
    as_int, as_float = (
        replace(GPT_CONFIG_124M, drop_rate=0),
        replace(GPT_CONFIG_124M, drop_rate=-0.0),
    )
    assert as_int == as_float
    assert hash(as_int) == hash(as_float)
    assert repr(as_int) == repr(as_float)


@pytest.mark.parametrize(
    ("name", "context_length", "emb_dim", "n_heads", "n_layers"),
    [
        ("gpt-nano", 64, 48, 3, 3),
        ("gpt-mini", 256, 192, 6, 6),
        ("gpt2-small", 1024, 768, 12, 12),
        ("gpt2-medium", 1024, 1024, 16, 24),
        ("gpt2-large", 1024, 1280, 20, 36),
        ("gpt2-xl", 1024, 1600, 25, 48),
        ("gpt3-175b", 2048, 12288, 96, 96),
    ],
)
def test_a_preset_has_its_published_size(
    name: str, context_length: int, emb_dim: int, n_heads: int, n_layers: int
) -> None:
    cfg = CONFIGS[name]
    found = (cfg.context_length, cfg.emb_dim, cfg.n_heads, cfg.n_layers, cfg.vocab_size)
    assert found == (context_length, emb_dim, n_heads, n_layers, 50257)


def test_only_gpt3_is_tied_and_biased() -> None:
    assert [name for name, cfg in CONFIGS.items() if cfg.tie_weights] == ["gpt3-175b"]
    assert [name for name, cfg in CONFIGS.items() if cfg.qkv_bias] == ["gpt3-175b"]


@pytest.mark.parametrize("name", ["gpt2-medium", "gpt2-large", "gpt2-xl"])
def test_the_family_changes_only_three_fields(name: str) -> None:
    small = asdict(GPT_CONFIG_124M)
    changed = {field for field, value in asdict(CONFIGS[name]).items() if value != small[field]}
    assert changed == {"emb_dim", "n_heads", "n_layers"}


@pytest.mark.parametrize("field", COUNTS)
@pytest.mark.parametrize("value", NO_COUNT, ids=repr)
def test_a_count_that_is_no_whole_number_of_at_least_one_is_refused(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match="whole number of at least 1") as error:
        GPTConfig(**BOOK | {field: value})
    assert str(error.value).startswith(field)
    assert repr(value) in str(error.value)


@pytest.mark.parametrize("value", NO_RATE, ids=repr)
def test_a_drop_rate_outside_zero_to_one_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^drop_rate .* at least 0 and below 1") as error:
        GPTConfig(**BOOK | {"drop_rate": value})
    assert repr(value) in str(error.value)


@pytest.mark.parametrize("field", SWITCHES)
@pytest.mark.parametrize("value", NO_SWITCH, ids=repr)
def test_a_switch_that_is_no_bool_is_refused(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match="must be True or False") as error:
        GPTConfig(**BOOK | {field: value})
    assert str(error.value).startswith(field)
    assert repr(value) in str(error.value)


@pytest.mark.parametrize(("emb_dim", "n_heads"), [(768, 5), (7, 2), (12, 13), (1, 2)])
def test_heads_that_do_not_divide_the_width_are_refused(emb_dim: int, n_heads: int) -> None:
    with pytest.raises(ValueError, match="emb_dim must be divisible by n_heads") as error:
        GPTConfig(**BOOK | {"emb_dim": emb_dim, "n_heads": n_heads})
    assert f"emb_dim {emb_dim}" in str(error.value)
    assert f"n_heads {n_heads}" in str(error.value)


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(TypeError, match="n_layer"):
        GPTConfig(**BOOK | {"n_layer": 12})  # type: ignore[arg-type]


anything = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.lists(st.integers(), max_size=2)
)


@given(st.dictionaries(st.sampled_from([*BOOK, "tie_weights"]), anything))
def test_any_value_is_either_built_or_refused_with_one_line(fields: dict[str, Any]) -> None:
    refusal = ""
    try:
        cfg = GPTConfig(**BOOK | fields)
    except ValueError as error:
        refusal = str(error)
    if refusal:
        assert "\n" not in refusal
        assert refusal.split()[0] in [*BOOK, "tie_weights"]
    else:
        assert cfg.head_dim * cfg.n_heads == cfg.emb_dim
        assert cfg.hidden_dim == 4 * cfg.emb_dim
        assert 0 <= cfg.drop_rate < 1
