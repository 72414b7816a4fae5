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
    from explorer.measure.built import real_run
    from explorer.measure.compute import flops_by_part, rule_ratio, rule_table, training_time
    from explorer.measure.config_text import (
        as_book_dict,
        as_call,
        as_json,
        read_config,
        read_pins,
        write_pins,
    )
    from explorer.measure.family import (
        COMPONENTS,
        NAMED,
        comparison,
        component_shares,
        count_components,
        halves_by_width,
        halves_ratio,
        size_table,
    )
    from explorer.measure.footprint import PRECISIONS, decode_bytes_read, device_fit, memory_uses
    from explorer.measure.memory import available_bytes, check_fits
    from explorer.measure.neighbours import nearest_heads, nearest_width
    from explorer.measure.path import tensor_path
    from explorer.measure.prediction import next_token
    from explorer.measure.references import check_references, reference_tokens
    from explorer.measure.stream import STATISTICS, block_stats
    from explorer.measure.sweeps import (
        LIMITS,
        QUANTITIES,
        blocks_outweigh,
        crossover,
        doubling,
        growth,
        growth_grid,
        largest_parts,
    )
    from explorer.measure.tied_tables import change_one_weight
    from explorer.measure.tokens import prompt_tokens, token_text
    from explorer.measure.tying import tying_steps

_MODULES = {
    "COMPONENTS": "family",
    "NAMED": "family",
    "comparison": "family",
    "component_shares": "family",
    "count_components": "family",
    "halves_by_width": "family",
    "halves_ratio": "family",
    "size_table": "family",
    "tying_steps": "tying",
    "change_one_weight": "tied_tables",
    "PRECISIONS": "footprint",
    "decode_bytes_read": "footprint",
    "device_fit": "footprint",
    "memory_uses": "footprint",
    "flops_by_part": "compute",
    "rule_ratio": "compute",
    "rule_table": "compute",
    "training_time": "compute",
    "LIMITS": "sweeps",
    "QUANTITIES": "sweeps",
    "blocks_outweigh": "sweeps",
    "crossover": "sweeps",
    "doubling": "sweeps",
    "growth": "sweeps",
    "growth_grid": "sweeps",
    "largest_parts": "sweeps",
    "nearest_heads": "neighbours",
    "nearest_width": "neighbours",
    "as_book_dict": "config_text",
    "as_call": "config_text",
    "as_json": "config_text",
    "read_config": "config_text",
    "read_pins": "config_text",
    "write_pins": "config_text",
    "real_run": "built",
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
    "COMPONENTS",
    "LIMITS",
    "NAMED",
    "PRECISIONS",
    "QUANTITIES",
    "STATISTICS",
    "Construction",
    "as_book_dict",
    "as_call",
    "as_json",
    "available_bytes",
    "block_stats",
    "blocks_outweigh",
    "change_one_weight",
    "check_fits",
    "check_references",
    "comparison",
    "component_shares",
    "construction",
    "count_components",
    "crossover",
    "decode_bytes_read",
    "device_fit",
    "doubling",
    "error_of_undivided_heads",
    "error_without_contraction",
    "flops_by_part",
    "growth",
    "growth_grid",
    "halves_by_width",
    "halves_ratio",
    "largest_parts",
    "memory_uses",
    "nearest_heads",
    "nearest_width",
    "next_token",
    "prompt_tokens",
    "read_config",
    "read_pins",
    "real_run",
    "reference_tokens",
    "rule_ratio",
    "rule_table",
    "size_table",
    "tensor_path",
    "token_text",
    "training_time",
    "tying_steps",
    "write_pins",
]


def __getattr__(name: str) -> Any:
    """Import the module that a name stands in when it is first used (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module 'explorer.measure' has no attribute {name!r}")
    return getattr(import_module(f"explorer.measure.{_MODULES[name]}"), name)
