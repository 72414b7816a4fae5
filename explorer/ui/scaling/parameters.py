"""Parameters by component, beside the sizes that have a name; exercises 4.1 and 4.2."""

from functools import lru_cache

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer import measure
from explorer.draw.chart import Chart
from explorer.draw.components import component_bars, halves_lines
from explorer.draw.numbers import both_units, number
from explorer.draw.parts import part_variable
from explorer.draw.theme import Look
from explorer.ui import cache, controls, show
from explorer.ui.sidebar import choose_config
from explorer.ui.state import screen
from gptcore import CONFIGS, GPTConfig, count_parameters
from gptcore.counting import count_block, count_block_layers
from gptcore.identity import ModelId, Seed

_YOURS = "yours"


def parameter_bars(cfg: GPTConfig, share: bool, look: Look) -> Chart:
    """Return the picture of a configuration beside those that have a name."""
    frame = measure.component_shares({_YOURS: cfg} | {n: CONFIGS[n] for n in measure.NAMED})
    return component_bars(frame, share, measure.COMPONENTS, look)


def hues() -> dict[str, str]:
    """Return each component's name with the CSS variable that holds its hue."""
    return {name: part_variable(name) for name in measure.COMPONENTS.values()}


def parameters_view(cfg: GPTConfig, row: DeltaGenerator) -> None:
    """Show where the parameters are, in this configuration and in the named ones."""
    with row:
        shown = controls.choice(
            "scaling_show",
            "Bars",
            {"share": "Share of each model", "absolute": "One scale"}.__getitem__,
            segmented=True,
            bare=True,
        )
    drawn = parameter_bars(cfg, shown == "share", screen().look)
    show.key(hues())
    show.chart(
        drawn,
        "A bar is a model, cut into components from first to last; the number at its end is its "
        "parameters in all. GPT-2 as the book builds it, untied; GPT-3 tied.",
    )
    own = drawn.frame[drawn.frame["model"] == _YOURS].set_index("component")
    tables = own.loc[["tok_emb", "out_head"], "parameters"].sum()
    total = own["parameters"].sum()
    what = "the table" if cfg.tie_weights else "the two tables"
    show.notice(
        f"Yours has {number(total)} parameters; {what} of {cfg.vocab_size:,} × {cfg.emb_dim:,} for "
        f"reading and predicting tokens take {number(100 * tables / total, 1)} %. Blocks grow with "
        "D², tables only with D, so width makes the blocks win.",
        "param",
    )
    _sizes(cfg)
    show.table_expander(drawn)
    _exercise_attention_against_feed_forward(cfg)
    _exercise_larger_variants(cfg)
    show.code(count_parameters, count_block_layers, measure.component_shares)


def _sizes(cfg: GPTConfig) -> None:
    table = measure.size_table({_YOURS: cfg} | {n: CONFIGS[n] for n in measure.NAMED})
    for column in table.columns[1:-1]:
        digits = 2 if "MiB" in column else 0
        table[column] = [f"{value:,.{digits}f}" for value in table[column]]
    show.figures_table(table, "Sizes of all models")
    show.caption(
        "The released GPT-2 weights are tied and have QKV biases. The paper's own names, 117M, 345M, "
        "762M and 1542M, differ from what is counted: 124M, 355M, 774M and 1,558M."
    )


@lru_cache(maxsize=32)
def _halves(emb_dim: int, look: Look) -> Chart:
    return halves_lines(measure.halves_by_width(), emb_dim, look)


def _exercise_attention_against_feed_forward(cfg: GPTConfig) -> None:
    label = "Exercise 4.1: attention against feed-forward in a block"
    with controls.panel("scaling_halves", label) as is_open:
        if not is_open:
            return
        block, d = count_block(cfg), f"{cfg.emb_dim:,}"
        bias = f" + 3 × {d}" if cfg.qkv_bias else ""
        show.caption(
            f"Attention: 4 D² + D{' + 3 D' if cfg.qkv_bias else ''} = 4 × {d}² + {d}{bias} = "
            f"{block['att']:,}."
        )
        show.caption(f"Feed-forward: 8 D² + 5 D = 8 × {d}² + 5 × {d} = {block['ff']:,}.")
        show.chart(
            _halves(cfg.emb_dim, screen().look),
            "To the right: width. Upwards: how many times the attention's parameters the "
            "feed-forward has. The dotted line is this configuration's width.",
        )
        show.notice(
            f"The feed-forward has {number(measure.halves_ratio(cfg), 4)} times the parameters of "
            f"attention: 8 D² against 4 D². Only the biases, which grow with D, keep the ratio from "
            "2, and less so the wider the model.",
            "ff",
        )


def _exercise_larger_variants(cfg: GPTConfig) -> None:
    label = "Exercise 4.2: the larger variants, by changing only the configuration"
    with controls.panel("scaling_variants", label) as is_open:
        if not is_open:
            return
        show.caption(
            "The sizes of GPT-2 differ in emb_dim, n_layers and n_heads and in nothing else; GPT-3 also "
            "has a context of 2,048, a tied head and QKV biases."
        )
        with st.container(horizontal=True):
            for name in measure.NAMED:
                if st.button(
                    name,
                    key=f"scaling_take_{name}",
                    on_click=choose_config,
                    args=(CONFIGS[name],),
                    disabled=cfg == CONFIGS[name],
                ):
                    st.rerun()  # the sidebar stands outside this part of the page
        needed = sum(count_parameters(cfg).values()) * 4
        show.caption(f"Built for real, this one's float32 weights take {both_units(needed)}.")
        if st.button("Build it for real and run the prompt", key="scaling_build"):
            with show.refusals():
                _build(cfg)


def _build(cfg: GPTConfig) -> None:
    now = screen()
    run = cache.measured(measure.real_run, ModelId(cfg, Seed(now.seed)), now.token_ids)
    batch, n_tokens, vocab_size = run.logits_shape
    counted = sum(count_parameters(cfg).values())
    show.notice(
        f"The prompt's {len(now.token_ids):,} tokens gave logits of shape ({batch}, {n_tokens}, "
        f"{vocab_size:,}), mean {number(run.logits_mean)}, standard deviation "
        f"{number(run.logits_std)}. The model's tensors hold {run.n_parameters:,} parameters, "
        f"{'as' if run.n_parameters == counted else 'not as'} counted, in {both_units(run.n_bytes)}."
    )
