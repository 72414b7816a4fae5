"""What can be known about a model: tensors, or a configuration alone, to tidy tables.

No streamlit and no plotly. Like `gptcore`, this package imports a module when its name is first
used, so that what needs only the configuration never waits for torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from explorer.measure.activations import (
        activation_curves,
        activation_gap,
        activation_values,
        gelu_landmarks,
    )
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
    from explorer.measure.block_gradient import PARTS, block_gradients
    from explorer.measure.causality import MAX_EDITED_TOKENS, moved_by_edit
    from explorer.measure.changes import CHANGES, changed_pass
    from explorer.measure.feed_forward import (
        Activity,
        SmallCase,
        feed_forward_activity,
        reversal_effect,
        small_feed_forward,
        width_factors,
    )
    from explorer.measure.gradient_lab import across_seeds, first_layer_gains, layer_gradients
    from explorer.measure.memory import available_bytes, check_fits
    from explorer.measure.norm_depth import DEPTHS, NARROW, gradient_ratios, norm_depth_stats
    from explorer.measure.norms import (
        STAGES,
        NormInputs,
        constant_inputs,
        more_reference_inputs,
        norm_inputs,
        norm_names,
        norm_spread,
        norm_stages,
        reference_inputs,
        stage_histogram,
        stage_moments,
        variance_divisors,
    )
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
    "Activity": "feed_forward",
    "CHANGES": "changes",
    "Construction": "assembly",
    "DEPTHS": "norm_depth",
    "MAX_EDITED_TOKENS": "causality",
    "MAX_GROUPS": "summary",
    "NARROW": "norm_depth",
    "NormInputs": "norms",
    "PARTS": "block_gradient",
    "POINTS": "stream",
    "STAGES": "norms",
    "STATISTICS": "summary",
    "STEPS": "attention_maps",
    "STREAM_POINTS": "stream",
    "SmallCase": "feed_forward",
    "across_seeds": "gradient_lab",
    "activation_curves": "activations",
    "activation_gap": "activations",
    "activation_values": "activations",
    "attention_map": "attention_maps",
    "available_bytes": "memory",
    "block_gradients": "block_gradient",
    "block_histograms": "stream",
    "block_stats": "stream",
    "changed_pass": "changes",
    "check_fits": "memory",
    "check_references": "references",
    "constant_inputs": "norms",
    "construction": "assembly",
    "error_of_undivided_heads": "assembly",
    "error_without_contraction": "assembly",
    "feed_forward_activity": "feed_forward",
    "first_layer_gains": "gradient_lab",
    "gelu_landmarks": "activations",
    "gradient_ratios": "norm_depth",
    "group_labels": "attention_maps",
    "head_entropies": "attention_maps",
    "head_ratios": "attention_maps",
    "hidden_cells": "attention_maps",
    "identity_gaps": "stream",
    "largest_features": "stream",
    "layer_gradients": "gradient_lab",
    "more_reference_inputs": "norms",
    "moved_by_edit": "causality",
    "next_token": "prediction",
    "norm_depth_stats": "norm_depth",
    "norm_inputs": "norms",
    "norm_names": "norms",
    "norm_spread": "norms",
    "norm_stages": "norms",
    "pass_summary": "summary",
    "prompt_tokens": "tokens",
    "reference_inputs": "norms",
    "reference_tokens": "references",
    "reversal_effect": "feed_forward",
    "small_feed_forward": "feed_forward",
    "stage_histogram": "norms",
    "stage_moments": "norms",
    "tensor_path": "path",
    "token_histogram": "stream",
    "token_stats": "stream",
    "token_text": "tokens",
    "variance_divisors": "norms",
    "width_factors": "feed_forward",
}

__all__ = [
    "ADDED_POINTS",
    "CHANGES",
    "DEPTHS",
    "MAX_EDITED_TOKENS",
    "MAX_GROUPS",
    "NARROW",
    "PARTS",
    "POINTS",
    "STAGES",
    "STATISTICS",
    "STEPS",
    "STREAM_POINTS",
    "Activity",
    "Construction",
    "NormInputs",
    "SmallCase",
    "across_seeds",
    "activation_curves",
    "activation_gap",
    "activation_values",
    "attention_map",
    "available_bytes",
    "block_gradients",
    "block_histograms",
    "block_stats",
    "changed_pass",
    "check_fits",
    "check_references",
    "constant_inputs",
    "construction",
    "error_of_undivided_heads",
    "error_without_contraction",
    "feed_forward_activity",
    "first_layer_gains",
    "gelu_landmarks",
    "gradient_ratios",
    "group_labels",
    "head_entropies",
    "head_ratios",
    "hidden_cells",
    "identity_gaps",
    "largest_features",
    "layer_gradients",
    "more_reference_inputs",
    "moved_by_edit",
    "next_token",
    "norm_depth_stats",
    "norm_inputs",
    "norm_names",
    "norm_spread",
    "norm_stages",
    "pass_summary",
    "prompt_tokens",
    "reference_inputs",
    "reference_tokens",
    "reversal_effect",
    "small_feed_forward",
    "stage_histogram",
    "stage_moments",
    "tensor_path",
    "token_histogram",
    "token_stats",
    "token_text",
    "variance_divisors",
    "width_factors",
]


def __getattr__(name: str) -> Any:
    """Import the module that a name stands in when it is first used (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module 'explorer.measure' has no attribute {name!r}")
    return getattr(import_module(f"explorer.measure.{_MODULES[name]}"), name)
