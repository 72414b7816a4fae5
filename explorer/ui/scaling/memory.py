"""Memory by use, and the devices it fits on."""

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer import measure
from explorer.draw.footprint import memory_bars
from explorer.draw.numbers import both_units, number
from explorer.ui import controls, show
from explorer.ui.state import screen
from gptcore import GPTConfig
from gptcore.activations import Kernels, activation_bytes
from gptcore.counting import kv_cache_bytes, mask_bytes, weight_bytes


def memory_view(cfg: GPTConfig, _row: DeltaGenerator) -> None:
    """Show what training or generating keeps in memory at once."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        purpose = controls.choice(
            "scaling_purpose",
            "For",
            {"train": "Training", "generate": "Generating"}.__getitem__,
            segmented=True,
        )
        precision = controls.choice("scaling_precision", "Precision", segmented=True)
        batch = controls.whole("scaling_batch", "Batch (B)")
        length = controls.whole("scaling_length", "Length (T)", high=cfg.context_length)
        fused = controls.switch("scaling_fused", "Fused kernels")
    kernels: Kernels = "fused" if fused else "spelled out"
    with show.refusals():
        frame = measure.memory_uses(cfg, purpose, precision, batch, length, kernels)
        drawn = memory_bars(frame, screen().look)
        show.chart(
            drawn,
            f"{measure.PRECISIONS[precision].note} MiB and GiB are powers of two, MB and GB powers "
            "of ten.",
        )
        _notice(cfg, purpose, batch, length)
        table = frame[["use"]].copy()
        for unit in ("MiB", "MB"):
            table[unit] = [f"{size:,.2f}" for size in frame[unit]]
        show.figures_table(table, "Memory by use, in both units")
        show.caption(
            f"No parameter count shows the causal masks: boolean ones, as here, take "
            f"{both_units(mask_bytes(cfg))}, float32 ones {both_units(mask_bytes(cfg, 4))}."
        )
        read = measure.decode_bytes_read(cfg, precision, batch, length)
        _devices(int(frame["bytes"].sum()), read)
        show.table_expander(drawn)
    _kept_for_backward(cfg, batch, length)
    show.code(weight_bytes, mask_bytes, kv_cache_bytes, activation_bytes, measure.memory_uses)


def _notice(cfg: GPTConfig, purpose: str, batch: int, length: int) -> None:
    if purpose == "generate":
        cached = kv_cache_bytes(cfg, 1, 1)
        show.notice(
            f"Each token kept costs 2 × {cfg.n_layers:,} × {cfg.emb_dim:,} numbers, "
            f"{both_units(cached)} in float32: a key and a value in every block. Weights are there "
            "once, whatever the batch.",
            "attn",
        )
        return
    ours = sum(activation_bytes(cfg, batch, length).values())
    fused = sum(activation_bytes(cfg, batch, length, kernels="fused").values())
    show.notice(
        f"In float32 this code keeps {both_units(ours)} for the backward pass, fused kernels "
        f"{both_units(fused)}, {number(ours / fused, 1)} times less: they keep no T × T weights and "
        "one tensor for GELU instead of five.",
        "act",
    )


def _devices(needed: int, read: int) -> None:
    st.html('<p class="caption">Devices: change memory and bandwidth to those of yours.</p>')
    devices = []
    with st.container(horizontal=True):
        for index in range(len(controls.DEVICES)):
            with st.container(width=150, gap="small"):
                devices.append(
                    (
                        controls.whole(f"scaling_memory_{index}", f"{index + 1}: memory, GB"),
                        controls.whole(f"scaling_bandwidth_{index}", f"{index + 1}: GB/s"),
                    )
                )
    fit = measure.device_fit(needed, read, devices)
    fit.insert(
        0,
        "device",
        [
            f"{place}: {memory:,} GB, {rate:,} GB/s"
            for place, (memory, rate) in enumerate(devices, start=1)
        ],
    )
    fit["fits"] = fit["fits"].map({True: "✓ fits", False: "✗ too large"})
    fit["used"] = [f"{100 * used:,.1f} %" for used in fit["used"]]
    fit["ms_per_token"] = [number(ms) for ms in fit["ms_per_token"]]
    fit["tokens_per_second"] = [number(rate, 1) for rate in fit["tokens_per_second"]]
    shown = fit[["device", "fits", "used", "ms_per_token", "tokens_per_second"]]
    show.figures_table(
        shown.set_axis(
            [
                "device",
                "fits",
                "memory used",
                "ms per decoded token, at least",
                "tokens/s, at most",
            ],
            axis="columns",
        ),
        "Devices",
    )
    show.caption(
        f"A step of decoding reads every weight it multiplies with and the KV cache, "
        f"{both_units(read)}; no device can be faster than its bandwidth allows. GB are 10⁹ bytes. At "
        "first: RTX 4060, T4, RTX 4090, H100, H200, as their makers state them."
    )


def _kept_for_backward(cfg: GPTConfig, batch: int, length: int) -> None:
    with st.expander("What a forward pass keeps for the backward pass"):
        ours = activation_bytes(cfg, batch, length)
        fused = activation_bytes(cfg, batch, length, kernels="fused")
        rows = [
            {
                "part": part,
                "as written here": both_units(ours[part]),
                "fused": both_units(fused[part]),
            }
            for part in ours
        ]
        show.figures_table(pd.DataFrame(rows), "Kept for the backward pass")
        show.caption(
            "In float32. “As written here” are gptcore's modules on a CPU: a LayerNorm keeps the "
            "centred, the normalised and the scaled tensor; GELU keeps five of width 4 D, and the "
            "layer after it its input; attention the queries, keys, values and the B × H × T × T "
            "weights, with dropout three times."
        )
        show.caption(
            "“Fused” are torch.nn.LayerNorm, torch.nn.GELU and FlashAttention through "
            "scaled_dot_product_attention, with dropout masks of a byte a value. The loss keeps "
            "log-probabilities for the whole vocabulary in both."
        )
