"""What the two loops of greedy decoding read, and how long it takes."""

import pandas as pd

from explorer.draw.chart import Chart, extremes
from explorer.draw.figure import bar, blank_figure, scatter
from explorer.draw.line_ends import beside, name_line_ends
from explorer.draw.numbers import number
from explorer.draw.theme import Look

WITHOUT, WITH = "without cache", "with cache"


def read_positions(frame: pd.DataFrame, look: Look) -> Chart:
    """Draw which positions every step reads: the plain loop all bars, the cached one the blue part.

    Args:
        frame: From `explorer.measure.cache_work`.
        look: How the viewer sees the page.
    """
    plain, cached = (frame[frame["loop"] == loop] for loop in (WITHOUT, WITH))
    figure = blank_figure(
        look,
        height=320,
        x_title="step",
        y_title="positions of the window, from the first at the bottom",
    )
    again = plain["read"].to_numpy() - cached["read"].to_numpy()
    hatch = {"shape": "/", "size": 5, "solidity": 0.3, "fgcolor": look.surface("muted")}
    figure.add_trace(
        bar(
            x=plain["step"],
            y=again,
            marker={"color": look.surface("panel"), "pattern": hatch},
            hovertemplate="step %{x}: %{y} positions computed again<extra></extra>",
        )
    )
    figure.add_trace(
        bar(
            x=cached["step"],
            y=cached["read"],
            base=again,
            marker={"color": look.role("act")},
            hovertemplate="step %{x}: %{y} positions read with the cache<extra></extra>",
        )
    )
    last = plain.iloc[-1]
    for text, hue, y in (
        ("read in both loops", look.role("act"), float(last["tokens"])),
        ("read again without cache", look.surface("muted"), float(last["tokens"]) / 2),
    ):
        beside(figure, text, y=y, hue=hue, look=look, gap=8)
    figure.update_layout(barmode="overlay", margin={"r": 13 * look.font_px})
    total = {loop: int(rows["read"].sum()) for loop, rows in ((WITHOUT, plain), (WITH, cached))}
    return Chart(
        "positions-read",
        figure,
        frame,
        f"Over {len(plain)} steps the loop without a cache reads {number(total[WITHOUT])} positions "
        f"and the one with a cache {number(total[WITH])}. "
        + extremes(frame, "read", "The number of positions read", ["loop", "step"]),
    )


def loop_lines(frame: pd.DataFrame, column: str, what: str, look: Look) -> Chart:
    """Draw what every step costs in both loops, from 0.

    Args:
        frame: One row a loop and step, with `loop` and `step`.
        column: What is drawn.
        what: Its name with the unit, for the axis.
        look: How the viewer sees the page.
    """
    figure = blank_figure(look, height=260, x_title="step", y_title=what)
    ends: list[tuple[float, str, str]] = []
    for loop, hue, dash in (
        (WITHOUT, look.surface("muted"), "dash"),
        (WITH, look.role("act"), "solid"),
    ):
        rows = frame[frame["loop"] == loop]
        figure.add_trace(
            scatter(
                x=rows["step"],
                y=rows[column],
                mode="lines",
                line={"color": hue, "width": look.line_px, "dash": dash},
                hovertemplate=f"{loop}, step %{{x}}: %{{y:,.1f}}<extra></extra>",
            )
        )
        ends.append((float(rows[column].iloc[-1]), loop, hue))
    high = float(frame[column].max()) * 1.05
    figure.update_yaxes(range=[0, high])
    name_line_ends(figure, ends, 0, high, look)
    return Chart(f"loops-{column}", figure, frame, extremes(frame, column, what, ["loop", "step"]))


def cropping_bars(frame: pd.DataFrame, look: Look) -> Chart:
    """Draw how far a prediction from the last tokens only is from the one from all of them.

    Args:
        frame: From `explorer.measure.cropped_predictions`.
        look: How the viewer sees the page.
    """
    figure = blank_figure(
        look,
        height=300,
        x_title="tokens read, counted from the last one",
        y_title="total variation distance to the prediction from all tokens (0 to 1)",
    )
    # Token text is a model's: plotly would read <b> in a label, so it is escaped.
    names = [text.replace("&", "&amp;").replace("<", "&lt;") for text in frame["predicted"]]
    figure.add_trace(
        bar(
            x=[f"{window:,}" for window in frame["window"]],
            y=frame["distance"],
            marker={"color": look.role("act")},
            text=names,
            textposition="outside",
            textfont={
                "size": look.font_px,
                "color": look.surface("text"),
                "family": '"Source Code Pro", monospace',
            },
            cliponaxis=False,
            hoverinfo="skip",
        )
    )
    figure.update_xaxes(type="category")
    figure.update_yaxes(range=[0, max(0.01, float(frame["distance"].max()) * 1.15)])
    return Chart(
        "cropping",
        figure,
        frame,
        extremes(frame, "distance", "The distance to the prediction from all tokens", ["window"]),
    )
