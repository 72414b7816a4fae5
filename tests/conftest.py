"""Models that several tests look at; a shared one is never changed."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, settings

from gptcore import GPT_CONFIG_124M, GPTConfig, GPTModel, build_model

os.environ["HF_HUB_OFFLINE"] = "1"  # before anything imports transformers
if (
    "PYTEST_XDIST_WORKER" in os.environ
):  # tests side by side: more threads would wait for each other
    torch.set_num_threads(1)

# Two busy cores say nothing about an example's speed.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")


@pytest.fixture(scope="session")
def gpt2_small() -> GPTModel:
    """The book's model: GPT-2 small, seed 123. A test that asks for it is marked golden."""
    return build_model(GPT_CONFIG_124M, 123)


@pytest.fixture(scope="session")
def gpt2_small_tied() -> GPTModel:
    """The same with the head tied, and PyTorch's initialisation. Golden too."""
    return build_model(replace(GPT_CONFIG_124M, tie_weights=True), 123)


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An operator's folder of checkpoints; never written to."""
    from tests.made_checkpoints import make_checkpoints  # not above: transformers takes its time

    return make_checkpoints(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="session")
def tiny() -> GPTConfig:
    """A configuration whose numbers are all different, so that no axis passes for another."""
    return GPTConfig(
        vocab_size=101,
        context_length=13,
        emb_dim=12,
        n_heads=3,
        n_layers=2,
        drop_rate=0.1,
        qkv_bias=False,
    )


@pytest.fixture(scope="session")
def tiny_model(tiny: GPTConfig) -> GPTModel:
    return build_model(tiny, 1)


@pytest.fixture(scope="session")
def tied_model(tiny: GPTConfig) -> GPTModel:
    return build_model(replace(tiny, tie_weights=True, qkv_bias=True), 1)


@pytest.fixture(scope="session")
def tiny_ids(tiny: GPTConfig) -> torch.Tensor:
    """Two sequences of seven tokens, (2, 7)."""
    generator = torch.Generator().manual_seed(5)
    return torch.randint(tiny.vocab_size, (2, 7), generator=generator)
