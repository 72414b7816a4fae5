"""The likeliest next tokens as bars."""

import pandas as pd
import plotly.graph_objects as go

from explorer.draw.chart import Chart, number
from explorer.draw.theme import Look, blank_figure


def next_token_bars(candidates: pd.DataFrame, vocab_size: int, look: Look) -> Chart:
    """Draw the candidates' probabilities from 0 to the largest, with the even share 1/V marked.

    Args:
        candidates: From `explorer.measure.next_token`, likeliest first.
        vocab_size: V.
        look: How the viewer sees the page.
    """
    percent = 100 * candidates["probability"]
    labels = [
        f"{token}  {token_id}"
        for token, token_id in zip(candidates["token"], candidates["token_id"], strict=True)
    ]
    figure = blank_figure(
        look,
        height=60 + 27 * len(candidates),
        x_title="probability of being next (%, linear from 0 to the largest)",
        y_title="token and its ID, likeliest first",
    )
    hues = [look.role("act")] + [look.wash_of(look.role("act"), 0.45)] * (len(candidates) - 1)
    figure.add_trace(
        go.Bar(
            x=percent,
            y=list(range(len(candidates))),
            orientation="h",
            marker={"color": hues, "line": {"width": 0}},
            text=[number(value, 4) for value in percent],
            textposition="outside",
            textfont={"size": look.font_px, "color": look.surface("text")},
            cliponaxis=False,
            hoverinfo="skip",
        )
    )
    even = 100 / vocab_size
    figure.add_vline(x=even, line={"color": look.surface("text"), "width": 2, "dash": "dot"})
    figure.add_annotation(
        text=f"even share 1/V: {number(even, 4)} %",
        x=even,
        y=1,
        yref="paper",
        xanchor="left",
        yanchor="bottom",
        showarrow=False,
        font={"color": look.surface("muted"), "size": look.font_px},
    )
    # Token text is a person's or a model's: plotly would read <b> in a tick, so it is escaped.
    shown = [label.replace("&", "&amp;").replace("<", "&lt;") for label in labels]
    figure.update_yaxes(
        autorange="reversed",
        tickmode="array",
        tickvals=list(range(len(candidates))),
        ticktext=shown,
        tickfont={"family": '"Source Code Pro", monospace'},
        showgrid=False,
    )
    figure.update_xaxes(range=[0, float(percent.max()) * 1.18], showgrid=False)
    first = candidates.iloc[0]
    return Chart(
        "next-token",
        figure,
        candidates,
        f"The likeliest next token is “{first['token']}”, ID {first['token_id']}, with "
        f"{number(float(percent.iloc[0]), 4)} %; of the {len(candidates)} shown, the least likely "
        f"has {number(float(percent.iloc[-1]), 4)} %. An even share is {number(even, 4)} %.",
    )
