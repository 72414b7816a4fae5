"""Views of the block page that look at the stream: by depth, by token, as histograms, as sums."""

from collections.abc import Iterable
from dataclasses import replace
from html import escape
from typing import Any

import streamlit as st

from explorer import measure
from explorer.draw.chart import extremes
from explorer.draw.numbers import number
from explorer.draw.stream import PARTS, depth_panel, depth_panels, ridge, tall
from explorer.draw.tokens import feature_bars, token_heat, token_values
from explorer.measure.summary import PassSummary
from explorer.ui import cache, controls, show
from explorer.ui.state import screen

TITLES = {
    "mean": "Mean",
    "std": "Standard deviation",
    "min": "Minimum",
    "max": "Maximum",
    "rms": "RMS norm",
}


def summary() -> PassSummary:
    """Return the one pass that every view of this prompt reads from."""
    now = screen()
    return cache.measured(measure.pass_summary, now.model_id, now.token_ids)


def where(point: str) -> str:
    """Name a point of the stream for a control."""
    return f"{point}: {PARTS[point][2]}"


def line_key(points: Iterable[str], in_a_row: bool = False) -> None:
    """Name the marks of the lines, in their hues."""
    marks = {"circle": "●", "diamond": "◆", "square": "■"}
    rows = []
    for role, symbol, label in (PARTS[point] for point in points):
        mark = marks.get(symbol.removesuffix("-open"), "")
        open_mark = {"◆": "◇", "■": "□"}.get(mark, mark) if symbol.endswith("-open") else mark
        rows.append(f'<li style="color:var(--gx-{role})">{open_mark} {label}</li>')
    kind = "line-key row" if in_a_row else "line-key"
    st.html(f'<ul class="{kind}">{"".join(rows)}</ul>')


def by_depth() -> None:
    """Show every statistic over the blocks, as small multiples."""
    now = screen()
    stats = cache.kept(measure.block_stats, summary())
    panels = cache.kept(depth_panels, stats, now.look)
    for row in (panels[:4], panels[4:]):
        for column, panel in zip(st.columns(4), [*row, None][:4], strict=False):
            with column:
                if panel is None:
                    line_key(PARTS)
                else:
                    show.picture(panel)
    first, last = stats["std"].iloc[0], stats["std"].iloc[-1]
    show.caption(
        "Every panel: block from left to right, activation units upwards (a cosine has none). "
        f"N = T × D = {len(now.token_ids):,} × {now.config.emb_dim:,} = "
        f"{int(stats['n'].iloc[0]):,} values a point."
    )
    times = f", {number(last / first, 2)} times as much" if first else ""
    show.notice(
        f"The spread of the stream goes from {number(first)} into block 0 to {number(last)} out of "
        f"block {now.config.n_layers - 1}{times}: each of the {2 * now.config.n_layers} additions "
        "brings its own."
    )
    cosine = "Cosine: x·y / (‖x‖ ‖y‖) of what is added and the stream before, mean over the tokens."
    lines = "".join(f"<li>{escape(text)}</li>" for text in (*measure.STATISTICS.values(), cosine))
    st.html(f'<ul class="definitions">{lines}</ul>')
    spoken = " ".join(panel.alt for panel in panels)
    show.table_expander(replace(panels[0], name="block-statistics", frame=stats, alt=spoken))


