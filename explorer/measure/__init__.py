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
    from explorer.measure.generation import (
        Step,
        candidates,
        compared_runs,
        cropped_predictions,
        greedy_run,
        position_predictions,
        run_table,
        token_standing,
    )
    from explorer.measure.loops import cache_work, loops_side_by_side, timed_loops
    from explorer.measure.memory import available_bytes, check_fits
    from explorer.measure.path import tensor_path
    from explorer.measure.prediction import next_token
    from explorer.measure.references import (
        REFERENCE_PROMPT,
        check_references,
        compared_tokens,
        reference_tokens,
    )
    from explorer.measure.script import run_script
    from explorer.measure.stream import STATISTICS, block_stats
    from explorer.measure.tokens import prompt_tokens, sequence_text, token_text

_MODULES = {
    "REFERENCE_PROMPT": "references",
    "compared_tokens": "references",
    "Step": "generation",
    "cache_work": "loops",
    "loops_side_by_side": "loops",
    "candidates": "generation",
    "compared_runs": "generation",
    "cropped_predictions": "generation",
    "greedy_run": "generation",
    "position_predictions": "generation",
    "run_script": "script",
    "run_table": "generation",
    "sequence_text": "tokens",
    "timed_loops": "loops",
    "token_standing": "generation",
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
    "REFERENCE_PROMPT",
    "STATISTICS",
    "Construction",
    "Step",
    "available_bytes",
    "block_stats",
    "cache_work",
    "candidates",
    "check_fits",
    "check_references",
    "compared_runs",
    "compared_tokens",
    "construction",
    "cropped_predictions",
    "error_of_undivided_heads",
    "error_without_contraction",
    "greedy_run",
    "loops_side_by_side",
    "next_token",
    "position_predictions",
    "prompt_tokens",
    "reference_tokens",
    "run_script",
    "run_table",
    "sequence_text",
    "tensor_path",
    "timed_loops",
    "token_standing",
    "token_text",
]


def __getattr__(name: str) -> Any:
    """Import the module that a name stands in when it is first used (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module 'explorer.measure' has no attribute {name!r}")
    return getattr(import_module(f"explorer.measure.{_MODULES[name]}"), name)
