"""The one grammar of colour and size: what a hue means, in every diagram, chart and sentence.

A role is a part of the model (activations, attention, ...); an axis letter is a dimension of a
tensor (B, T, D, ...). D, H and F take the hue of what makes them. Contrast and differences under
simulated colour blindness are tested.
"""

from dataclasses import dataclass
from typing import Literal

Base = Literal["light", "dark"]

SURFACE: dict[str, dict[str, str]] = {
    "light": {
        "page": "#FFFFFF",
        "panel": "#F4F2ED",
        "line": "#D9D4C9",
        "text": "#1F242B",
        "muted": "#4C535D",
    },
    "dark": {
        "page": "#14171C",
        "panel": "#1D222A",
        "line": "#3A424E",
        "text": "#ECEFF3",
        "muted": "#B4BBC5",
    },
    "light-projector": {
        "page": "#FFFFFF",
        "panel": "#F4F2ED",
        "line": "#A9A498",
        "text": "#0B0E12",
        "muted": "#30363E",
    },
    "dark-projector": {
        "page": "#14171C",
        "panel": "#1D222A",
        "line": "#5E6875",
        "text": "#FFFFFF",
        "muted": "#DCE1E7",
    },
}
ROLE: dict[str, dict[str, str]] = {
    "light": {
        "act": "#2069D4",
        "attn": "#6E0B8A",
        "ff": "#07674F",
        "norm": "#946204",
        "grad": "#930A24",
        "param": "#3A4250",
    },
    "dark": {
        "act": "#5C9AF2",
        "attn": "#E4BCFF",
        "ff": "#66E8AE",
        "norm": "#F8B928",
        "grad": "#EE6C5A",
        "param": "#E8EDF4",
    },
    "light-projector": {
        "act": "#174BAF",
        "attn": "#4D035F",
        "ff": "#034939",
        "norm": "#76470F",
        "grad": "#620309",
        "param": "#181D28",
    },
    "dark-projector": {
        "act": "#75AEFE",
        "attn": "#F5D2FF",
        "ff": "#7CFFBF",
        "norm": "#FEC734",
        "grad": "#FE8C78",
        "param": "#FFFFFF",
    },
}
_OWN_AXES: dict[str, dict[str, str]] = {
    "light": {"B": "#414A54", "T": "#693202", "K": "#C7317C", "V": "#6F6B08"},
    "dark": {"B": "#B4B8C0", "T": "#F0A157", "K": "#F5638C", "V": "#F4F560"},
    "light-projector": {"B": "#1B252B", "T": "#4D1900", "K": "#A20351", "V": "#475800"},
    "dark-projector": {"B": "#D2D2D2", "T": "#FEBC7E", "K": "#FE88A4", "V": "#F5FB47"},
}
AXIS: dict[str, dict[str, str]] = {
    mode: own | {"D": ROLE[mode]["act"], "H": ROLE[mode]["attn"], "F": ROLE[mode]["ff"]}
    for mode, own in _OWN_AXES.items()
}
WASH = {"light": 0.14, "dark": 0.2, "light-projector": 0.14, "dark-projector": 0.12}
"""Share of a hue over the panel, for the ground of a box."""


def _ten(colours: str) -> list[str]:
    return colours.split()


SCALE: dict[str, dict[str, list[str]]] = {
    "light": {
        "seq": _ten(
            "#F1F8FF #D2E0EF #B5C8DF #98B0CE #7C99BE #6282AE #486B9E #30548E #193E7E #03266D"
        ),
        "prob": _ten(
            "#FBF7FC #ECD9F4 #DDBBEC #CF9EE2 #BF7FD8 #AA63C5 #8F4AA9 #75318D #5C1772 #410254"
        ),
        "div": _ten(
            "#7B3702 #A95F23 #D98941 #E9BD90 #FAEEDE #E7F1FC #A4CAF6 #62A1ED #3371C4 #03409C"
        ),
    },
    "dark": {
        "seq": _ten(
            "#1D2735 #2E3A4A #3F4D60 #516277 #63778F #768EA7 #8AA5C0 #9EBCDA #B2D4F4 #D5EBFF"
        ),
        "prob": _ten(
            "#2A202E #432C4C #5E396C #7B468D #9953AF #B268C9 #C584DA #D7A0EB #EABCFC #F5DFFE"
        ),
        "div": _ten(
            "#FEC587 #D79453 #AE6626 #6F4929 #362C24 #272E38 #31517B #3974C5 #6BA3E6 #A9D2FD"
        ),
    },
}
"""Ten steps each: `seq` magnitudes, `prob` probabilities from 0 to a stated maximum, `div` signed
values around 0, where zero vanishes into the page."""


