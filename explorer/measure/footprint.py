"""The memory that training or generating takes, by use, and the devices it fits on."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from gptcore.activations import Kernels, activation_bytes
from gptcore.config import GPTConfig
from gptcore.counting import MIB, count_parameters, kv_cache_bytes, mask_bytes, weight_bytes

MB = 10**6
GB = 10**9


@dataclass(frozen=True)
class Precision:
    """How many bytes a number takes.

    Attributes:
        weight: A parameter.
        gradient: Its gradient; 0 where nothing can be trained.
        adamw: What AdamW keeps for a parameter.
        activation: An activation, a key or a value.
        note: One sentence on what is assumed.
    """

    weight: int
    gradient: int
    adamw: int
    activation: int
    note: str


PRECISIONS = {
    "float32": Precision(
        4, 4, 8, 4, "Everything in float32; AdamW keeps two running averages a parameter."
    ),
    "float16 or bfloat16": Precision(
        2,
        2,
        12,
        2,
        "Mixed precision: AdamW keeps two averages and a master copy of the weights in float32 "
        "(Rajbhandari et al., 2020).",
    ),
    "int8": Precision(
        1,
        0,
        0,
        2,
        "Weights in int8, their scales left out; activations, keys and values in float16. Nothing "
        "is trained in int8.",
    ),
}


def memory_uses(
    cfg: GPTConfig,
    purpose: str,
    precision: str,
    batch: int,
    n_tokens: int,
    kernels: Kernels = "spelled out",
) -> pd.DataFrame:
    """Count the bytes of everything that has to be in memory at once.

    The causal masks are this code's: boolean, a byte a value, one a block.

    Args:
        cfg: The configuration.
        purpose: "train" (weights, gradients, AdamW, activations) or "generate" (weights, KV cache).
        precision: A key of `PRECISIONS`.
        batch: Sequences side by side (B).
        n_tokens: Tokens of each (T).
        kernels: For training; see `gptcore.activations.activation_bytes`.

    Returns:
        One row a use: `use`, `bytes`, `MiB`, `MB`, `share` (of the sum, 0 to 1).

    Raises:
        ValueError: If int8 is to be trained.
    """
    size = PRECISIONS[precision]
    uses = {"weights": weight_bytes(cfg, size.weight), "causal masks": mask_bytes(cfg)}
    if purpose == "generate":
        uses["KV cache"] = kv_cache_bytes(cfg, batch, n_tokens, size.activation)
    elif not size.gradient:
        raise ValueError(f"{precision} is for generating; train in {' or '.join(_TRAINABLE)}")
    else:
        kept = activation_bytes(cfg, batch, n_tokens, size.activation, kernels)
        uses |= {
            "gradients": weight_bytes(cfg, size.gradient),
            "AdamW states": weight_bytes(cfg, size.adamw),
            "activations": sum(kept.values()),
        }
    frame = pd.DataFrame({"use": uses.keys(), "bytes": uses.values()})
    frame["MiB"], frame["MB"] = frame["bytes"] / MIB, frame["bytes"] / MB
    frame["share"] = frame["bytes"] / frame["bytes"].sum()
    return frame


_TRAINABLE = [name for name, size in PRECISIONS.items() if size.gradient]


def decode_bytes_read(cfg: GPTConfig, precision: str, batch: int, n_tokens: int) -> int:
    """Count the bytes that one step of decoding has to read, for a token of each sequence.

    All weights that are multiplied with: the blocks, the final norm and the head's table (the token
    embedding's, if tied); of the embeddings only a row a sequence, left out. And the whole KV cache.
    """
    size, counts = PRECISIONS[precision], count_parameters(cfg)
    multiplied = counts["trf_blocks"] + counts["final_norm"] + cfg.emb_dim * cfg.vocab_size
    return multiplied * size.weight + kv_cache_bytes(cfg, batch, n_tokens, size.activation)


def device_fit(
    needed_bytes: int, read_bytes: int, devices: Sequence[tuple[int, int]]
) -> pd.DataFrame:
    """Compare what is needed with what devices have.

    Args:
        needed_bytes: All that must be in memory at once.
        read_bytes: What a step of decoding reads.
        devices: Memory in GB (10⁹ bytes) and bandwidth in GB/s of each.

    Returns:
        One row a device: `memory_gb`, `bandwidth_gb_s`, `used` (share of the memory), `fits`,
        `ms_per_token` (the least a step can take, if reading is all it does), `tokens_per_second`
        (of one sequence, at most).
    """
    rows = []
    for memory, bandwidth in devices:
        seconds = read_bytes / (bandwidth * GB)
        rows.append(
            {
                "memory_gb": memory,
                "bandwidth_gb_s": bandwidth,
                "used": needed_bytes / (memory * GB),
                "fits": needed_bytes <= memory * GB,
                "ms_per_token": 1000 * seconds,
                "tokens_per_second": 1 / seconds,
            }
        )
    return pd.DataFrame(rows)
