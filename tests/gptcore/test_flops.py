"""FLOPs counted from the configuration are those of the model's real matrix products."""

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from gptcore import CONFIGS, GPT_CONFIG_124M, GPTConfig, GPTModel, count_parameters
from gptcore.flops import backward_flops, forward_flops
from gptcore.gradients import parameter_gradients
from tests.gptcore.test_counting import small_configs


def per_token(cfg: GPTConfig, n_tokens: int) -> int:
    return sum(forward_flops(cfg, n_tokens).values())


@pytest.mark.parametrize("cfg", [CONFIGS["gpt-nano"], replace(CONFIGS["gpt-mini"], qkv_bias=True)])
@pytest.mark.parametrize("tie_weights", [False, True])
def test_forward_and_backward_are_what_torchs_flop_counter_counts(
    cfg: GPTConfig, tie_weights: bool
) -> None:
    cfg, t, batch = replace(cfg, tie_weights=tie_weights), 33, 2
    model, ids = GPTModel(cfg), torch.randint(cfg.vocab_size, (batch, t))
    with FlopCounterMode(display=False) as forward:
        loss = F.cross_entropy(model(ids).flatten(0, 1), ids.flatten())
    assert forward.get_total_flops() == batch * t * per_token(cfg, t)
    with FlopCounterMode(display=False) as backward:
        parameter_gradients(model, loss)
    assert backward.get_total_flops() == batch * t * sum(backward_flops(cfg, t).values())


@given(small_configs(), st.integers(1, 12))
@settings(max_examples=25)
def test_every_small_models_forward_is_what_torchs_flop_counter_counts(
    cfg: GPTConfig, n_tokens: int
) -> None:
    n_tokens = min(n_tokens, cfg.context_length)
    with torch.device("meta"):
        model, ids = GPTModel(cfg), torch.zeros(1, n_tokens, dtype=torch.int64)
    with FlopCounterMode(display=False) as seen:
        model(ids)
    assert seen.get_total_flops() == n_tokens * per_token(cfg, n_tokens)


@pytest.mark.parametrize(
    ("tie_weights", "n_tokens", "ratio"),
    [(False, 4, 0.758), (False, 1024, 0.874), (True, 4, 0.994), (True, 1024, 1.145)],
)
def test_small_over_two_n_is_the_spec_s_ratio(
    tie_weights: bool, n_tokens: int, ratio: float
) -> None:
    cfg = replace(GPT_CONFIG_124M, tie_weights=tie_weights)
    n = sum(count_parameters(cfg).values())
    assert round(per_token(cfg, n_tokens) / (2 * n), 3) == ratio


@given(small_configs(), st.integers(1, 100))
def test_tying_saves_no_flops(cfg: GPTConfig, n_tokens: int) -> None:
    tied, untied = (replace(cfg, tie_weights=tie) for tie in (True, False))
    assert forward_flops(tied, n_tokens) == forward_flops(untied, n_tokens)
