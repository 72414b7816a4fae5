"""Several configurations side by side, and a configuration as text, out and in."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer import measure
from explorer.draw.components import component_bars
from explorer.draw.numbers import number
from explorer.draw.parts import part_variable
from explorer.measure.config_text import MAX_PINS, MAX_TEXT
from explorer.ui import controls, show
from explorer.ui.sidebar import choose_config
from explorer.ui.state import screen
from gptcore import CONFIGS, GPTConfig

_REFUSED = "_scaling_refused"


def compare_view(cfg: GPTConfig, _row: DeltaGenerator) -> None:
    """Show this configuration beside the pinned ones."""
    pinned = measure.read_pins(str(controls.current("scaling_pins")))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Pin this one",
            key="scaling_pin",
            type="primary",
            on_click=_pin,
            args=([*pinned, cfg],),
            disabled=len(pinned) == MAX_PINS or cfg in pinned,
        )
        for index, one in enumerate(pinned):
            rest = [*pinned[:index], *pinned[index + 1 :]]
            st.button(
                f"Unpin {_name(one, index)}",
                key=f"scaling_unpin_{index}",
                on_click=_pin,
                args=(rest,),
            )
        if not pinned:
            show.caption("Pin up to four configurations, then change the fields above.")
    side_by_side = {"yours": cfg} | {_name(one, i): one for i, one in enumerate(pinned)}
    frame = measure.component_shares(side_by_side)
    drawn = component_bars(frame, False, measure.COMPONENTS, screen().look)
    show.key({name: part_variable(name) for name in measure.COMPONENTS.values()})
    show.chart(drawn, "A bar is a configuration, cut into components, all on one scale from 0.")
    if pinned:
        totals = frame.groupby("model", sort=False)["parameters"].sum()
        show.notice(
            f"Yours has {number(totals.iloc[0] / totals.iloc[1])} times the parameters of "
            f"{totals.index[1]}: {number(int(totals.iloc[0]))} against "
            f"{number(int(totals.iloc[1]))}.",
            "param",
        )
    show.figures_table(measure.comparison(side_by_side), "Configurations side by side")
    show.table_expander(drawn)
    _text_out(cfg)
    _text_in()
    show.code(measure.comparison, measure.read_config)


def _name(cfg: GPTConfig, index: int) -> str:
    preset = next((name for name, one in CONFIGS.items() if one == cfg), "custom")
    return f"{index + 1}: {preset}"


def _pin(configs: list[GPTConfig]) -> None:
    st.session_state["scaling_pins"] = measure.write_pins(configs)


def _text_out(cfg: GPTConfig) -> None:
    with st.expander("This configuration as text to copy"):
        for column, text, language in zip(
            st.columns(3),
            (measure.as_book_dict(cfg), measure.as_call(cfg), measure.as_json(cfg)),
            ("python", "python", "json"),
            strict=True,
        ):
            column.code(text, language=language)


def _use_pasted() -> None:
    try:
        cfg = measure.read_config(str(st.session_state["scaling_paste"]))
        controls.CONTROLS["scaling_vocab_size"].parse(str(cfg.vocab_size))
        choose_config(cfg)
    except ValueError as error:
        st.session_state[_REFUSED] = f"That can't be used: {str(error)[:300]}."
    else:
        st.session_state[_REFUSED] = ""
        st.session_state["scaling_vocab_size"] = cfg.vocab_size


def _text_in() -> None:
    with st.expander("Paste a configuration"):
        controls.draft(
            "scaling_paste",
            "The book's dict, GPTConfig(...), JSON, or a Hugging Face GPT-2 config.json",
            max_characters=MAX_TEXT,
        )
        used = st.button("Use it", key="scaling_use", on_click=_use_pasted)
        refused = st.session_state.get(_REFUSED, "")
        if refused:
            show.problem(refused)
        elif used:
            st.rerun()  # the sidebar and the fields stand outside this part of the page
        show.caption("It is read as data: names, numbers, True and False; nothing is evaluated.")
