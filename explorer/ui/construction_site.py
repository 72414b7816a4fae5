"""The parts of the page on which the model is put together."""

from collections.abc import Sequence
from html import escape

import pandas as pd
import streamlit as st

import gptcore
from explorer import measure
from explorer.draw.numbers import fixed, number
from explorer.measure.parts import PART_CLASSES, PART_NAMES
from explorer.ui import cache, controls, show
from gptcore import GPTConfig, encode

_SETS = "_placeholder_sets"
_BATCH = "_placeholder_batch"
_MAX_ROWS = 16


def switches() -> tuple[frozenset[str], frozenset[str]]:
    """Show a switch for each part.

    Returns:
        The parts that are real, and those that were before the last switch. A visitor who comes with
        a link, or to a lesson's step, sees the last part in the chapter's order as the one that was
        just switched.
    """
    with st.container(horizontal=True):
        on = [
            part
            for part, name in PART_NAMES.items()
            if controls.switch(f"placeholder_{part}", name)
        ]
    real, restored = frozenset(on), controls.restored()
    before, known, when = st.session_state.get(_SETS, (None, None, None))
    if when != restored:
        before = frozenset(on[:-1])
    elif known != real:
        before = known
    st.session_state[_SETS] = (before, real, restored)
    return real, before


def kept_batch(context_length: int) -> tuple[tuple[int, ...], ...]:
    """Return the last batch that could be one tensor, as much of it as the context holds."""
    defaults = [controls.CONTROLS[f"placeholder_{n}"].default for n in ("first", "second")]
    kept: tuple[tuple[int, ...], ...] = st.session_state.get(
        _BATCH, tuple(tuple(encode(str(text))) for text in defaults)
    )
    return tuple(ids[:context_length] for ids in kept)


def checked_batch(sentences: Sequence[str], context_length: int) -> tuple[tuple[int, ...], ...]:
    """Return the sentences as equally long sequences of token IDs, or the last that were.

    A batch is one tensor; what can't be one gets a sentence, and the page keeps the batch before.
    """
    try:
        batch = tuple(tuple(encode(text)) for text in sentences)
        lengths = [len(ids) for ids in batch]
        if min(lengths) == 0:
            raise ValueError("a sentence is empty; type at least one character")
        if len(set(lengths)) > 1:
            raise ValueError(
                f"sentence 0 has {lengths[0]:,} tokens and sentence 1 has {lengths[1]:,}; a batch "
                "is one tensor, so both rows must have the same number"
            )
        if lengths[0] > context_length:
            raise ValueError(
                f"the sentences have {lengths[0]:,} tokens, and the context holds {context_length:,}"
            )
    except ValueError as error:
        text = str(error)
        show.problem(f"{text[0].upper()}{text[1:]}. The page still shows the batch before.")
        return kept_batch(context_length)
    st.session_state[_BATCH] = batch
    return batch


def stage_table(stages: pd.DataFrame) -> None:
    """Show shape, mean and spread at every stage; a deep model's middle is folded."""
    st.html(cache.kept(_stage_table_html, stages))


def _stage_table_html(stages: pd.DataFrame) -> str:
    rows = [*stages.itertuples()]
    gap = len(rows) - _MAX_ROWS
    if gap > 0:
        rows = [*rows[: _MAX_ROWS - 4], None, *rows[-3:]]
    cells = []
    for row in rows:
        if row is None:
            cells.append(f'<tr><td class="muted" colspan="4">… {gap:,} more stages …</td></tr>')
            continue
        cells.append(
            f"<tr><td>{escape(row.stage)}</td><td>{show.shape_html(row.shape)}</td>"
            f'<td class="num">{fixed(row.mean)}</td><td class="num">{fixed(row.std)}</td></tr>'
        )
    return (
        '<table class="path"><thead><tr><th>stage</th><th>shape</th><th class="num">mean</th>'
        f'<th class="num">std</th></tr></thead><tbody>{"".join(cells)}</tbody></table>'
    )


def two_questions(
    built: "measure.Construction", n_sequences: int, n_tokens: int, vocab_size: int
) -> None:
    """Answer the two questions apart: is the wiring right, and is the mathematics right?"""
    wanted = (n_sequences, n_tokens, vocab_size)
    wiring = "✓" if built.logits_shape == wanted else "✗"
    shape = ", ".join(f"{size:,}" for size in built.logits_shape)
    if built.difference == 0:
        mathematics = "equal to the finished model's ✓"
    else:
        mathematics = f"off the finished model's by up to {number(built.difference)} ✗"
    st.html(
        f'<div class="checks apart"><span class="what">Wiring</span><span>logits <b>({shape}) {wiring}'
        '</b></span><span class="what">Mathematics</span>'
        f"<span>logits <b>{mathematics}</b></span></div>"
    )


def observation(
    built: "measure.Construction", earlier: "measure.Construction", *, switched: bool
) -> str:
    """Say what the last switch did to the logits and the parameters, and what it left alone."""
    spread, before = (number(c.stages.iloc[-1]["std"]) for c in (built, earlier))
    if not switched:
        return (
            f"Embeddings and head alone are {number(built.n_parameters)} parameters and give logits "
            f"with a spread of {spread}. The shape is right before anything is computed: switch a "
            "part on and see which numbers follow."
        )
    return (
        f"The last switch takes the spread of the logits from {before} to {spread}, and the "
        f"parameters from {number(earlier.n_parameters)} to {number(built.n_parameters)}. All "
        f"{len(built.stages)} shapes stay: every block gives what it takes, so blocks can be stacked "
        "to any depth."
    )


def what_goes_wrong(cfg: GPTConfig, n_sequences: int, n_tokens: int) -> None:
    """Show the very errors of two broken parts, with what they mean."""
    with st.expander("What goes wrong with a broken part"):
        st.text("A feed-forward that does not contract, D → F → F, and is added to the stream:")
        with show.refusals():
            error = cache.kept(measure.error_without_contraction, cfg, n_sequences, n_tokens)
            show.error_text(error)
            show.caption(
                f"The stream has {cfg.emb_dim:,} features and the branch {cfg.hidden_dim:,}; numbers "
                "are added one to one, so the contraction is what makes the shortcut possible."
            )
        with show.refusals():
            n_heads, error = cache.kept(
                measure.error_of_undivided_heads, cfg, n_sequences, n_tokens
            )
            st.text(f"{n_heads} heads, which do not divide D = {cfg.emb_dim:,}:")
            show.error_text(error)
            show.caption(
                f"{n_heads} heads of {cfg.emb_dim // n_heads} features hold "
                f"{n_heads * (cfg.emb_dim // n_heads):,} of the {cfg.emb_dim:,}: some would be left "
                "over. A GPTConfig refuses this before a model is built."
            )


def code_of(real: frozenset[str]) -> list[type]:
    """Return the class of each part that is real, each once, in the chapter's order."""
    names = dict.fromkeys(PART_CLASSES[part] for part in PART_NAMES if part in real)
    return [getattr(gptcore, name) for name in names]
