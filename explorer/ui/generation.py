"""The parts of the Generate page below the stepper; each answers on its own and opens on demand."""

from html import escape

import pandas as pd
import streamlit as st

from explorer import measure
from explorer.draw.chart import extremes
from explorer.draw.loops import WITH, WITHOUT, cropping_bars, loop_lines, read_positions
from explorer.draw.numbers import number
from explorer.ui import cache, controls, show
from explorer.ui.link import page_fragment
from explorer.ui.state import Screen
from explorer.ui.weights import (
    RANDOM,
    checkpoint_model,
    choose_weights,
    named,
    offered_checkpoints,
    same_shapes,
    say_if_not_offered,
    shaped_like,
)
from gptcore.config import CONFIGS
from gptcore.identity import ModelId, Seed
from gptcore.tokenizer import encode

_MAX_ASKED = 8
_CHAPTERS_TOKENS = 10


def chapters_tokens(now: Screen, steps: "tuple[measure.Step, ...]", n_tokens: int) -> None:
    """Tick the chapter's ten tokens: in this run if it is the chapter's, else on demand."""
    same_run = now.model_id == cache.DEFAULT_MODEL and now.prompt == measure.REFERENCE_PROMPT
    if same_run and n_tokens >= _CHAPTERS_TOKENS:
        if len(steps) >= _CHAPTERS_TOKENS:
            show.reference_rows(
                cache.kept(measure.compared_tokens, tuple(step.token_id for step in steps))
            )
    elif st.button("Recompute the chapter's ten tokens", key="generate_check"):
        show.reference_rows(cache.measured(measure.reference_tokens, cache.DEFAULT_MODEL))


def this_step(now: Screen, steps: "tuple[measure.Step, ...]") -> None:
    """Show what was chosen from at the step that the viewer stands on, and any token's place in it.

    Call it in the stepper's fragment, which runs when the viewer has moved.
    """
    step = min(int(controls.current("generate_step")), len(steps) - 1)
    ids = now.token_ids + tuple(s.token_id for s in steps[:step])
    frame = measure.candidates(steps[step], int(controls.current("generate_top_k")))
    show.table_when_opened(
        "step",
        f"step-{step}",
        frame,
        lambda: (
            f"After {step} appended tokens: "
            + extremes(frame, "probability", "the probability", ["token", "token_id"])
        ),
        "Table, CSV and text version of this step",
    )
    with controls.panel("generate_standing", "Where does any token stand?") as is_open:
        if is_open:
            _standing(now, ids[-now.config.context_length :], step)


def _standing(now: Screen, ids: tuple[int, ...], step: int) -> None:
    typed = controls.words("generate_asked", "A piece of text; a leading space belongs to a token")
    asked = tuple(encode(typed)[:_MAX_ASKED])
    if not asked:
        show.problem("Type at least one character to see where its token stands.")
        return
    frame = cache.measured(measure.token_standing, now.model_id, ids, asked)
    first = frame.iloc[0]
    show.notice(
        f"After {step} appended tokens “{first['token']}” has rank {number(first['rank'])} of "
        f"{number(now.config.vocab_size)}, with {number(100 * first['probability'], 4)} %; an even "
        f"share is {number(100 / now.config.vocab_size, 4)} %."
    )
    show.table("standing", frame, f"{len(frame)} tokens of the text, in their order.")


@page_fragment
def every_position(now: Screen) -> None:
    """Show what the model would have said after each token of the prompt."""
    with (
        controls.panel("generate_positions", "Every position predicts") as is_open,
        show.refusals(),
    ):
        if not is_open:
            return
        frame = cache.measured(measure.position_predictions, now.model_id, now.token_ids)
        show.caption(
            "One row a position of the prompt: the token there, what the model would have appended "
            "after it, and what probability and rank it gives the token that really follows. One "
            "forward pass gives all rows; generating uses only the last, training uses all of them."
        )
        alt = extremes(frame, "probability", "The probability", ["position", "token", "predicted"])
        show.table("positions", frame, alt)
        known = frame.dropna(subset="next_rank")
        if len(known):
            best = known.loc[known["next_rank"].astype(int).idxmin()]
            show.notice(
                f"Of {len(known)} tokens that really follow, “{best['next_token']}” is ranked best: "
                f"{number(int(best['next_rank']))} of {number(now.config.vocab_size)}. Chance alone "
                f"would put a token at rank {number(now.config.vocab_size // 2)} on average."
            )


