"""Pictures of the Scaling page draw the table they are given, and say its extremes."""

import pytest

from explorer import measure
from explorer.draw.components import component_bars, halves_lines, tying_staircase
from explorer.draw.compute import flop_bars
from explorer.draw.footprint import memory_bars
from explorer.draw.numbers import both_units, short
from explorer.draw.parts import part_hue, part_variable
from explorer.draw.sweeps import growth_heat_map, growth_lines
from explorer.draw.theme import Look
from gptcore import CONFIGS, GPT_CONFIG_124M

LOOKS = [Look(base, projector) for base in ("light", "dark") for projector in (False, True)]  # type: ignore[arg-type]


@pytest.mark.parametrize("share", [False, True])
def test_bars_add_up_to_the_models(share: bool) -> None:
    frame = measure.component_shares({"a": CONFIGS["gpt-nano"], "b": GPT_CONFIG_124M})
    drawn = component_bars(frame, share, measure.COMPONENTS, Look())
    sums = [sum(trace.x[i] for trace in drawn.figure.data) for i in (0, 1)]
    assert sums == pytest.approx([100, 100] if share else [4_912_224, 163_009_536])
    assert "largest is b with 163,009,536" in drawn.alt


def test_the_staircase_starts_each_step_where_the_last_ended() -> None:
    bar = tying_staircase(measure.tying_steps(GPT_CONFIG_124M), Look()).figure.data[0]
    ends = [base + x for base, x in zip(bar.base, bar.x, strict=True)]
    assert list(bar.base[1:]) == ends[:-1]
    assert ends[4:] == [163_009_536, 124_412_160, 124_439_808]


def test_memory_bars_are_the_uses_and_their_sum_in_mib() -> None:
    frame = measure.memory_uses(GPT_CONFIG_124M, "generate", "float32", 1, 1024)
    drawn = memory_bars(frame, Look())
    assert drawn.figure.data[0].x == pytest.approx((621.832, 12.0, 72.0, 705.832), abs=1e-3)
    assert "weights, 621.83 MiB = 652.04 MB" in drawn.alt


def test_flop_bars_stack_backward_on_forward_and_end_with_the_rule() -> None:
    frame = measure.flops_by_part(GPT_CONFIG_124M, 1024)
    forward, backward = flop_bars(frame, 163_009_536, Look()).figure.data
    assert sum(forward.x[:6]) == forward.x[6] == 284_812_800
    assert list(backward.x) == [2 * x for x in forward.x]
    assert forward.x[7] == 2 * 163_009_536


@pytest.mark.parametrize("log", [False, True])
def test_growth_lines_are_the_parts_that_are_there(log: bool) -> None:
    frame = measure.growth(CONFIGS["gpt3-175b"], "emb_dim", "parameters", log)
    drawn = growth_lines(
        frame, "emb_dim", "parameters", log=log, now=12288, border=None, look=Look()
    )
    names = [trace.name for trace in drawn.figure.data]
    assert "feed-forward" in names
    assert "output head" not in names  # tied: 0 everywhere, which a log axis can't show
    assert drawn.figure.layout.yaxis.type == ("log" if log else "linear")
    assert ("log scale" if log else "linear") in drawn.figure.layout.title.text


def test_a_heat_map_prints_every_allowed_number() -> None:
    grid = measure.growth_grid(GPT_CONFIG_124M, "emb_dim", "n_heads", "parameters")
    drawn = growth_heat_map(grid, "emb_dim", "n_heads", "parameters", Look())
    texts = [note.text for note in drawn.figure.layout.annotations]
    assert len(texts) == len(grid)
    assert texts.count("–") == grid["amount"].isna().sum()
    assert short(float(grid["amount"].max())) in drawn.alt


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.mode)
def test_every_part_that_is_drawn_has_a_hue_and_a_variable(look: Look) -> None:
    parts = {
        *measure.COMPONENTS.values(),
        *measure.memory_uses(GPT_CONFIG_124M, "train", "float32", 1, 2)["use"],
        *(part for q in measure.QUANTITIES.values() for part in q.parts(GPT_CONFIG_124M)),
    }
    for part in parts:
        assert part_hue(part, look).startswith("#")
        assert part_variable(part).startswith("--gx-")


def test_the_ratio_of_the_halves_is_drawn_over_the_width() -> None:
    drawn = halves_lines(measure.halves_by_width(), 768, Look())
    plain, biased = drawn.figure.data
    assert plain.y[0] == 13 / 5
    assert biased.y[0] == 13 / 8
    assert "largest, 2.600, at a width of 1 without QKV biases" in drawn.alt


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (163_009_536, "163 M"),
        (1_637_792_000, "1.64 B"),
        (999, "999"),
        (3.1429e23, "3.14 × 10²³"),
        (1.06e12, "1.06 T"),
    ],
)
def test_a_large_number_is_written_short(value: float, text: str) -> None:
    assert short(value) == text


def test_bytes_are_written_in_both_units() -> None:
    assert both_units(652_038_144) == "621.83 MiB = 652.04 MB"
    assert both_units(80 * 2**30) == "80.0 GiB = 85.9 GB"
