"""What can be known about a model: tensors, or a configuration alone, to tidy tables.

No streamlit and no plotly. Like `gptcore`, this package imports a module when its name is first
used, so that what needs only the configuration never waits for torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from explorer.measure.assembly import (
        Construction,
        construction,
        error_of_undivided_heads,
        error_without_contraction,
    )
    from explorer.measure.glance import Glances, gpt_glances
    from explorer.measure.memory import available_bytes, check_fits
    from explorer.measure.path import STOPS, tensor_path
    from explorer.measure.prediction import next_token
    from explorer.measure.references import check_references, reference_tokens
    from explorer.measure.stream import STATISTICS, block_stats
    from explorer.measure.tokens import prompt_tokens, token_text

_MODULES = {
    "Construction": "assembly",
    "construction": "assembly",
    "error_of_undivided_heads": "assembly",
    "error_without_contraction": "assembly",
    "available_bytes": "memory",
    "Glances": "glance",
    "STATISTICS": "stream",
    "STOPS": "path",
    "block_stats": "stream",
    "check_fits": "memory",
    "check_references": "references",
    "gpt_glances": "glance",
    "reference_tokens": "references",
    "next_token": "prediction",
    "prompt_tokens": "tokens",
    "tensor_path": "path",
    "token_text": "tokens",
}

__all__ = [
    "STATISTICS",
    "STOPS",
    "Construction",
    "Glances",
    "available_bytes",
    "block_stats",
    "check_fits",
    "check_references",
    "construction",
    "error_of_undivided_heads",
    "error_without_contraction",
    "gpt_glances",
    "next_token",
    "prompt_tokens",
    "reference_tokens",
    "tensor_path",
    "token_text",
]


def __getattr__(name: str) -> Any:
    """Import the module that a name stands in when it is first used (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module 'explorer.measure' has no attribute {name!r}")
    return getattr(import_module(f"explorer.measure.{_MODULES[name]}"), name)