@page_fragment
def kv_cache(now: Screen) -> None:
    """Compare the loop that reads everything again with the one that reads every token once."""
    with (
        controls.panel("generate_cache", "With and without a KV cache") as is_open,
        show.refusals(),
    ):
        if not is_open:
            return
        n_tokens = controls.whole("generate_cache_tokens", "Tokens in both loops")
        n_prompt, cfg = len(now.token_ids), now.config
        work = measure.cache_work(cfg, n_prompt, n_tokens)
        drawn = read_positions(work, now.look)
        show.chart(
            drawn,
            "One bar a step; its height is the sequence so far. The loop without a cache reads the "
            "whole bar at every step, so n steps cost about n²/2 positions; with a cache, only the "
            "solid part.",
        )
        total = work.groupby("loop")["read"].sum()
        flops = work.groupby("loop")["gflops"].sum()
        last = work.iloc[-1]
        show.notice(
            f"{n_tokens} tokens: {number(int(total[WITHOUT]))} positions read without a cache, "
            f"{number(int(total[WITH]))} with; {number(flops[WITHOUT], 1)} against "
            f"{number(flops[WITH], 1)} GFLOP. In the end the keys and values take "
            f"{number(last['cache_mib'], 2)} MiB.",
            "attn",
        )
        show.caption(
            f"Keys and values, float32, in each of {cfg.n_layers} blocks: (B 1, H {cfg.n_heads}, "
            f"T {int(last['tokens'])}, K {cfg.head_dim}), twice; T grows by 1 a step until the "
            f"context of {cfg.context_length:,} is full. Then the window slides, positions restart, "
            "and both loops read all of it."
        )
        show.chart(
            loop_lines(work, "gflops", "GFLOP of the step, counted", now.look),
            "Matrix products, 2 operations a multiply-add. Without a cache the head scores every "
            "position too, though only the last is used.",
        )
        show.chart(
            loop_lines(work, "cache_mib", "keys and values kept (MiB)", now.look),
            f"2 × {cfg.n_layers} blocks × T × {cfg.emb_dim:,} values of 4 bytes, for the T tokens of "
            "the window at that step.",
        )
        if st.button("Run both loops and time them", key="generate_race"):
            _race(now, n_tokens)
        show.table(drawn.name, drawn.frame, drawn.alt)


def _race(now: Screen, n_tokens: int) -> None:
    times = cache.measured(measure.timed_loops, now.model_id, now.token_ids, n_tokens)
    drawn = loop_lines(times, "milliseconds", "time of the step (ms), measured", now.look)
    show.chart(
        drawn,
        "Measured here, once; others may have been computing at the same time. The cached loop also "
        "shares its small products out among the cores, which makes it faster still; the operations "
        "counted above compare the two loops alone.",
    )
    tokens = measure.loops_side_by_side(times)
    same = bool(tokens["same"].all())
    _two_rows(tokens, "without cache", "with cache")
    took = times.groupby("loop")["milliseconds"].sum()
    show.notice(
        f"The same {n_tokens} tokens in both loops: {'✓' if same else '✗'}. "
        f"{number(took[WITHOUT], 0)} ms without a cache, {number(took[WITH], 0)} ms with."
    )
    show.table(drawn.name, drawn.frame, drawn.alt)


@page_fragment
def past_the_context(now: Screen) -> None:
    """Show what a prediction loses when only the last tokens are read."""
    with controls.panel("generate_cropping", "Past the context") as is_open, show.refusals():
        if not is_open:
            return
        frame = cache.measured(measure.cropped_predictions, now.model_id, now.token_ids)
        drawn = cropping_bars(frame, now.look)
        show.chart(
            drawn,
            f"Each bar reads only the last tokens of the prompt, as if the context were that short; "
            f"the token above it wins. This context holds {now.config.context_length:,}. A cropped "
            "sequence starts at position 0 again, so the tokens that stay get other positional "
            "embeddings too.",
        )
        winners = frame["predicted"].nunique()
        first = frame.iloc[0]
        show.notice(
            f"Reading only the last token, the winner is “{first['predicted']}” and "
            f"{number(100 * first['distance'], 1)} % of the probability sits elsewhere than with all "
            f"{len(now.token_ids):,} tokens; over {len(frame)} windows there are {winners} winners."
        )
        show.table(drawn.name, drawn.frame, drawn.alt)


