"""Per-block statistics of the residual stream as lines over depth."""

import pandas as pd
import plotly.graph_objects as go

from explorer.draw.chart import Chart, extremes
from explorer.draw.theme import Look, blank_figure

_POINTS = {
    "resid_pre": ("act", "resid_pre: into the block", "circle"),
    "resid_mid": ("attn", "resid_mid: after attention", "diamond"),
    "resid_post": ("ff", "resid_post: after feed-forward", "square"),
}


def block_stats_lines(frame: pd.DataFrame, statistic: str, title: str, look: Look) -> Chart:
    """Draw one statistic over the blocks, a line for each point of the block.

    Args:
        frame: From `explorer.measure.block_stats`.
        statistic: One of its columns.
        title: What the statistic is, for the axis.
        look: How the viewer sees the page.
    """
    figure = blank_figure(
        look,
        height=360,
        x_title="block, from the first (0) to the last",
        y_title=f"{title} of the residual stream (activation units)",
    )
    n_blocks = frame["block"].nunique()
    for point, (role, label, symbol) in _POINTS.items():
        rows = frame[frame["point"] == point]
        figure.add_trace(
            go.Scatter(
                x=rows["block"],
                y=rows[statistic],
                name=label,
                mode="lines+markers" if n_blocks <= 48 else "lines",
                line={"color": look.role(role), "width": look.line_px},
                marker={
                    "symbol": symbol,
                    "size": look.marker_px,
                    "color": look.role(role),
                    "line": {"color": look.surface("page"), "width": 1.5},
                },
                hovertemplate=f"{point}, block %{{x}}: %{{y:.4f}}<extra></extra>",
            )
        )
    _name_line_ends(figure, frame, statistic, look)
    figure.update_xaxes(dtick=max(1, round(n_blocks / 12)), range=[-0.4, n_blocks - 0.6])
    return Chart(
        f"block-{statistic}",
        figure,
        frame,
        extremes(frame, statistic, f"{title} of the residual stream", ["point", "block"]),
    )


def _name_line_ends(figure: go.Figure, frame: pd.DataFrame, statistic: str, look: Look) -> None:
    """Write each line's name at its end, in its hue, far enough apart to read."""
    last = frame[frame["block"] == frame["block"].max()].set_index("point")[statistic]
    low, high = frame[statistic].min(), frame[statistic].max()
    room = (high - low or 1.0) * 0.11
    at = -float("inf")
    for point in last.sort_values().index:
        role, label, _ = _POINTS[point]
        at = max(float(last[point]), at + room)
        figure.add_annotation(
            text=label,
            xref="paper",
            x=1,
            y=at,
            xanchor="left",
            xshift=8,
            showarrow=False,
            font={"color": look.role(role), "size": look.font_px},
        )
    figure.update_layout(margin={"r": 14 * look.font_px})
