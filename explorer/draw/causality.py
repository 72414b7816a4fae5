"""What moved when one token was changed."""

import numpy as np
import pandas as pd

from explorer.draw.chart import Chart
from explorer.draw.figure import blank_figure, heatmap, scatter
from explorer.draw.numbers import number, power_of_ten
from explorer.draw.stream import tall
from explorer.draw.theme import Look
from explorer.draw.tokens import colour_bar, token_ticks

_DECADES = 6


def moved_heat(frame: pd.DataFrame, position: int, look: Look) -> Chart:
    """Draw how far every token's vector moved at every point of the stream, on a log scale.

    What did not move at all stays as empty as the page and holds a 0.

    Args:
        frame: From `explorer.measure.moved_by_edit`.
        position: Which token was changed.
        look: How the viewer sees the page.
    """
    table = frame.pivot(index="position", columns="point", values="moved").to_numpy(dtype="float32")
    n_tokens, n_points = table.shape
    tokens = frame[frame["point"] == 0]["token"].tolist()
    largest = float(table.max())
    top = int(np.ceil(np.log10(largest))) if largest else 0
    with np.errstate(divide="ignore"):
        decades = np.log10(table)
    decades = np.where(table > 0, np.maximum(decades, top - _DECADES), np.float32(np.nan))
    figure = blank_figure(
        look,
        height=tall(look),
        x_title="the stream: into block 0, then after each of the two additions of every block",
        y_title="largest change of any feature of a token (log scale); 0: nothing moved",
    )
    ticks = list(range(top - _DECADES, top + 1, 2))
    bar = colour_bar(look, "")
    bar |= {"tickvals": ticks, "ticktext": [power_of_ten(t) for t in ticks]}
    figure.add_trace(
        heatmap(
            z=decades,
            colorscale=look.scale("seq"),
            zmin=top - _DECADES,
            zmax=top,
            xgap=1,
            ygap=1,
            colorbar=bar,
            customdata=table,
            hovertemplate="position %{y}, point %{x}: %{customdata:.3g}<extra></extra>",
        )
    )
    rows, columns = np.nonzero(table == 0)
    figure.add_trace(
        scatter(
            x=columns,
            y=rows,
            mode="text" if n_tokens <= 26 and n_points <= 50 else "markers",
            text=["0"] * len(rows),
            textfont={"size": look.font_px, "color": look.surface("muted")},
            marker={"size": 2, "color": look.surface("muted")},
            hoverinfo="skip",
        )
    )
    figure.add_hline(
        y=position - 0.5, line={"color": look.surface("text"), "width": 2, "dash": "dot"}
    )
    where, names = token_ticks(
        [f"{'→ ' if t == position else ''}{t} {token}" for t, token in enumerate(tokens)]
    )
    figure.update_yaxes(
        range=[n_tokens - 0.5, -0.5],
        ticklabelstandoff=6,
        tickvals=where,
        ticktext=names,
        showgrid=False,
        ticks="",
    )
    n_blocks = (n_points - 1) // 2
    every = max(1, round(n_blocks / 12))
    figure.update_xaxes(
        range=[-0.5, n_points - 0.5],
        ticks="",
        tickvals=[2 * block + 1.5 for block in range(0, n_blocks, every)],
        ticktext=[f"block {b}" if n_blocks <= 6 else str(b) for b in range(0, n_blocks, every)],
    )
    before = frame[frame["position"] < position]["moved"]
    after = frame[frame["position"] >= position]
    most = after.loc[after["moved"].idxmax()]
    return Chart(
        "causality",
        figure,
        frame,
        f"With position {position} changed, positions before it move by at most "
        f"{number(float(before.max()) if len(before) else 0.0, 6)}; the largest change, "
        f"{number(float(most['moved']))}, is at position {int(most['position'])}, {most['where']}.",
    )
