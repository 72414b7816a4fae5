"""The sidebar: configuration, seed, prompt and projector mode, the same on every page."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.draw.theme import Look
from explorer.ui.controls import (
    CONTROLS,
    CUSTOM,
    FIELDS,
    MAX_PROMPT_IN_ADDRESS,
    SIDEBAR,
    Choice,
    Value,
    Whole,
)
from explorer.ui.glossary import glossary_button
from explorer.ui.join import join_button
from explorer.ui.link import copy_link
from explorer.ui.state import Screen, previous_screen, screen, set_screen
from explorer.ui.weights import RANDOM, checkpoint_model, label, offered_checkpoints, shortened
from gptcore.config import CONFIGS, GPT_CONFIG_124M, GPTConfig
from gptcore.identity import Checkpoint, Seed
from gptcore.tokenizer import MAX_CHARACTERS, encode

_FIRST_SCREEN = Screen(
    config=GPT_CONFIG_124M,
    config_name=str(CONTROLS["config"].default),
    seed=int(CONTROLS["seed"].default),
    weights=Seed(int(CONTROLS["seed"].default)),
    prompt=str(CONTROLS["prompt"].default),
    token_ids=(),
    look=Look(),
)
_WAS_LONG = "_prompt_was_long"
_LABELS = {
    "context_length": "Context",
    "emb_dim": "emb_dim (D)",
    "n_heads": "Heads (H)",
    "n_layers": "Blocks",
    "drop_rate": "drop_rate",
    "qkv_bias": "QKV bias",
    "tie_weights": "Tied weights",
}


def presenting() -> bool:
    """Return whether projector mode is on, also before the sidebar is drawn for the first time."""
    in_address = st.query_params.get("projector", "").lower() == "true"
    return bool(st.session_state.get("projector", in_address))


def _fill_fields(held: dict[str, Value]) -> None:
    """Fill the custom fields before they are on screen.

    The address doesn't learn of values that are set before their widgets are there for the first
    time, so they are written there too.
    """
    for field in FIELDS:
        value = held[field.key]
        st.session_state[field.key] = value
        if value != field.default:
            st.query_params[field.key] = field.write(value)


def _fields_of(cfg: GPTConfig) -> dict[str, Value]:
    return {field.key: getattr(cfg, field.key) for field in FIELDS}


def _start_custom_from_preset() -> None:
    """Fill the custom fields from the preset that was shown, so that one change is one change."""
    before = previous_screen()
    if st.session_state["config"] == CUSTOM and before is not None:
        _fill_fields(_fields_of(before.config))


def _custom_fields_shown() -> bool:
    return (
        st.session_state.get("config") == CUSTOM
        and str(st.session_state.get("weights", RANDOM)) == RANDOM
    )


def held_fields() -> dict[str, Value]:
    """Return what the fields of the configuration hold, also where they don't fit together."""
    held = _fields_of(screen().config)
    if _custom_fields_shown():
        held |= {
            key: st.session_state[key] for key in held if st.session_state.get(key) is not None
        }
    return held


def _choose(name: str, held: dict[str, Value]) -> None:
    """Choose a preset or custom fields, with random weights: trained ones fix the configuration."""
    if name == CUSTOM and _custom_fields_shown():
        st.session_state.update(held)
    elif name == CUSTOM:
        _fill_fields(held)
    st.session_state["config"] = name
    if "weights" in st.session_state:
        st.session_state["weights"] = RANDOM


def change_field(key: str, value: Value) -> None:
    """Change one field of the configuration; for callbacks, which run before the sidebar is drawn."""
    _choose(CUSTOM, held_fields() | {key: value})


def choose_config(cfg: GPTConfig) -> None:
    """Choose a configuration, by its name if it has one; for callbacks, like `change_field`.

    The vocabulary is not the sidebar's to choose.

    Raises:
        ValueError: If a field is out of the sidebar's range; then nothing is changed.
    """
    for field in FIELDS:
        _checked(field.key, getattr(cfg, field.key))
    named = replace(cfg, vocab_size=GPT_CONFIG_124M.vocab_size)
    name = next((name for name, preset in CONFIGS.items() if preset == named), CUSTOM)
    _choose(name, _fields_of(cfg))


def choose(held: Mapping[str, Value]) -> None:
    """Choose what every control of the sidebar holds; call it before the sidebar is drawn."""
    _choose(str(held["config"]), {field.key: held[field.key] for field in FIELDS})
    for key in ("seed", "prompt", "projector"):
        st.session_state[key] = held[key]
    if offered_checkpoints():
        st.session_state["weights"] = held["weights"]


