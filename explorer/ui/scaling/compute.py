"""FLOPs per token by part, the rules of thumb, and the time that training takes."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer import measure
from explorer.draw.compute import flop_bars
from explorer.draw.numbers import number, short
from explorer.ui import controls, show
from explorer.ui.sidebar import choose_config
from explorer.ui.state import screen
from gptcore import CONFIGS, GPT_CONFIG_124M, GPTConfig, count_parameters
from gptcore.flops import backward_flops, forward_flops

_GPT3 = {
    "scaling_tokens": 300.0,
    "scaling_tflops": 28.0,
    "scaling_utilisation": 100,
    "scaling_devices": 1,
}


def _gpt3_on_one_v100() -> None:
    cfg = CONFIGS["gpt3-175b"]
    choose_config(cfg)
    st.session_state["scaling_vocab_size"] = GPT_CONFIG_124M.vocab_size
    st.session_state["scaling_length"] = cfg.context_length
    for key, value in _GPT3.items():
        st.session_state[key] = value


def compute_view(cfg: GPTConfig, row: DeltaGenerator) -> None:
    """Show what a token costs, and what training on many costs."""
    with row:
        if st.button("GPT-3 on one V100", key="scaling_gpt3", on_click=_gpt3_on_one_v100):
            st.rerun()  # the sidebar stands outside this part of the page
    with st.container(horizontal=True, vertical_alignment="bottom"):
        length = controls.whole("scaling_length", "Length (T)", high=cfg.context_length)
        tokens = controls.real("scaling_tokens", "Tokens, billions", step=10.0)
        tflops = controls.real("scaling_tflops", "TFLOP/s a device", step=10.0)
        utilisation = controls.whole("scaling_utilisation", "Utilisation, %")
        n_devices = controls.whole("scaling_devices", "Devices")
    n_parameters = sum(count_parameters(cfg).values())
    frame = measure.flops_by_part(cfg, length)
    drawn = flop_bars(frame, n_parameters, screen().look)
    show.chart(
        drawn,
        f"Per token of a sequence of T = {length:,}: matrix products only, attention in full, all "
        "T² pairs. Backward is two products for each one forward.",
    )
    ratio = measure.rule_ratio(cfg, length)
    show.notice(
        f"Counted FLOPs are {number(ratio)} of the rule 2N forward, 6N with backward. N = "
        f"{n_parameters:,} is every parameter: embeddings count in N but only look up, "
        f"{'the tied table multiplies once' if cfg.tie_weights else 'the head multiplies'}, "
        "attention's T² pairs are not in N.",
        "act",
    )
    time = measure.training_time(
        cfg, length, tokens * 1e9, tflops * 1e12, utilisation / 100, n_devices
    )
    show.notice(
        f"Training on {short(tokens * 1e9)} tokens: 6 × {short(n_parameters)} × "
        f"{short(tokens * 1e9)} = {short(time.flops_rule)} FLOPs, {_duration(time.years_rule)} on "
        f"{n_devices:,} {'device' if n_devices == 1 else 'devices'}; counted, "
        f"{short(time.flops_counted)} and {_duration(time.years_counted)}.",
        "grad",
    )
    table = frame[["part", "forward", "backward"]].copy()
    table["share"] = [f"{100 * share:.1f} %" for share in frame["share"]]
    for column in ("forward", "backward"):
        table[column] = [f"{count:,}" for count in table[column]]
    show.figures_table(table, "FLOPs per token by part")
    _rules(cfg)
    show.table_expander(drawn)
    show.code(forward_flops, backward_flops, measure.training_time)


def _duration(years: float) -> str:
    days = years * 365.25
    if years >= 1:
        return f"{number(years, 1)} years"
    return f"{number(days, 1)} days" if days >= 1 else f"{number(24 * days, 2)} hours"


def _rules(cfg: GPTConfig) -> None:
    with st.expander("Tying, and the rules 2N and 6N"):
        show.figures_table(measure.rule_table(cfg), "Counted over 2N")
        show.caption(
            "Forward FLOPs counted over 2N. Tying takes the head's table out of N and not out of the "
            "work: the product with V × D scores is made all the same. So it saves memory and no "
            "FLOPs. The backward pass is two products for each one, so 4N and 6N have the same ratio."
        )
        show.caption(
            "GPT-3: 6 × 174.6 × 10⁹ × 300 × 10⁹ = 3.14 × 10²³ FLOPs take one V100 at an assumed 28 "
            "TFLOP/s about 355.7 years, often quoted as 355; 665 years on an RTX 8000 correspond to "
            "about 15 TFLOP/s. A year is 365.25 days."
        )
