"""A configuration beside the sizes that have a name: parameters by component, counted."""

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from explorer.measure.memory import in_words
from gptcore.activations import activation_bytes
from gptcore.config import CONFIGS, GPT_CONFIG_124M, GPTConfig
from gptcore.counting import MIB, count_block, count_parameters, kv_cache_bytes, weight_bytes
from gptcore.flops import forward_flops

COMPONENTS = {
    "tok_emb": "token embedding",
    "pos_emb": "positional embedding",
    "att": "attention",
    "ff": "feed-forward",
    "norms": "norms",
    "out_head": "output head",
}
NAMED = tuple(name for name in CONFIGS if name.startswith(("gpt2", "gpt3")))
"""The four sizes of GPT-2 and GPT-3 175B."""

PAPER_NAMES = {
    "gpt2-small": "117M",
    "gpt2-medium": "345M",
    "gpt2-large": "762M",
    "gpt2-xl": "1542M",
    "gpt3-175b": "175B",
}
"""What Radford et al. (2019) and Brown et al. (2020) call them; GPT-2's differ from the count."""


def count_components(cfg: GPTConfig) -> dict[str, int]:
    """Count the parameters of the whole model by kind, all blocks together; see `COMPONENTS`."""
    whole, block = count_parameters(cfg), count_block(cfg)
    return {
        "tok_emb": whole["tok_emb"],
        "pos_emb": whole["pos_emb"],
        "att": cfg.n_layers * block["att"],
        "ff": cfg.n_layers * block["ff"],
        "norms": cfg.n_layers * (block["norm1"] + block["norm2"]) + whole["final_norm"],
        "out_head": whole["out_head"],
    }


def component_shares(configs: Mapping[str, GPTConfig]) -> pd.DataFrame:
    """Count several configurations by component.

    Returns:
        One row a model and component, in order: `model`, `component`, `parameters`, `share` (of the
        model, 0 to 1).
    """
    rows = []
    for model, cfg in configs.items():
        counts = count_components(cfg)
        total = sum(counts.values())
        rows += [
            {"model": model, "component": name, "parameters": count, "share": count / total}
            for name, count in counts.items()
        ]
    return pd.DataFrame(rows)


def _total(cfg: GPTConfig, tie_weights: bool, qkv_bias: bool) -> int:
    return sum(count_parameters(replace(cfg, tie_weights=tie_weights, qkv_bias=qkv_bias)).values())


def size_table(configs: Mapping[str, GPTConfig]) -> pd.DataFrame:
    """Count several configurations with the head untied, tied, and tied with QKV biases.

    Returns:
        One row a model: `model`, `emb_dim`, `n_layers`, `n_heads`, `context_length`, `untied`,
        `tied`, `tied + QKV bias`, `float32 untied, MiB`, `paper's name`.
    """
    rows = []
    for model, cfg in configs.items():
        untied = replace(cfg, tie_weights=False, qkv_bias=False)
        rows.append(
            {
                "model": model,
                "emb_dim": cfg.emb_dim,
                "n_layers": cfg.n_layers,
                "n_heads": cfg.n_heads,
                "context_length": cfg.context_length,
                "untied": _total(cfg, tie_weights=False, qkv_bias=False),
                "tied": _total(cfg, tie_weights=True, qkv_bias=False),
                "tied + QKV bias": _total(cfg, tie_weights=True, qkv_bias=True),
                "float32 untied, MiB": weight_bytes(untied) / MIB,
                "paper's name": PAPER_NAMES.get(model, ""),
            }
        )
    return pd.DataFrame(rows)


def halves_ratio(cfg: GPTConfig) -> float:
    """Return how many times a block's feed-forward has the parameters of its attention."""
    block = count_block(cfg)
    return block["ff"] / block["att"]


def halves_by_width() -> pd.DataFrame:
    """Compare a block's two halves over widths from 1 to 16,384, with and without QKV biases.

    Only the width and the biases matter to a block's counts; there is one head here, so that every
    width is allowed.

    Returns:
        One row a width and choice of bias: `emb_dim`, `qkv_bias`, `attention`, `feed_forward`,
        `ratio` (feed-forward over attention).
    """
    rows = []
    for qkv_bias in (False, True):
        for power in range(15):
            one = replace(GPT_CONFIG_124M, emb_dim=2**power, n_heads=1, qkv_bias=qkv_bias)
            block = count_block(one)
            rows.append(
                {
                    "emb_dim": one.emb_dim,
                    "qkv_bias": qkv_bias,
                    "attention": block["att"],
                    "feed_forward": block["ff"],
                    "ratio": halves_ratio(one),
                }
            )
    return pd.DataFrame(rows)


def comparison(configs: Mapping[str, GPTConfig]) -> pd.DataFrame:
    """Set configurations side by side, a column each: fields, parameters, memory, FLOPs.

    Returns:
        Written out: `field`, and a column a configuration.
    """
    columns = {}
    for name, cfg in configs.items():
        full = cfg.context_length
        columns[name] = {
            **{
                field: f"{value:,}" if type(value) is int else str(value)
                for field, value in vars(cfg).items()
            },
            "parameters": f"{sum(count_parameters(cfg).values()):,}",
            "a block's": f"{sum(count_block(cfg).values()):,}",
            "float32 weights": in_words(weight_bytes(cfg)),
            "kept for backward, one full sequence": in_words(
                sum(activation_bytes(cfg, 1, full).values())
            ),
            "KV cache, one full sequence": in_words(kv_cache_bytes(cfg, 1, full)),
            "FLOPs per token, full context": f"{sum(forward_flops(cfg, full).values()):,}",
        }
    return pd.DataFrame(columns).rename_axis("field").reset_index()
