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
    from explorer.measure.attention_maps import (
        STEPS,
        attention_map,
        group_labels,
        head_entropies,
        head_ratios,
        hidden_cells,
    )
    from explorer.measure.causality import MAX_EDITED_TOKENS, moved_by_edit
    from explorer.measure.changes import CHANGES, changed_pass
    from explorer.measure.memory import available_bytes, check_fits
    from explorer.measure.norm_depth import DEPTHS, NARROW, gradient_ratios, norm_depth_stats
    from explorer.measure.path import tensor_path
    from explorer.measure.prediction import next_token
    from explorer.measure.references import check_references, reference_tokens
    from explorer.measure.stream import (
        ADDED_POINTS,
        POINTS,
        STREAM_POINTS,
        block_histograms,
        block_stats,
        identity_gaps,
        largest_features,
        token_histogram,
        token_stats,
    )
    from explorer.measure.summary import MAX_GROUPS, STATISTICS, pass_summary
    from explorer.measure.tokens import prompt_tokens, token_text

_MODULES = {
    "ADDED_POINTS": "stream",
    "CHANGES": "changes",
    "Construction": "assembly",
    "DEPTHS": "norm_depth",
    "MAX_EDITED_TOKENS": "causality",
    "MAX_GROUPS": "summary",
    "NARROW": "norm_depth",
    "POINTS": "stream",
    "STATISTICS": "summary",
    "STEPS": "attention_maps",
    "STREAM_POINTS": "stream",
    "attention_map": "attention_maps",
    "available_bytes": "memory",
    "block_histograms": "stream",
    "block_stats": "stream",
    "changed_pass": "changes",
    "check_fits": "memory",
    "check_references": "references",
    "construction": "assembly",
    "error_of_undivided_heads": "assembly",
    "error_without_contraction": "assembly",
    "gradient_ratios": "norm_depth",
    "group_labels": "attention_maps",
    "head_entropies": "attention_maps",
    "head_ratios": "attention_maps",
    "hidden_cells": "attention_maps",
    "identity_gaps": "stream",
    "largest_features": "stream",
    "moved_by_edit": "causality",
    "next_token": "prediction",
    "norm_depth_stats": "norm_depth",
    "pass_summary": "summary",
    "prompt_tokens": "tokens",
    "reference_tokens": "references",
    "tensor_path": "path",
    "token_histogram": "stream",
    "token_stats": "stream",
    "token_text": "tokens",
}

__all__ = [
    "ADDED_POINTS",
    "CHANGES",
    "DEPTHS",
    "MAX_EDITED_TOKENS",
    "MAX_GROUPS",
    "NARROW",
    "POINTS",
    "STATISTICS",
    "STEPS",
    "STREAM_POINTS",
    "Construction",
    "attention_map",
    "available_bytes",
    "block_histograms",
    "block_stats",
    "changed_pass",
    "check_fits",
    "check_references",
    "construction",
    "error_of_undivided_heads",
    "error_without_contraction",
    "gradient_ratios",
    "group_labels",
    "head_entropies",
    "head_ratios",
    "hidden_cells",
    "identity_gaps",
    "largest_features",
    "moved_by_edit",
    "next_token",
    "norm_depth_stats",
    "pass_summary",
    "prompt_tokens",
    "reference_tokens",
    "tensor_path",
    "token_histogram",
    "token_stats",
    "token_text",
]


def __getattr__(name: str) -> Any:
    """Import the module that a name stands in when it is first used (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module 'explorer.measure' has no attribute {name!r}")
    return getattr(import_module(f"explorer.measure.{_MODULES[name]}"), name)
