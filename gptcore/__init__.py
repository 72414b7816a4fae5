"""GPT-2 from primitives, after chapter 4 of "Build a Large Language Model (From Scratch)".

Axis letters used in every shape comment: B batch, T tokens, D emb_dim, H heads, K = D / H features
per head, F = 4 D hidden features of the feed-forward, V vocabulary.

Configurations, counting and the tokenizer are plain Python; the modules need torch, which is
imported when the first of them is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gptcore.config import CONFIGS, GPT_CONFIG_124M, GPTConfig
from gptcore.counting import count_parameters
from gptcore.tokenizer import decode, encode

if TYPE_CHECKING:
    from gptcore.attention import MultiHeadAttention
    from gptcore.block import TransformerBlock
    from gptcore.building import build_model
    from gptcore.checkpoint import load_gpt2
    from gptcore.dummy import DummyGPTModel
    from gptcore.feed_forward import GELU, FeedForward
    from gptcore.generate import generate_greedy
    from gptcore.gradients import mean_abs_gradients
    from gptcore.layer_norm import LayerNorm
    from gptcore.model import GPTModel
    from gptcore.shortcut import DeepNetwork
    from gptcore.trace import trace_gpt

_NEEDS_TORCH = {
    "LayerNorm": "layer_norm",
    "GELU": "feed_forward",
    "FeedForward": "feed_forward",
    "MultiHeadAttention": "attention",
    "TransformerBlock": "block",
    "DummyGPTModel": "dummy",
    "GPTModel": "model",
    "build_model": "building",
    "load_gpt2": "checkpoint",
    "generate_greedy": "generate",
    "trace_gpt": "trace",
    "DeepNetwork": "shortcut",
    "mean_abs_gradients": "gradients",
}

__all__ = [
    "CONFIGS",
    "GELU",
    "GPT_CONFIG_124M",
    "DeepNetwork",
    "DummyGPTModel",
    "FeedForward",
    "GPTConfig",
    "GPTModel",
    "LayerNorm",
    "MultiHeadAttention",
    "TransformerBlock",
    "build_model",
    "count_parameters",
    "decode",
    "encode",
    "generate_greedy",
    "load_gpt2",
    "mean_abs_gradients",
    "trace_gpt",
]


def __getattr__(name: str) -> Any:
    """Import a module that needs torch when one of its names is first used (PEP 562)."""
    if name not in _NEEDS_TORCH:
        raise AttributeError(f"module 'gptcore' has no attribute {name!r}")
    return getattr(import_module(f"gptcore.{_NEEDS_TORCH[name]}"), name)
