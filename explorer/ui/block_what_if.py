"""The view of the block page that compares the model with one thing about it changed."""

from typing import NamedTuple

import pandas as pd
import streamlit as st

from explorer import measure
from explorer.draw.comparison import change_panels, difference_sentence
from explorer.draw.stream import ADDED, STREAM
from explorer.ui import cache, controls, show
from explorer.ui.block_stream import TITLES, line_key, summary, where
from explorer.ui.controls import OTHER_WEIGHTS
from explorer.ui.state import screen
from explorer.ui.weights import (
    checkpoint_model,
    choose_weights,
    named,
    offered_checkpoints,
    same_shapes,
    say_if_not_offered,
    shaped_like,
)
from gptcore.identity import Checkpoint, ModelId, Seed
from gptcore.tokenizer import encode


class _Comparison(NamedTuple):
    """What is compared: A's and B's table, and the words for it."""

    tables: tuple[pd.DataFrame, pd.DataFrame]
    names: tuple[str, str]
    held: str  # what both have in common
    changed: str
    effect: str


def _title(change: str) -> str:
    # The browser gives a choice back by its title, so it must not depend on anything.
    return "random against trained" if change == OTHER_WEIGHTS else measure.CHANGES[change].title


def _offered_changes() -> list[str]:
    """Return what can be changed: the weights too where checkpoints are offered."""
    declared = controls.CONTROLS["block_change"]
    names = list(declared.options) if isinstance(declared, controls.Choice) else []
    offered = list(offered_checkpoints())
    asked = controls.current("block_change") == OTHER_WEIGHTS
    if offered:
        if asked and not isinstance(screen().weights, Checkpoint):
            say_if_not_offered("block_b_weights", offered)
        return names
    if asked:
        show.problem(
            f"No trained weights are offered here; {_title(str(declared.default))} is compared "
            "instead."
        )
    return [name for name in names if name != OTHER_WEIGHTS]


def _with_other_weights() -> _Comparison:
    """Compare random weights with a checkpoint's, in the checkpoint's configuration."""
    now = screen()
    if isinstance(now.weights, Checkpoint):
        names = ("A, trained", "B, random")
        a, b = now.model_id, ModelId(now.config, Seed(controls.whole("block_b_seed", "Seed of B")))
    else:
        names = ("A, random", "B, trained")
        chosen = choose_weights("block_b_weights", "Weights of B", list(offered_checkpoints()))
        b = checkpoint_model(chosen)
        a = shaped_like(now.model_id, b)
    ids = tuple(encode(now.prompt)[-b.config.context_length :])
    before, after = (cache.measured(measure.pass_summary, model_id, ids) for model_id in (a, b))
    return _Comparison(
        (cache.kept(measure.block_stats, before), cache.kept(measure.block_stats, after)),
        names,
        same_shapes(now, a, b),
        named(b.weights),
        "only the values of the weights differ, and the random ones are PyTorch's default, with "
        "embeddings from N(0, 1)",
    )


def _with_change(change: str) -> _Comparison:
    """Compare the model with one thing about it changed."""
    now = screen()
    seed = controls.whole("block_dropout_seed", "Dropout seed") if change == "train" else now.seed
    changed = cache.measured(measure.pass_summary, now.model_id, now.token_ids, change, seed)
    other = f"weights of seed {seed}" if change == "gpt2_init" else "the same weights"
    title = _title(change)
    return _Comparison(
        (cache.kept(measure.block_stats, summary()), cache.kept(measure.block_stats, changed)),
        ("A, as it is", f"B, {title}"),
        f"with {other} and prompt",
        title,
        measure.CHANGES[change].effect,
    )


def what_if() -> None:
    """Show a statistic as it is and with one thing changed."""
    now = screen()
    changes = _offered_changes()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        change = controls.choice("block_change", "Changed", _title, options=changes)
        statistic = controls.choice("block_statistic", "Statistic", TITLES.__getitem__)
        point = controls.choice("block_compared", "Compared at", where)
        found = _with_other_weights() if change == OTHER_WEIGHTS else _with_change(change)
    title = TITLES[statistic]
    points = ADDED if point in ADDED else STREAM
    panels = cache.kept(
        change_panels, found.tables, found.names, points, statistic, title, now.look
    )
    line_key(points, in_a_row=True)
    for column, panel in zip(st.columns(2), panels, strict=True):
        with column:
            show.picture(panel)
    show.caption(f"The {title.lower()} over the blocks, both on one scale, {found.held}.")
    said = difference_sentence(*found.tables, statistic, title.lower(), found.changed, point)
    show.notice(f"{said} The reason: {found.effect}.")
    show.table_expander(panels[0], "Table, CSV and text version of A")
    show.table_expander(panels[1], "Table, CSV and text version of B")
