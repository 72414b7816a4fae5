"""The view of the block page that looks at attention: every head, and one of them enlarged."""

from typing import Any

import streamlit as st

from explorer import measure
from explorer.draw.attention import attention_heat, head_entropy_dots, head_thumbnails
from explorer.draw.numbers import number
from explorer.ui import cache, controls, show
from explorer.ui.block_stream import summary
from explorer.ui.state import screen
from gptcore.identity import Seed

_STEPS = {
    "scores": "q·k",
    "scaled": "÷ √K",
    "masked": "mask",
    "weights": "softmax",
    "ratio": "ratio",
}
_MASKED = ("masked", "weights", "ratio")


def attention() -> None:
    """Show all heads as thumbnails and one of them, step by step, with its tokens."""
    now = screen()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        block = controls.whole("block_block", "Block", high=now.config.n_layers - 1)
        head = controls.whole("block_head", "Head", high=now.config.n_heads - 1)
        step = controls.choice("block_step", "Step", _STEPS.__getitem__, segmented=True)
    found = summary()
    map_frame = cache.kept(measure.attention_map, found, block, head, step)
    ratios = cache.kept(measure.head_ratios, found)
    heads = cache.kept(head_thumbnails, ratios, (block, head), found.causal, now.look)
    title = f"block {block}, head {head}: {_STEPS[step]}"
    enlarged = cache.kept(attention_heat, map_frame, step, title, step in _MASKED, now.look)
    left, right = st.columns(2)
    with left:
        show.picture(heads, _pick_head)
    with right:
        show.picture(enlarged)
    n, n_groups = len(now.token_ids), len(found.groups)
    pooled = ""
    if step == "weights" and n_groups > 8:
        pooled = " The scale ends at the largest weight below the first quarter of the rows (+)."
    if n_groups < n:
        size = found.groups[0][1] + 1
        pooled += (
            f" {n:,} tokens are pooled to {n_groups} groups of {size} neighbours: weights are "
            "summed over a cell's keys and averaged over its queries."
        )
    off = abs(found.weights[block, head].sum(-1) - 1).max()
    show.caption(
        "Small maps: depth downwards, heads sideways; click one to enlarge it. Large map: "
        f"{measure.STEPS[step]}."
        f" Hatched: hidden by the causal mask. After softmax each row sums to 1 "
        f"(here to within {number(float(off), 8)}).{pooled}"
    )
    entropies = cache.kept(measure.head_entropies, found)
    here = entropies[(entropies["block"] == block) & (entropies["head"] == head)].iloc[0]
    show.notice(_entropy_sentence(n, block, head, here), "attn")
    dots = cache.kept(head_entropy_dots, entropies, now.look)
    show.chart(
        dots,
        "Entropy −Σ w ln w of each head's rows, in nats: how undecided a head is. Even weights over "
        "t + 1 positions have ln (t + 1), the most there can be.",
    )
    show.table_expander(enlarged, "Table, CSV and text version of the enlarged head")
    show.table_expander(heads, "Table, CSV and text version of the thumbnails")
    show.table_expander(dots, "Table, CSV and text version of the entropies")


def _entropy_sentence(n_tokens: int, block: int, head: int, here: Any) -> str:
    name = f"Block {block}, head {head}"
    if n_tokens == 1:
        return f"{name}: a single token can only look at itself, with weight 1 and entropy 0."
    untrained = isinstance(screen().weights, Seed)
    if here["share"] < measure.NEAR_UNIFORM:
        reason = "some keys are preferred" + ", though nothing has been learned" * untrained
    else:
        kind = "untrained " if untrained else ""
        reason = f"near uniform, because {kind}queries and keys hardly prefer one token to another"
    return (
        f"{name} has an entropy of {number(here['entropy'])} nats, {number(100 * here['share'], 1)} "
        f"% of the {number(here['uniform'])} of even weights: {reason}."
    )


def _pick_head(mark: dict[str, Any]) -> None:
    st.session_state["block_block"], st.session_state["block_head"] = map(int, mark["customdata"])
