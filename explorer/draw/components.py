"""Parameters by component: several models as stacked bars, one model's sum as a staircase."""

import pandas as pd

from explorer.draw.chart import Chart
from explorer.draw.figure import bar, blank_figure, scatter
from explorer.draw.line_ends import beside, name_line_ends
from explorer.draw.numbers import number, short
from explorer.draw.parts import part_hue
from explorer.draw.theme import Look


def component_bars(frame: pd.DataFrame, share: bool, names: dict[str, str], look: Look) -> Chart:
    """Draw every model as one bar, cut into its components.

    Args:
        frame: From `explorer.measure.component_shares`.
        share: Each bar's whole width is its model; else all bars have one scale from 0.
        names: Of the components, for people.
        look: How the viewer sees the page.
    """
    models = list(frame["model"].unique())
    totals = frame.groupby("model", sort=False)["parameters"].sum()
    figure = blank_figure(
        look,
        height=66 + 44 * len(models),
        x_title="share of the model's parameters (%)" if share else "parameters, linear from 0",
        y_title="",
    )
    widest = 1.0 if share else float(totals.max())
    for component, name in names.items():
        rows = frame[frame["component"] == component]
        size = rows["share"] if share else rows["parameters"]
        hue = part_hue(name, look)
        figure.add_trace(
            bar(
                x=100 * size if share else size,
                y=rows["model"],
                orientation="h",
                name=name,
                marker={"color": hue, "line": {"color": look.surface("page"), "width": 1}},
                text=[f"{100 * part:.1f} %" for part in rows["share"]],
                textposition="inside",
                insidetextanchor="middle",
                textangle=0,
                textfont={"size": look.font_px, "color": look.surface("page")},
                customdata=rows["parameters"],
                hovertemplate=f"{name}, %{{y}}: %{{customdata:,}}<extra></extra>",
            )
        )
    ends = [
        {
            "text": short(float(totals[model])),
            "x": 100 if share else float(totals[model]),
            "y": model,
            "xanchor": "left",
            "xshift": 6,
            "showarrow": False,
            "font": {"size": look.font_px, "color": look.surface("text")},
        }
        for model in models
    ]
    figure.update_layout(
        barmode="stack",
        bargap=0.28,
        margin={"r": 5 * look.font_px, "t": 6},
        annotations=ends,
        uniformtext={"mode": "hide", "minsize": look.font_px},  # no room, no text
    )
    figure.update_xaxes(range=[0, 100] if share else [0, widest], nticks=6, tickangle=0)
    figure.update_yaxes(autorange="reversed", showgrid=False)
    tables = frame[frame["component"].isin(["tok_emb", "out_head"])]
    part = tables.groupby("model", sort=False)["share"].sum()
    return Chart(
        "parameters-by-component",
        figure,
        frame,
        f"Parameters of {len(models)} model{'s' * (len(models) != 1)} by component. The largest is "
        f"{totals.idxmax()} with {number(float(totals.max()))}, the smallest {totals.idxmin()} with "
        f"{number(float(totals.min()))}. Token embedding and output head take the largest share in "
        f"{part.idxmax()}, {number(100 * float(part.max()), 1)} %, and the smallest in "
        f"{part.idxmin()}, {number(100 * float(part.min()), 1)} %.",
    )


_STEP_PARTS = {
    "tok_emb": "token embedding",
    "pos_emb": "positional embedding",
    "trf_blocks": "feed-forward",
    "final_norm": "norms",
    "out_head": "output head",
    "tie": "output head",
    "bias": "attention",
}


def tying_staircase(steps: pd.DataFrame, look: Look) -> Chart:
    """Draw the steps from every tensor counted to the released weights, each from the last one's sum.

    Args:
        steps: From `explorer.measure.tying_steps`.
        look: How the viewer sees the page.
    """
    figure = blank_figure(
        look,
        height=64 + 38 * len(steps),
        x_title="parameters, linear from 0; at the end: the sum so far",
        y_title="",
    )
    gone = steps["what"] == "tie"
    hues = [part_hue(_STEP_PARTS[what], look) for what in steps["what"]]
    figure.add_trace(
        bar(
            x=steps["change"],
            base=steps["total"] - steps["change"],
            y=steps["step"],
            orientation="h",
            marker={
                "color": hues,
                "line": {"color": hues, "width": 2},
                "pattern": {
                    "shape": ["/" if taken else "" for taken in gone],
                    "fgcolor": hues,
                    "bgcolor": look.surface("page"),
                },
            },
            hoverinfo="skip",
        )
    )
    top = float(steps["total"].max())
    for row in steps.itertuples():
        beside(
            figure, f"<b>{row.total:,}</b>", y=row.step, hue=look.surface("text"), look=look, gap=10
        )
    figure.update_xaxes(range=[0, top * 1.01], nticks=5, tickangle=0)
    figure.update_yaxes(
        autorange="reversed",
        showgrid=False,
        tickmode="array",
        tickvals=list(steps["step"]),
    )
    figure.update_layout(margin={"r": 8.5 * look.font_px, "t": 6}, bargap=0.32)
    last = steps.iloc[-1]
    return Chart(
        "tying-steps",
        figure,
        steps,
        f"The sum is largest with every tensor counted, {number(top)}; tying the head takes "
        f"{number(abs(float(steps.loc[gone, 'change'].iloc[0])))} away, and with the QKV biases it "
        f"ends at {number(float(last['total']))}.",
    )


def halves_lines(frame: pd.DataFrame, emb_dim: int, look: Look) -> Chart:
    """Draw feed-forward over attention against the width, with and without QKV biases.

    Args:
        frame: From `explorer.measure.halves_by_width`.
        emb_dim: Where the viewer's configuration is.
        look: How the viewer sees the page.
    """
    figure = blank_figure(
        look,
        height=300,
        x_title="emb_dim (D), log scale",
        y_title="feed-forward parameters over attention parameters",
    )
    ends = []
    for qkv_bias, rows in frame.groupby("qkv_bias"):
        name = "QKV biases" if qkv_bias else "no QKV biases"
        hue = look.role("attn") if qkv_bias else look.surface("muted")
        figure.add_trace(
            scatter(
                x=rows["emb_dim"],
                y=rows["ratio"],
                mode="lines",
                line={
                    "color": hue,
                    "width": look.line_px,
                    "dash": "solid" if qkv_bias else "dash",
                },
                hovertemplate=f"{name}, D = %{{x}}: %{{y:.4f}}<extra></extra>",
            )
        )
        ends.append((float(rows["ratio"].iloc[-1]), name, hue))
    top = float(frame["ratio"].max()) * 1.05
    name_line_ends(figure, ends, 0, top, look)
    figure.add_vline(x=emb_dim, line={"color": look.surface("text"), "width": 1, "dash": "dot"})
    figure.update_xaxes(type="log", dtick=1, tickformat=",")
    figure.update_yaxes(range=[0, top])
    high, low = frame.loc[frame["ratio"].idxmax()], frame.loc[frame["ratio"].idxmin()]
    return Chart(
        "feed-forward-over-attention",
        figure,
        frame,
        f"The ratio is largest, {number(high['ratio'])}, at a width of {number(high['emb_dim'])} "
        f"{'with' if high['qkv_bias'] else 'without'} QKV biases, and smallest, "
        f"{number(low['ratio'])}, at {number(low['emb_dim'])} "
        f"{'with' if low['qkv_bias'] else 'without'}; both come near 2 as the width grows.",
    )
