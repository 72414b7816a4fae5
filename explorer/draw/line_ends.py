"""Words to the right of the axes: names at the ends of lines, in place of a legend."""

from explorer.draw.figure import Figure
from explorer.draw.theme import Look


def beside(
    figure: Figure, text: str, *, y: object, hue: str, look: Look, gap: float, lift: float = 0
) -> None:
    """Write something to the right of the axes, at the height of what it belongs to.

    Args:
        figure: Its right margin must have room.
        text: What to write.
        y: The height, in axis units or as a category.
        hue: The colour.
        look: How the viewer sees the page.
        gap: Pixels between the axes and the text.
        lift: Pixels above that height.
    """
    figure.add_annotation(
        text=text,
        x=1,
        xref="paper",
        y=y,
        xanchor="left",
        xshift=gap,
        yshift=lift,
        showarrow=False,
        font={"color": hue, "size": look.font_px},
    )


def name_line_ends(
    figure: Figure, ends: list[tuple[float, str, str]], low: float, high: float, look: Look
) -> None:
    """Write each line's name to the right of the axes, far enough apart to read.

    Args:
        figure: Has an x-axis that ends where the lines do.
        ends: Of each line: its height there in axis units (log₁₀ on a log axis), name, and hue.
        low: Bottom of the y-axis, in the same units.
        high: Its top.
        look: How the viewer sees the page.
    """
    height = figure.layout["height"] - 4.5 * look.font_px
    room = (high - low) * 1.25 * look.font_px / height
    places: list[float] = []
    for y, _, _ in sorted(ends):
        places.append(max(y, places[-1] + room) if places else max(y, low))
    over = max(places[-1] - high, 0.0)
    for index in range(len(places) - 1, -1, -1):  # push back down what stands above the top
        ceiling = places[index + 1] - room if index + 1 < len(places) else places[index] - over
        places[index] = min(places[index], ceiling)
    for place, (_, name, hue) in zip(places, sorted(ends), strict=True):
        beside(figure, name, y=place, hue=hue, look=look, gap=8)
    longest = max(len(name) for _, name, _ in ends)
    figure.update_layout(margin={"r": 0.58 * look.font_px * longest + 14})