def _number(key: str, label: str, *, disabled: bool = False) -> Value:
    control = CONTROLS[key]
    if isinstance(control, Whole):
        return st.number_input(
            label,
            min_value=control.low,
            max_value=control.high,
            value=int(control.default),
            step=1,
            key=key,
            bind="query-params",
            disabled=disabled,
        )
    return st.number_input(
        label,
        min_value=0.0,
        max_value=0.99,
        value=float(control.default),
        step=0.05,
        key=key,
        bind="query-params",
    )


def _custom_fields() -> dict[str, Value]:
    held: dict[str, Value] = {}
    left, right = st.columns(2, gap="small")
    for index, field in enumerate(FIELDS):
        if isinstance(field.default, bool):
            held[field.key] = st.toggle(
                _LABELS[field.key],
                value=field.default,
                key=field.key,
                bind="query-params",
            )
        else:
            with right if index % 2 else left:
                held[field.key] = _number(field.key, _LABELS[field.key])
    return held


def _facts(cfg: GPTConfig) -> None:
    facts = {
        "emb_dim": cfg.emb_dim,
        "heads": cfg.n_heads,
        "blocks": cfg.n_layers,
        "context": cfg.context_length,
    }
    cells = "".join(
        f"<div><b>{value:,}</b><span>{name}</span></div>" for name, value in facts.items()
    )
    st.html(f'<div class="facts">{cells}</div>')


def _checked_config(held: dict[str, Value]) -> GPTConfig:
    name = str(held["config"])
    if name != CUSTOM:
        return CONFIGS[name]
    for field in FIELDS:
        _checked(field.key, held[field.key])
    return GPTConfig(
        vocab_size=GPT_CONFIG_124M.vocab_size,
        **{field.key: held[field.key] for field in FIELDS},  # type: ignore[arg-type]
    )


def _checked(key: str, value: Value | None) -> Value:
    """Check in Python what the browser is only asked to enforce."""
    control = CONTROLS[key]
    try:
        if value is None:
            raise ValueError("filled in")
        return control.parse(control.write(value))
    except ValueError as error:
        raise ValueError(f"{_LABELS.get(key, key)} must be {error}; got {value!r}.") from error


def _sentence(error: ValueError) -> str:
    text = str(error)
    return text if text.endswith(".") else f"{text}."


def _checked_prompt(value: Value | None) -> str:
    prompt = str(value or "")
    if not prompt:
        raise ValueError("The prompt is empty; type at least one character.")
    try:
        encode(prompt)
    except ValueError as error:
        raise ValueError(f"The prompt can't be used: {error}.") from error
    return prompt


def _refuse_huge_prompt(before: Screen | None) -> str:
    """Put the last valid prompt back in place of one that no tokenizer here would take.

    The browser has already written it to the address, which must not stay so.
    """
    typed = str(st.session_state.get("prompt", ""))
    if len(typed) <= MAX_CHARACTERS or before is None:
        return ""
    st.session_state["prompt"] = before.prompt
    for control in SIDEBAR:  # so long an address is not read: write every part of it again
        if control.key in st.session_state:
            st.session_state[control.key] = st.session_state[control.key]
    return (
        f"The prompt must have at most {MAX_CHARACTERS:,} characters; got {len(typed):,}. "
        "The prompt before it is back."
    )


def _prompt_stays_out_of_address() -> bool:
    """Return whether the prompt is too long for the address, and note it for the next run."""
    long = len(str(st.session_state.get("prompt", ""))) > MAX_PROMPT_IN_ADDRESS
    if st.session_state.get(_WAS_LONG, False) and not long:
        # Typed while unbound, so the browser didn't write it; an assignment does.
        st.session_state["prompt"] = st.session_state["prompt"]
    st.session_state[_WAS_LONG] = long
    return long


def _widgets(long_prompt: bool) -> tuple[dict[str, Value], DeltaGenerator]:
    """Draw the sidebar's controls; return what they hold and the place for the model's facts."""
    held: dict[str, Value] = {}
    presets = CONTROLS["config"]
    options = presets.options if isinstance(presets, Choice) else ()
    offered = offered_checkpoints()
    # The widget that holds it comes later, and in the first run the address knows it already.
    trained = st.session_state.get("weights", st.query_params.get("weights")) in offered
    held["config"] = st.selectbox(
        "Configuration",
        options,
        index=options.index(str(presets.default)),
        key="config",
        bind="query-params",
        on_change=_start_custom_from_preset,
        disabled=trained,
    )
    if held["config"] == CUSTOM and not trained:
        held |= _custom_fields()
    held["weights"] = RANDOM
    if offered:
        held["weights"] = st.selectbox(
            "Weights",
            (RANDOM, *offered),
            key="weights",
            bind="query-params",
            format_func=label,
        )
    facts = st.container()
    held["seed"] = _number("seed", "Seed", disabled=held["weights"] != RANDOM)
    held["prompt"] = st.text_area(
        "Prompt",
        value=str(CONTROLS["prompt"].default),
        key="prompt",
        height=84,
        bind=None if long_prompt else "query-params",
        persist_state="session" if long_prompt else None,
    )
    held["projector"] = st.toggle("Projector mode", key="projector", bind="query-params")
    return held, facts


