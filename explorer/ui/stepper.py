"""The greedy run as a component that plays it in the browser; Python only sends what is computed."""

import math

import streamlit as st

from explorer import measure
from explorer.draw.numbers import number
from explorer.draw.theme import SCALE
from explorer.ui import cache, controls
from explorer.ui.components.files import component
from explorer.ui.state import Screen
from gptcore.identity import ModelId, Seed
from gptcore.tokenizer import encode

_NAME = "stepper"
_KEY = "generate_stepper"
_ASKED = "_generate_asked_for_more"
_NEARLY_CERTAIN_NATS = 0.5
_NEARLY_EVEN = 0.9  # of ln V


def sentence(model_id: ModelId, step: "measure.Step", last_id: int) -> str:
    """Say what a step's distribution is like, and why, as it follows from what is measured.

    Args:
        model_id: Whose step it is.
        step: The step.
        last_id: The token that it continues.
    """
    cfg, untrained = model_id.config, isinstance(model_id.weights, Seed)
    winner = f"“{measure.token_text(step.token_id)}”"
    probability = math.exp(step.top_logits[0] - step.log_normaliser)
    even = math.log(cfg.vocab_size)
    share = number(100 * step.entropy / even, 1)
    if (
        untrained
        and cfg.tie_weights
        and step.token_id == last_id
        and step.entropy < _NEARLY_CERTAIN_NATS
    ):
        return (
            f"The winner, {winner}, has {number(100 * probability, 4)} % and echoes the last token; "
            f"entropy {number(step.entropy)} nats. The tied head scores tokens by likeness to the "
            "stream, which still holds the last token's own embedding."
        )
    odds = f"{number(probability * cfg.vocab_size, 1)} times an even share"
    like = (
        "close to an even draw" if step.entropy > _NEARLY_EVEN * even else "far from an even draw"
    )
    why = (
        "Nothing has been learned, so nonsense is the correct result."
        if untrained
        else "The weights are trained; the loop is the same."
    )
    return (
        f"The winner, {winner}, has {number(100 * probability, 4)} %, {odds}; the entropy, "
        f"{number(step.entropy)} nats, is {share} % of ln V: {like}. {why}"
    )


def greedy_steps_so_far(now: Screen, n_tokens: int) -> "tuple[measure.Step, ...]":
    """Return what is computed of this screen's run, and compute some more if the browser asked."""
    steps = cache.streamed(
        measure.greedy_run,
        now.model_id,
        now.token_ids,
        begin=measure.begun_run,
        wanted=n_tokens + 1,  # the last one says what would come next
        more=bool(st.session_state.get(_ASKED, False)),
    )
    st.session_state[_ASKED] = False  # not before: a run that is cut short leaves it to the next
    return steps


def _asked() -> None:
    st.session_state[_ASKED] = True


def _moved() -> None:
    told = st.session_state[_KEY]["step"]
    control = controls.CONTROLS["generate_step"]
    st.session_state["generate_step"] = control.parse(str(told))


def stepper(now: Screen, steps: "tuple[measure.Step, ...]", n_tokens: int) -> None:
    """Show the steps: stages with their numbers, the likeliest tokens, and the keys to move."""
    top_k = int(controls.current("generate_top_k"))
    ids = [*now.token_ids, *(step.token_id for step in steps)]
    n_prompt = len(now.token_ids)
    shown = {*ids, *(token_id for step in steps for token_id in step.top_ids[:top_k])}
    component(_NAME, isolate_styles=False)(
        key=_KEY,
        data={
            "run": f"{now.model_id} {hash(now.token_ids)} {controls.restored()}",
            "step": controls.current("generate_step"),
            "wanted": n_tokens,
            "prompt": now.token_ids,
            "dropped": len(encode(now.prompt)) - n_prompt,
            "context": now.config.context_length,
            "vocabulary": now.config.vocab_size,
            "texts": {str(token_id): measure.token_text(token_id) for token_id in shown},
            "log": controls.current("generate_scale") == "log",
            "colours": SCALE[now.look.base]["div"],
            "reach": max(abs(x) for step in steps for x in step.logit_range),
            "steps": [
                {
                    "token": step.token_id,
                    "ids": step.top_ids[:top_k],
                    "logits": [round(x, 8) for x in step.top_logits[:top_k]],
                    "before": step.earlier_ranks[:top_k],
                    "normaliser": step.log_normaliser,
                    "entropy": step.entropy,
                    "ten": step.top_10_share,
                    "total": step.total,
                    "range": step.logit_range,
                    "sample": [round(x, 2) for x in step.sample],
                    "agrees": step.softmax_agrees,
                }
                for step in steps
            ],
            "notices": [
                sentence(now.model_id, step, ids[n_prompt + index - 1])
                for index, step in enumerate(steps)
            ],
        },
        on_step_change=_moved,
        on_more_change=_asked,
    )