def by_token() -> None:
    """Show one statistic of every token in every block, and the features of the picked cell."""
    now = screen()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        statistic = controls.choice("block_statistic", "Statistic", TITLES.__getitem__)
        point = controls.choice("block_point", "Point of the stream", where)
        block = controls.whole("block_block", "Block", high=now.config.n_layers - 1)
        position = controls.whole("block_position", "Token", high=len(now.token_ids) - 1)
    found = summary()
    stats = cache.kept(measure.token_stats, found, point)
    token = measure.token_text(now.token_ids[position])
    place = f"“{token}” (position {position}) in block {block}, {PARTS[point][2]}"
    features = cache.kept(measure.largest_features, found, block, point, position)
    reach = (float(stats["min"].min()), float(stats["max"].max()))
    heat = cache.kept(
        token_heat, stats, statistic, TITLES[statistic], point, (block, position), now.look
    )
    bins = cache.kept(measure.token_histogram, found, block, point, position)
    left, right = st.columns([3, 2])
    with left:
        show.picture(heat, _pick_token)
    with right:
        show.picture(cache.kept(token_values, bins, reach, place, now.look))
        show.picture(cache.kept(feature_bars, features, place, now.look))
    show.caption(
        "Heat map: tokens downwards in reading order, blocks from left to right; click a cell or use "
        "the controls to pick a token (by position from 0). Histogram and bars: the "
        f"{now.config.emb_dim:,} features of {place}; features have no names."
    )
    chosen = stats[(stats["block"] == block) & (stats["position"] == position)].iloc[0]
    largest = features.iloc[0]
    show.notice(
        f"{place} has {TITLES[statistic].lower()} {number(chosen[statistic])}; its largest feature "
        f"is number {int(largest['feature'])} with {number(largest['value'])}. Each token has a "
        "vector of its own, and only attention lets one read another's."
    )
    show.caption(measure.STATISTICS[statistic])
    show.table_expander(heat)


def _pick_token(mark: dict[str, Any]) -> None:
    st.session_state["block_block"] = int(mark["x"])
    st.session_state["block_position"] = int(mark["y"])


def histograms() -> None:
    """Show the values of the stream in every block."""
    now = screen()
    with st.container(width=320):
        point = controls.choice("block_point", "Point of the stream", where)
    found = summary()
    stats = cache.kept(measure.block_stats, found)
    bins = cache.kept(measure.block_histograms, found, point)
    drawn = cache.kept(ridge, bins, stats, point, now.look)
    show.chart(
        drawn,
        f"One ridge a block, the first on top; all values of all {len(now.token_ids):,} tokens. "
        "At the right: the share of values farther than 3 standard deviations from the mean.",
    )
    outside = stats[stats["point"] == point]["outside"]
    show.notice(
        f"Beyond ±3 standard deviations lie {number(100 * outside.iloc[0], 2)} % of the values in "
        f"block 0 and {number(100 * outside.iloc[-1], 2)} % in block {now.config.n_layers - 1}; "
        "of a normal distribution it would be 0.27 %.",
        PARTS[point][0],
    )
    show.table_expander(drawn)


def identities() -> None:
    """Show that the stream after an addition is the stream before and what was added."""
    now = screen()
    found = summary()
    gaps = cache.kept(measure.identity_gaps, found)
    sizes = cache.kept(measure.block_stats, found)
    drawn = cache.kept(
        depth_panel,
        sizes,
        "rms",
        "RMS norm of both sides' terms",
        tuple(PARTS),
        now.look,
        height=tall(now.look, 0.9),
    )
    left, right = st.columns([2, 1], vertical_alignment="center")
    with left:
        show.picture(drawn)
    with right:
        line_key(PARTS)
        for name, rows in gaps.groupby("identity", sort=False):
            show.caption(f"{name}: largest difference {number(rows['gap'].max(), 9)}")
    show.caption(
        "Block from left to right. Filled marks are the stream, open ones what is added to it; "
        "dropout is off, as in eval mode."
    )
    worst = gaps.loc[gaps["gap"].idxmax()]
    show.notice(
        f"The largest difference between the two sides of {len(gaps)} identities is "
        f"{number(worst['gap'], 9)}, in values of up to {number(gaps['largest'].max())}: a block "
        "does nothing to the stream but add to it, twice."
    )
    spoken = extremes(gaps, "gap", "Difference between the two sides", ["block", "identity"])
    show.table_expander(replace(drawn, name="block-identities", frame=gaps, alt=spoken))
