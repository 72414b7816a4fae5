"""Views of the block page that change something: a token, or the norm of a deep model."""

import streamlit as st

from explorer import measure
from explorer.draw.causality import moved_heat
from explorer.draw.comparison import norm_depth_lines
from explorer.draw.numbers import number
from explorer.ui import cache, controls, show
from explorer.ui.state import screen
from gptcore.tokenizer import encode

_DEEP = {
    "rms": "RMS norm of the stream after a block",
    "gradient": "mean |gradient| of a block's matrices, log scale",
}


def causality() -> None:
    """Change one token and show what moves."""
    now = screen()
    ids = now.token_ids[: measure.MAX_EDITED_TOKENS]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        position = controls.whole("block_edited", "Position", high=len(ids) - 1)
        typed = controls.words("block_replacement", "New text there")
        causal = controls.switch("block_mask", "Causal mask")
    new_ids = encode(typed)
    if not new_ids:
        raise ValueError("The new text is empty; type at least one character.")
    moved = cache.measured(measure.moved_by_edit, now.model_id, ids, position, new_ids[0], causal)
    drawn = cache.kept(moved_heat, moved, position, now.look)
    cut = f" Of {len(now.token_ids):,} tokens the first {len(ids)} are read here." * (
        len(ids) < len(now.token_ids)
    )
    show.chart(
        drawn,
        "Tokens in reading order downwards, the stream from left to right. The dotted line is just "
        f"above the changed token, of which the first token of the new text was taken.{cut}",
    )
    before = moved[moved["position"] < position]["moved"]
    later = moved[moved["position"] > position]["moved"]
    old, new = measure.token_text(ids[position]), measure.token_text(new_ids[0])
    start = f"“{old}” at position {position} became “{new}”"
    if new_ids[0] == ids[position]:
        said = f"{start}, the same token: nothing moves."
    else:
        parts = []
        if len(before):
            parts.append(f"before it the largest change is {number(before.max(), 6)}")
        if len(later):
            subject = "" if parts else "the largest change is "
            parts.append(f"after it {subject}{number(later.max(), 6)}")
        reason = (
            "the mask lets no position see a later one"
            if causal
            else "without the mask every position sees every other"
        )
        said = f"{start}: {', '.join(parts) or 'there is no other position'}; {reason}."
    show.notice(said, "attn")
    show.table_expander(drawn)


def norm_depth() -> None:
    """Show what depth does to the stream and the gradient under pre-LN and post-LN."""
    now = screen()
    depth = int(controls.choice("block_depth", "Blocks", segmented=True))
    frame = cache.computed(measure.norm_depth_stats, now.token_ids, now.seed)
    size, gradient = (
        cache.kept(norm_depth_lines, frame, depth, value, title, now.look)
        for value, title in _DEEP.items()
    )
    for column, drawn in zip(st.columns(2), (size, gradient), strict=True):
        with column:
            show.picture(drawn)
    narrow = measure.NARROW
    show.caption(
        f"A narrow model of {depth} blocks, emb_dim {narrow.emb_dim}, {narrow.n_heads} heads, seed "
        f"{now.seed}, on this prompt's first {narrow.context_length} tokens; the loss is the mean "
        "cross-entropy of each next token. Both norms share their weights."
    )
    ratios = cache.kept(measure.gradient_ratios, frame)
    listed = "; ".join(
        f"at {row.depth}, {number(row.pre, 2)} and {number(row.post, 2)}"
        for row in ratios.itertuples()
    )
    show.notice(
        f"Block 0's gradient over the last block's, pre-LN and post-LN, by number of blocks: {listed}. "
        "Pre-LN leaves the stream's own path unscaled; post-LN rescales it at every norm.",
        "grad",
    )
    show.table_expander(size, "Table, CSV and text version of the sizes")
    show.table_expander(gradient, "Table, CSV and text version of the gradients")
