"""The palette: contrast, and colours told apart under each kind of colour vision.

Contrast is WCAG 2.2's relative luminance. Colour vision is simulated in linear RGB at severity 1.0
(Machado, Oliveira & Fernandes, 2009). Differences are CIEDE2000; about 2 is just noticeable.
"""

import itertools
import math
import tomllib
from pathlib import Path

import pytest

from explorer.draw.figure import blank_figure
from explorer.draw.theme import AXIS, ROLE, SCALE, SURFACE, Look

MODES = sorted(SURFACE)
LOOKS = [Look(base, projector) for base in ("light", "dark") for projector in (False, True)]
VISION = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
_XYZ = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
_WHITE = (0.95047, 1.0, 1.08883)


def linear(colour: str) -> list[float]:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def contrast(a: str, b: str) -> float:
    weights = (0.2126, 0.7152, 0.0722)
    low, high = sorted(sum(w * c for w, c in zip(weights, linear(x), strict=True)) for x in (a, b))
    return (high + 0.05) / (low + 0.05)


def lab(colour: str, vision: str = "normal") -> tuple[float, float, float]:
    rgb = linear(colour)
    seen = [
        min(1.0, max(0.0, sum(m * c for m, c in zip(row, rgb, strict=True))))
        for row in VISION[vision]
    ]
    f = []
    for row, white in zip(_XYZ, _WHITE, strict=True):
        t = sum(m * c for m, c in zip(row, seen, strict=True)) / white
        f.append(t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116)
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def ciede2000(p: tuple[float, float, float], q: tuple[float, float, float]) -> float:
    (l1, a1, b1), (l2, a2, b2) = p, q
    mean_c = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(mean_c**7 / (mean_c**7 + 25**7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = math.degrees(math.atan2(b1, a1)) % 360, math.degrees(math.atan2(b2, a2)) % 360
    dh = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    big_dh = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(dh) / 2)
    mean_l, mean_c = (l1 + l2) / 2, (c1 + c2) / 2
    mean_h = h1 + h2 if c1 * c2 == 0 else (h1 + dh / 2) % 360

    def wave(k: float, shift: float) -> float:
        return math.cos(math.radians(k * mean_h + shift))

    t = 1 - 0.17 * wave(1, -30) + 0.24 * wave(2, 0) + 0.32 * wave(3, 6) - 0.20 * wave(4, -63)
    rc = 2 * math.sqrt(mean_c**7 / (mean_c**7 + 25**7))
    rt = -math.sin(math.radians(60 * math.exp(-(((mean_h - 275) / 25) ** 2)))) * rc
    sl = 1 + 0.015 * (mean_l - 50) ** 2 / math.sqrt(20 + (mean_l - 50) ** 2)
    sc, sh = 1 + 0.045 * mean_c, 1 + 0.015 * mean_c * t
    x, y, z = (l2 - l1) / sl, (c2 - c1) / sc, big_dh / sh
    return math.sqrt(x * x + y * y + z * z + rt * y * z)


def test_the_colour_difference_is_the_published_one() -> None:
    # Sharma, Wu & Dalal (2005), pairs 1, 13 and 17 of their test set.
    assert ciede2000((50, 2.6772, -79.7751), (50, 0, -82.7485)) == pytest.approx(2.0425, abs=1e-4)
    assert ciede2000((50, 2.5, 0), (50, 0, -2.5)) == pytest.approx(4.3065, abs=1e-4)
    assert ciede2000((50, 2.5, 0), (73, 25, -18)) == pytest.approx(27.1492, abs=1e-4)


@pytest.mark.parametrize("mode", MODES)
def test_every_hue_and_text_can_be_read_on_page_and_panel(mode: str) -> None:
    needed = 7.0 if "projector" in mode else 4.5
    surface = SURFACE[mode]
    colours = ROLE[mode] | AXIS[mode] | {name: surface[name] for name in ("text", "muted")}
    for name, colour in colours.items():
        for ground in ("page", "panel"):
            assert contrast(colour, surface[ground]) >= needed, (name, ground)


@pytest.mark.parametrize("look", LOOKS)
def test_text_and_counts_can_be_read_on_every_wash(look: Look) -> None:
    needed = 7.0 if look.projector else 4.5
    for role in ROLE[look.mode]:
        for ink in (look.surface("text"), look.role("param")):
            assert contrast(ink, look.wash(role)) >= needed, role
    for letter in "BTF":  # shapes stand on the feed-forward's boxes
        assert contrast(look.axis(letter), look.wash("ff")) >= needed, letter


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("mode", MODES)
def test_no_two_hues_of_a_set_look_alike(mode: str, vision: str) -> None:
    for colours in (ROLE[mode], AXIS[mode]):
        for a, b in itertools.combinations(colours, 2):
            difference = ciede2000(lab(colours[a], vision), lab(colours[b], vision))
            assert difference >= 10, (a, b, difference)


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("base", SCALE)
def test_scales_have_ten_steps_monotone_in_lightness(base: str, vision: str) -> None:
    for name in ("seq", "prob"):
        lightness = [lab(colour, vision)[0] for colour in SCALE[base][name]]
        steps = [after - before for before, after in itertools.pairwise(lightness)]
        assert len(lightness) == 10
        assert all(step > 2 for step in steps) or all(step < -2 for step in steps), name
    low, *_, high = SCALE[base]["div"]
    assert ciede2000(lab(low, vision), lab(high, vision)) >= 20


def test_the_streamlit_theme_uses_the_same_colours() -> None:
    root = Path(__file__).parents[3]
    theme = tomllib.loads((root / ".streamlit" / "config.toml").read_text())["theme"]
    for base in ("light", "dark"):
        assert theme[base]["primaryColor"] == ROLE[base]["act"]
        assert theme[base]["backgroundColor"] == SURFACE[base]["page"]
        assert theme[base]["textColor"] == SURFACE[base]["text"]
        assert theme[base]["chartSequentialColors"] == SCALE[base]["seq"]
        assert theme[base]["chartDivergingColors"] == SCALE[base]["div"]
        assert theme[base]["chartCategoricalColors"][:6] == list(ROLE[base].values())


@pytest.mark.parametrize("look", LOOKS)
def test_figures_are_larger_and_thicker_for_the_projector(look: Look) -> None:
    figure = blank_figure(look, height=300, x_title="block", y_title="std (units)")
    assert figure.layout["xaxis"]["tickfont"]["size"] >= (18 if look.projector else 14)
    assert look.line_px >= (5 if look.projector else 3)
    assert figure.layout["xaxis"]["title"]["text"] == "block"
    assert figure.layout["title"]["text"] == "std (units)"
