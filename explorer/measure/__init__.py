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
    from explorer.measure.block_gradient import PARTS, block_gradients
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
    from explorer.measure.stream import STATISTICS, block_stats
    from explorer.measure.tokens import prompt_tokens, token_text

_MODULES = {
    "PARTS": "block_gradient",
    "block_gradients": "block_gradient",
    "Activity": "feed_forward",
    "SmallCase": "feed_forward",
    "feed_forward_activity": "feed_forward",
    "reversal_effect": "feed_forward",
    "small_feed_forward": "feed_forward",
    "width_factors": "feed_forward",
    "activation_curves": "activations",
    "activation_gap": "activations",
    "activation_values": "activations",
    "gelu_landmarks": "activations",
    "NormInputs": "norms",
    "constant_inputs": "norms",
    "more_reference_inputs": "norms",
    "norm_inputs": "norms",
    "norm_names": "norms",
    "norm_spread": "norms",
    "norm_stages": "norms",
    "reference_inputs": "norms",
    "stage_histogram": "norms",
    "stage_moments": "norms",
    "variance_divisors": "norms",
    "STAGES": "norms",
    "across_seeds": "gradient_lab",
    "first_layer_gains": "gradient_lab",
    "layer_gradients": "gradient_lab",
    "Construction": "assembly",
    "construction": "assembly",
    "error_of_undivided_heads": "assembly",
    "error_without_contraction": "assembly",
    "available_bytes": "memory",
    "STATISTICS": "stream",
    "block_stats": "stream",
    "check_fits": "memory",
    "check_references": "references",
    "reference_tokens": "references",
    "next_token": "prediction",
    "prompt_tokens": "tokens",
    "tensor_path": "path",
    "token_text": "tokens",
}

__all__ = [
    "PARTS",
    "STAGES",
    "STATISTICS",
    "Activity",
    "Construction",
    "NormInputs",
    "SmallCase",
    "across_seeds",
    "activation_curves",
    "activation_gap",
    "activation_values",
    "available_bytes",
    "block_gradients",
    "block_stats",
    "check_fits",
    "check_references",
    "constant_inputs",
    "construction",
    "error_of_undivided_heads",
    "error_without_contraction",
    "feed_forward_activity",
    "first_layer_gains",
    "gelu_landmarks",
    "layer_gradients",
    "more_reference_inputs",
    "next_token",
    "norm_inputs",
    "norm_names",
    "norm_spread",
    "norm_stages",
    "prompt_tokens",
    "reference_inputs",
    "reference_tokens",
    "reversal_effect",
    "small_feed_forward",
    "stage_histogram",
    "stage_moments",
    "tensor_path",
    "token_text",
    "variance_divisors",
    "width_factors",
]


def __getattr__(name: str) -> Any:
    """Import the module that a name stands in when it is first used (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module 'explorer.measure' has no attribute {name!r}")
    return getattr(import_module(f"explorer.measure.{_MODULES[name]}"), name)