_TALL_PX = 300


@dataclass(frozen=True)
class Look:
    """How the viewer sees the page: light or dark, at a desk or from the back of a room."""

    base: Base = "light"
    projector: bool = False

    @property
    def mode(self) -> str:
        """The palette's name."""
        return f"{self.base}-projector" if self.projector else self.base

    @property
    def font_px(self) -> int:
        """Size of ticks and labels."""
        return 20 if self.projector else 14

    @property
    def line_px(self) -> float:
        """Width of a data line."""
        return 5 if self.projector else 3.5

    @property
    def thin_px(self) -> float:
        """Width of a line that goes with a data line: a median, a bracket."""
        return 3 if self.projector else 2

    @property
    def marker_px(self) -> int:
        """Diameter of a data point."""
        return 14 if self.projector else 11

    @property
    def zoom(self) -> float:
        """How much larger figures and fields are."""
        return 1.3 if self.projector else 1

    @property
    def contrast(self) -> float:
        """Contrast that text must have with what is behind it."""
        return 7.0 if self.projector else 4.5

    def height(self, desk_px: int) -> int:
        """Return a figure's height; a tall one grows less, so that what it says stays in sight."""
        return round(desk_px * (min(self.zoom, 1.12) if desk_px >= _TALL_PX else self.zoom))

    def surface(self, name: str) -> str:
        """Return the colour of `page`, `panel`, `line`, `text` or `muted`."""
        return SURFACE[self.mode][name]

    def role(self, name: str) -> str:
        """Return the hue of `act`, `attn`, `ff`, `norm`, `grad` or `param`."""
        return ROLE[self.mode][name]

    def axis(self, letter: str) -> str:
        """Return the hue of an axis letter."""
        return AXIS[self.mode][letter]

    def wash(self, role: str) -> str:
        """Return the ground of a box: a share of the role's hue over the panel."""
        return self.wash_of(ROLE[self.base][role])

    def wash_of(self, hue: str, share: float | None = None) -> str:
        """Return a share of any hue over the panel; the ground of a box unless told."""
        share, panel = WASH[self.mode] if share is None else share, self.surface("panel")
        return mixed(panel, hue, share)

    def scale(self, name: str) -> list[tuple[float, str]]:
        """Return a plotly colour scale: `seq`, `prob` or `div`."""
        colours = SCALE[self.base][name]
        return [(i / (len(colours) - 1), colour) for i, colour in enumerate(colours)]


def _luminance(hue: str) -> float:
    """Return the relative luminance of WCAG 2, from 0 (black) to 1 (white)."""
    channels = (int(hue[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    """Return the contrast ratio of WCAG 2 between two colours, from 1 to 21."""
    dark, light = sorted((_luminance(a), _luminance(b)))
    return (light + 0.05) / (dark + 0.05)


def mixed(a: str, b: str, share: float) -> str:
    """Return a colour on the way from one to another, `share` from 0 to 1."""
    pairs = ((int(a[i : i + 2], 16), int(b[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round((1 - share) * p + share * q):02X}" for p, q in pairs)


def ink_on(hue: str) -> str:
    """Return black or white, whichever contrasts more with a colour."""
    return max("#000000", "#FFFFFF", key=lambda ink: contrast(ink, hue))
