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
    every = list(frame.itertuples())
    parts = {name: [row for row in every if row.component == name] for name in names}
    models = [row.model for row in parts["tok_emb"]]
    totals = {
        model: sum(int(rows[index].parameters) for rows in parts.values())
        for index, model in enumerate(models)
    }
    tables = {
        model: float(parts["tok_emb"][index].share + parts["out_head"][index].share)
        for index, model in enumerate(models)
    }
    figure = blank_figure(
        look,
        height=66 + 44 * len(models),
        x_title="share of the model's parameters (%)" if share else "parameters, linear from 0",
        y_title="",
    )
    for component, name in names.items():
        parameters = [row.parameters for row in parts[component]]
        shares = [100 * row.share for row in parts[component]]
        hue = part_hue(name, look)
        figure.add_trace(
            bar(
                x=shares if share else parameters,
                y=models,
                orientation="h",
                name=name,
                marker={"color": hue, "line": {"color": look.surface("page"), "width": 1}},
                text=[f"{part:.1f} %" for part in shares],
                textposition="inside",
                insidetextanchor="middle",
                textangle=0,
                textfont={"size": look.font_px, "color": look.surface("page")},
                customdata=parameters,
                hovertemplate=f"{name}, %{{y}}: %{{customdata:,}}<extra></extra>",
            )
        )
    ends = [
        {
            "text": short(total),
            "x": 100 if share else total,
            "y": model,
            "xanchor": "left",
            "xshift": 6,
            "showarrow": False,
            "font": {"size": look.font_px, "color": look.surface("text")},
        }
        for model, total in totals.items()
    ]
    figure.update_layout(
        barmode="stack",
        bargap=0.28,
        margin={"r": 5 * look.font_px, "t": 6},
        annotations=ends,
        uniformtext={"mode": "hide", "minsize": look.font_px},  # no room, no text
    )
    figure.update_xaxes(range=[0, 100 if share else max(totals.values())], nticks=6, tickangle=0)
    figure.update_yaxes(autorange="reversed", showgrid=False)
    largest, smallest = max(totals, key=totals.__getitem__), min(totals, key=totals.__getitem__)
    most, least = max(tables, key=tables.__getitem__), min(tables, key=tables.__getitem__)
    return Chart(
        "parameters-by-component",
        figure,
        frame,
        f"Parameters of {len(models)} model{'s' * (len(models) != 1)} by component. The largest is "
        f"{largest} with {number(totals[largest])}, the smallest {smallest} with "
        f"{number(totals[smallest])}. Token embedding and output head take the largest share in "
        f"{most}, {number(100 * tables[most], 1)} %, and the smallest in {least}, "
        f"{number(100 * tables[least], 1)} %.",
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