def _checkpoint_screen(name: str, base: Screen) -> Screen:
    """Return the screen on a checkpoint's weights and configuration.

    Raises:
        ValueError: If it is not offered, or can't be used.
    """
    model_id = checkpoint_model(name)
    return replace(base, config=model_id.config, config_name=name, weights=model_id.weights)


def _judge(held: dict[str, Value], base: Screen) -> Screen:
    """Take over from the controls what is valid; for the rest keep `base` and say why."""
    notices: list[str] = []
    new = base
    try:
        seed = int(_checked("seed", held["seed"]))
        new = replace(new, seed=seed, weights=Seed(seed))
    except ValueError as error:
        notices.append(f"{error} The page still shows seed {base.seed}.")
    try:
        if held["weights"] == RANDOM:
            new = replace(new, config=_checked_config(held), config_name=str(held["config"]))
        else:
            new = _checkpoint_screen(str(held["weights"]), new)
    except ValueError as error:
        new = replace(new, config=base.config, config_name=base.config_name, weights=base.weights)
        notices.append(f"{_sentence(error)} The page still shows {base.config_name}.")
    try:
        new = replace(new, prompt=_checked_prompt(held["prompt"]))
    except ValueError as error:
        shown = base.prompt if len(base.prompt) <= 40 else base.prompt[:40] + "…"
        notices.append(f"{error} The page still shows “{shown}”.")

    ids, room = encode(new.prompt), new.config.context_length
    if len(ids) > room:
        notices.append(
            f"The prompt has {len(ids):,} tokens and the context holds {room:,}: the pages use the "
            f"last {room:,}."
        )
    if len(new.prompt) > MAX_PROMPT_IN_ADDRESS:
        notices.append(
            f"The prompt has {len(new.prompt):,} characters; above {MAX_PROMPT_IN_ADDRESS:,} it "
            "stays out of the address and of links."
        )
    dark = st.context.theme.type == "dark"
    return replace(
        new,
        token_ids=tuple(ids[-room:]),
        look=Look("dark" if dark else "light", projector=bool(held["projector"])),
        notices=tuple(notices),
    )


def sidebar(page: str, lesson: Mapping[str, Value], refused: Sequence[str]) -> None:
    """Draw the sidebar and keep the viewer's valid choices as the current screen.

    What is not valid is left out: the choice of the run before stays, and a sentence says why.

    Args:
        page: The current page's name, for the link.
        lesson: The part of the link that is the lesson's, if one is open.
        refused: Sentences about what of the address was refused.
    """
    before = previous_screen()
    asked = st.query_params.get("weights", RANDOM)
    notices = [*refused]
    if too_long := _refuse_huge_prompt(before):
        notices.append(too_long)
    if before is None and asked != RANDOM and asked not in offered_checkpoints():
        notices.append(
            f"The weights “{shortened(asked)}” are not offered here; they are random instead."
        )
    with st.sidebar:
        held, facts = _widgets(_prompt_stays_out_of_address())
        new = _judge(held, before or _FIRST_SCREEN)
        new = replace(new, notices=(*notices, *new.notices))
        set_screen(new)
        with facts:
            _facts(new.config)
        copy_link(page, _shown(new) | dict(lesson))
        with st.container(horizontal=True):
            glossary_button()
            join_button()


def _shown(screen: Screen) -> dict[str, Value]:
    """Return what the controls would hold that show this screen."""
    shown: dict[str, Value] = {
        "config": screen.config_name,
        "seed": screen.seed,
        "prompt": screen.prompt,
        "projector": screen.look.projector,
    }
    if isinstance(screen.weights, Checkpoint):
        shown |= {"config": str(CONTROLS["config"].default), "weights": screen.config_name}
    elif screen.config_name == CUSTOM:
        shown |= {field.key: getattr(screen.config, field.key) for field in FIELDS}
    return shown