@page_fragment
def two_runs(now: Screen) -> None:
    """Compare this run with other weights, configuration or prompt, and mark where they part."""
    with controls.panel("generate_comparison", "Compare with a run B") as is_open, show.refusals():
        if not is_open:
            return
        say_if_not_offered("generate_b_weights", [RANDOM, *offered_checkpoints()])
        with st.container(horizontal=True, vertical_alignment="bottom"):
            weights = _weights_of_b()
            if weights == RANDOM:
                name = controls.choice("generate_b_config", "Configuration of B")
                seed = controls.whole("generate_b_seed", "Seed of B")
            prompt = controls.words("generate_b_prompt", "Prompt of B (empty: as A)")
        if weights == RANDOM:
            config = now.config if name == controls.SAME else CONFIGS[name]
            a, b = now.model_id, ModelId(config, Seed(seed))
        else:
            b = checkpoint_model(weights)
            a = shaped_like(now.model_id, b)
        n_tokens = int(controls.current("generate_tokens"))
        runs = [
            _whole_run(model_id, tuple(encode(text)[-model_id.config.context_length :]), n_tokens)
            for model_id, text in ((a, now.prompt), (b, prompt or now.prompt))
        ]
        frame = measure.compared_runs(*runs)
        _two_rows(frame, f"A, {named(a.weights)}", f"B, {named(b.weights)}")
        if a.config == b.config and type(a.weights) is not type(b.weights):
            echo = (
                " Drawn from PyTorch's default, a tied head scores tokens by likeness to the stream, "
                "which still holds the last token's own embedding: such a run tends to repeat itself."
            )
            common = same_shapes(now, a, b, same_prompt=not prompt)
            show.caption(f"Greedy runs {common}.{echo * b.config.tie_weights}")
        same = int(frame["same"].cumprod().sum())
        parted = (
            f"All {n_tokens} tokens are the same in both runs."
            if same == n_tokens
            else f"The runs first differ at step {same + 1}: “{frame['token_a'][same]}” in A, "
            f"“{frame['token_b'][same]}” in B."
        )
        mean_a, mean_b = frame["probability_a"].mean(), frame["probability_b"].mean()
        show.notice(
            f"{parted} The token appended has a probability of {number(100 * mean_a, 4)} % in A and "
            f"{number(100 * mean_b, 4)} % in B, the mean over {n_tokens} steps."
        )
        alt = extremes(frame, "probability_b", "B's probability", ["step", "token_b"])
        show.table("two-runs", frame, alt)


def _weights_of_b() -> str:
    names = [RANDOM, *offered_checkpoints()]
    if len(names) == 1:
        return RANDOM
    return choose_weights("generate_b_weights", "Weights of B", names)


def _whole_run(
    model_id: ModelId, token_ids: tuple[int, ...], n_tokens: int
) -> "tuple[measure.Step, ...]":
    steps: tuple[measure.Step, ...] = ()
    place = st.empty()
    while len(steps) < n_tokens:
        place.progress(len(steps) / n_tokens, f"Token {len(steps)} of {n_tokens}")
        steps = cache.streamed(
            measure.greedy_run,
            model_id,
            token_ids,
            begin=measure.begun_run,
            wanted=n_tokens,
            more=True,
        )
    place.empty()
    return steps


def _two_rows(frame: pd.DataFrame, name_a: str, name_b: str) -> None:
    """Show the tokens of two runs, with an outline from the first difference on."""
    differs = ~frame["same"].cumprod().astype(bool)
    rows = []
    for name, column in ((escape(name_a), "token_a"), (escape(name_b), "token_b")):
        chips = "".join(
            f'<li{" class=new" if new else ""}><span class="text">{escape(token)}</span>'
            f'<span class="id">step {step}{" ≠" if new else ""}</span></li>'
            for step, token, new in zip(frame["step"], frame[column], differs, strict=True)
        )
        rows.append(
            f'<p class="caption">{name}</p><ul class="chips" aria-label="{name}">{chips}</ul>'
        )
    st.html("".join(rows))


def copies(now: Screen, steps: "tuple[measure.Step, ...]", n_tokens: int) -> None:
    """Give the run away: as text, as CSV, and as a script."""
    with controls.panel("generate_copies", "Copy the text, the run, or a script") as is_open:
        if not is_open:
            return
        done = steps[:n_tokens]
        st.code(
            measure.sequence_text([*now.token_ids, *(step.token_id for step in done)]),
            language=None,
            wrap_lines=True,
        )
        frame = measure.run_table(done)
        show.table(
            "run", frame, extremes(frame, "probability", "The probability", ["step", "token"])
        )
        script = measure.run_script(now.config, now.weights, now.token_ids, len(done))
        st.code(script, language="python")
        st.download_button(
            "Download the script",
            lambda: script.encode(),
            "run.py",
            key="generate_script",
            on_click="ignore",
        )
