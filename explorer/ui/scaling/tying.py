"""163M against 124M, step by step, and one tensor with two names on real objects."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer import measure
from explorer.draw.components import tying_staircase
from explorer.draw.numbers import number
from explorer.ui import controls, show
from explorer.ui.state import screen
from gptcore import GPTConfig


def tying_view(cfg: GPTConfig, _row: DeltaGenerator) -> None:
    """Show the steps from every tensor counted to what the released weights have."""
    steps = measure.tying_steps(cfg)
    total = steps.set_index("what")["total"]
    saved = total["out_head"] - total["tie"]
    drawn = tying_staircase(steps, screen().look)
    show.chart(
        drawn,
        "From top to bottom: each tensor added to the sum, then the head's table taken away again "
        "(hatched), then the QKV biases. At the end of each row: the sum so far.",
    )
    show.notice(
        f"Tying saves {saved:,} parameters, {number(100 * saved / total['out_head'], 1)} % of the "
        f"model: two {cfg.vocab_size:,} × {cfg.emb_dim:,} tables become one. It saves memory and no "
        "FLOPs, and separate tables often train better.",
        "param",
    )
    table = steps[["step", "formula", "change", "total"]].copy()
    for column in ("change", "total"):
        table[column] = [f"{value:,}".replace("-", "−") for value in table[column]]
    show.figures_table(table, "Steps")
    _when_to_quote(cfg, int(total["out_head"]), int(total["tie"]), int(total["bias"]))
    _one_tensor_two_names()
    show.table_expander(drawn)
    show.code(measure.tying_steps, measure.change_one_weight)


def _when_to_quote(cfg: GPTConfig, untied: int, tied: int, released: int) -> None:
    with st.expander("Which number is the right one to quote", expanded=True):
        show.caption(
            f"{untied:,}: for this model as the book builds it, untied: its memory, its gradients, its "
            "checkpoint. It is more than the name of a size says, because names count the tied model."
        )
        show.caption(f"{tied:,}: for the tied model without QKV biases, as the chapter counts it.")
        show.caption(
            f"{released:,}: for weights with the biases that OpenAI released; "
            f"{released - tied:,} = {cfg.n_layers:,} × 3 × {cfg.emb_dim:,} more. For GPT-2 small that "
            "is 124,439,808, the “124M”; the paper's own “117M” matches no count of it."
        )


def _one_tensor_two_names() -> None:
    with st.expander("Change one weight and watch both tables"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            tied = controls.switch("scaling_demo_tied", "Tied")
            value = controls.real("scaling_demo_value", "New value", step=1.0)
        with show.refusals():
            seen = measure.change_one_weight(tied, value)
            table = seen.tables.copy()
            for column in table.columns[2:]:
                table[column] = [number(x) for x in table[column]]
            show.figures_table(table, "Both tables after the change")
            moved = "moved with it" if seen.after != seen.before else "stayed as it was"
            show.notice(
                f"tok_emb.weight[2, 1] was set to {number(value)}; out_head.weight[2, 1] went from "
                f"{number(seen.before)} to {number(seen.after)}: it {moved}. “out_head.weight is "
                f"tok_emb.weight” is {seen.same_object}: {'one tensor' if tied else 'two tensors'}.",
                "param",
            )
        show.caption(
            "A model of 4 tokens and 3 features, built for this page alone and thrown away: the "
            "models that pages share are never changed."
        )
