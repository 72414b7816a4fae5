"""Statistics of the residual stream over depth, as small multiples."""

from collections.abc import Sequence

import pandas as pd

from explorer.draw.chart import Chart, extremes
from explorer.draw.figure import Figure, blank_figure, scatter
from explorer.draw.line_ends import beside
from explorer.draw.numbers import number
from explorer.draw.theme import Look

PARTS = {
    "resid_pre": ("act", "circle", "into the block"),
    "resid_mid": ("attn", "diamond", "after attention"),
    "resid_post": ("ff", "square", "after feed-forward"),
    "attn_out": ("attn", "diamond-open", "attention gives out"),
    "ff_out": ("ff", "square-open", "feed-forward gives out"),
}
"""Each place of a block: its role, its mark, and what it is called."""


STREAM = ("resid_pre", "resid_mid", "resid_post")
ADDED = ("attn_out", "ff_out")
_PANELS: tuple[tuple[str, str, Sequence[str]], ...] = (
    ("std", "Standard deviation", STREAM),
    ("rms", "RMS norm", STREAM),
    ("mean", "Mean", STREAM),
    ("rms", "RMS norm of what is added", ADDED),
    ("min", "Minimum", STREAM),
    ("max", "Maximum", STREAM),
    ("cosine", "Cosine with the stream", ADDED),
)


def tall(look: Look, share: float = 1.0) -> int:
    """Return the height of a main picture, so that one screen holds claim, controls and it.

    Args:
        look: How the viewer sees the page; in projector mode figures grow by 1.3, and the screen
            doesn't.
        share: Of that height, for pictures that stand one above the other.
    """
    return round(share * (325 if look.projector else 400))


def depth_panels(frame: pd.DataFrame, look: Look) -> list[Chart]:
    """Draw every statistic over the blocks: see `depth_panel`."""
    return [depth_panel(frame, *panel, look) for panel in _PANELS]


def add_depth_lines(
    figure: Figure, frame: pd.DataFrame, value: str, points: Sequence[str], look: Look
) -> None:
    """Add one line a place of the block, in its part's hue."""
    n_blocks = frame["block"].nunique()
    for point in points:
        role, symbol, label = PARTS[point]
        rows = frame[frame["point"] == point]
        figure.add_trace(
            scatter(
                x=rows["block"],
                y=rows[value],
                name=label,
                mode="lines+markers" if n_blocks <= 24 else "lines",
                line={"color": look.role(role), "width": look.line_px * 0.7},
                marker={"symbol": symbol, "size": look.marker_px * 0.65, "color": look.role(role)},
                hovertemplate=f"{point}, block %{{x}}: %{{y:.4f}}<extra></extra>",
            )
        )
    figure.update_xaxes(
        tickvals=[0, n_blocks - 1] if n_blocks > 1 else [0], range=[-0.4, n_blocks - 0.6]
    )


def depth_panel(
    frame: pd.DataFrame,
    value: str,
    title: str,
    points: Sequence[str],
    look: Look,
    height: int = 192,
) -> Chart:
    """Draw one statistic over the blocks, for one cell of a set of small multiples.

    Args:
        frame: From `explorer.measure.block_stats`.
        value: One of its columns.
        title: What the column is, with its unit.
        points: Which places of a block to draw.
        look: How the viewer sees the page.
        height: In pixels at a desk.
    """
    shown = frame[frame["point"].isin(points)].reset_index(drop=True)
    figure = blank_figure(look, height=height, x_title="", y_title=title)
    add_depth_lines(figure, shown, value, points, look)
    figure.update_yaxes(nticks=5)
    if value == "cosine":
        figure.update_yaxes(range=[-1.05, 1.05], tickvals=[-1, 0, 1])
    if shown[value].min() >= 0:
        figure.update_yaxes(rangemode="tozero")
    alt = extremes(shown, value, title, ["point", "block"])
    return Chart(f"block-{'added-' if 'ff_out' in points else ''}{value}", figure, shown, alt)


def ridge(bins: pd.DataFrame, stats: pd.DataFrame, point: str, look: Look) -> Chart:
    """Draw one histogram a block, one above the other on one scale, first block on top.

    Args:
        bins: From `explorer.measure.block_histograms`.
        stats: From `explorer.measure.block_stats`, for the share of outlying values.
        point: The point of the stream.
        look: How the viewer sees the page.
    """
    role, _, label = PARTS[point]
    blocks = sorted(bins["block"].unique())
    n = len(blocks)
    figure = blank_figure(
        look,
        height=tall(look),
        x_title="value of a feature (activation units, one scale for all blocks)",
        y_title="block; height: share of the values per unit",
    )
    tallest = bins["density"].max() or 1.0
    outside = stats[stats["point"] == point].set_index("block")["outside"]
    hue = look.role(role)
    every = max(1, round(n / 12))
    for block in blocks:
        rows = bins[bins["block"] == block]
        base = n - 1 - block
        x = [v for pair in zip(rows["low"], rows["high"], strict=True) for v in pair]
        y = [base + 1.5 * v / tallest for v in rows["density"] for _ in (0, 1)]
        figure.add_trace(
            scatter(
                x=[x[0], *x, x[-1]],
                y=[base, *y, base],
                fill="toself",
                fillcolor=look.wash_of(hue, 0.35),
                mode="lines",
                line={"color": hue, "width": 3 if look.projector else 1.5},
                hoverinfo="skip",
            )
        )
        if block % every == 0:
            beside(
                figure,
                f"{number(100 * float(outside[block]), 2)} %",
                y=base + 0.25,
                hue=look.surface("text"),
                look=look,
                gap=6,
            )
    beside(figure, "beyond ±3 std", y=n + 0.2, hue=look.surface("muted"), look=look, gap=6)
    figure.update_yaxes(
        tickvals=[n - 1 - b for b in blocks if b % every == 0],
        ticktext=[f"{b}" for b in blocks if b % every == 0],
        range=[-0.2, n + 0.7],
        showgrid=False,
    )
    figure.update_layout(margin={"r": 7 * look.font_px})
    most, least = int(outside.idxmax()), int(outside.idxmin())
    widths = bins.groupby("block").agg(low=("low", "min"), high=("high", "max"))
    widest = int((widths["high"] - widths["low"]).idxmax())
    return Chart(
        f"block-histograms-{point}",
        figure,
        bins,
        f"Histograms of the stream {label}, one a block. The widest is block {widest}'s, from "
        f"{number(widths.loc[widest, 'low'])} to {number(widths.loc[widest, 'high'])}. The share "
        f"beyond 3 standard deviations is largest, {number(100 * float(outside[most]), 2)} %, in "
        f"block {most}; smallest, {number(100 * float(outside[least]), 2)} %, in block {least}.",
    )
