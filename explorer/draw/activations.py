"""GELU, its exact form and ReLU as curves."""

import pandas as pd

from explorer.draw.chart import Chart, extremes
from explorer.draw.figure import blank_figure, scatter
from explorer.draw.numbers import number, significant
from explorer.draw.theme import Look

NAMES = {"gelu": "GELU", "exact": "exact GELU", "relu": "ReLU"}
_TITLES = {"value": "activation", "slope": "slope (derivative)"}
_LABELS = NAMES | {"exact": "exact (dots)"}
# Where a curve's name stands: x, and pixels to the right and up.
_PLACES = {
    "value": {"gelu": (1.9, 34, -12), "relu": (-3.0, 0, 16), "exact": (2.7, 0, -72)},
    "slope": {"gelu": (1.7, 22, 14), "relu": (2.6, 0, -14), "exact": (-1.4, -16, -16)},
}


def activation_lines(
    curves: pd.DataFrame,
    at: pd.DataFrame,
    column: str,
    look: Look,
    minimum: tuple[float, float] | None = None,
) -> Chart:
    """Draw every form's value or slope, and what each gives at one x.

    Args:
        curves: From `explorer.measure.activation_curves`.
        at: From `explorer.measure.activation_values`, at one x.
        column: "value" or "slope".
        look: How the viewer sees the page.
        minimum: x and value of the minimum, to be marked.
    """
    figure = blank_figure(
        look, height=330, x_title="x, the input", y_title=f"{_TITLES[column]} of x"
    )
    x = float(at["x"].iloc[0])
    figure.add_shape(
        x0=x, x1=x, y0=0, y1=1, yref="y domain", line={"color": look.surface("muted"), "width": 1.5}
    )
    styles = {
        "gelu": (look.role("ff"), look.line_px, "solid"),
        "relu": (look.surface("muted"), look.line_px * 0.8, "6px,4px"),
        "exact": (look.surface("page"), 3 if look.projector else 1.5, "1.5px,5px"),
    }
    inks = {form: hue for form, (hue, *_) in styles.items()} | {"exact": look.surface("text")}
    for form, (hue, thickness, dash) in styles.items():
        rows = curves[curves["activation"] == form]
        figure.add_trace(
            scatter(
                x=rows["x"],
                y=rows[column],
                name=NAMES[form],
                mode="lines",
                line={"color": hue, "width": thickness, "dash": dash, "simplify": False},
                hovertemplate="%{y:.4f}",
            )
        )
        place, right, up = _PLACES[column][form]
        nearest = rows.iloc[(rows["x"] - place).abs().argmin()]
        figure.add_annotation(
            text=f"<b>{_LABELS[form]}</b>",
            x=place,
            y=nearest[column],
            xshift=right * look.zoom,
            yshift=up * look.zoom,
            showarrow=False,
            font={"color": inks[form], "size": look.font_px},
        )
    figure.add_trace(
        scatter(
            x=at["x"],
            y=at[column],
            mode="markers",
            marker={
                "size": look.marker_px,
                "color": look.surface("page"),
                "line": {"color": [inks[form] for form in at["activation"]], "width": 3},
            },
            hoverinfo="skip",
        )
    )
    if minimum is not None:
        figure.add_annotation(
            text=f"minimum {number(minimum[1])} at {number(minimum[0])}",
            x=minimum[0],
            y=minimum[1],
            ax=6,
            ay=30 * look.zoom,
            arrowcolor=look.surface("text"),
            font={"color": look.surface("text"), "size": look.font_px},
            bgcolor=look.surface("page"),  # over the line that marks x
        )
    figure.update_layout(hovermode="x unified")
    figure.update_xaxes(range=[-4, 4], dtick=1 if not look.projector else 2, hoverformat=".2f")
    figure.update_yaxes(range=[-1.2, 4] if column == "value" else [-0.3, 1.35])
    frame = curves[["activation", "x", column]]
    return Chart(
        f"activation-{column}",
        figure,
        frame,
        extremes(
            frame[frame["activation"] == "gelu"],
            column,
            f"GELU's {column} from x = −4 to 4",
            ["x"],
        ),
    )


def activation_gap_line(gap: pd.DataFrame, look: Look) -> Chart:
    """Draw the tanh form minus the exact form, on a scale of its own around 0.

    Args:
        gap: From `explorer.measure.activation_gap`.
        look: How the viewer sees the page.
    """
    figure = blank_figure(
        look,
        height=280,
        x_title="x, the input",
        y_title="tanh form minus exact form (activation units, linear scale)",
    )
    figure.add_hline(y=0, line={"color": look.surface("muted"), "width": 1})
    figure.add_trace(
        scatter(
            x=gap["x"],
            y=gap["gap"],
            mode="lines",
            line={"color": look.role("ff"), "width": look.line_px},
            hovertemplate="x = %{x:.2f}: %{y:.2e}<extra></extra>",
        )
    )
    most = gap.loc[gap["gap"].abs().idxmax()]
    figure.add_annotation(
        text=significant(most["gap"], 2),
        x=most["x"],
        y=most["gap"],
        showarrow=False,
        yshift=(14 if most["gap"] > 0 else -14) * look.zoom,
        font={"color": look.surface("text"), "size": look.font_px},
    )
    reach = 1.35 * abs(float(most["gap"]))
    figure.update_yaxes(range=[-reach, reach], exponentformat="power")
    return Chart("gelu-gap", figure, gap, extremes(gap, "gap", "The gap", ["x"]))
