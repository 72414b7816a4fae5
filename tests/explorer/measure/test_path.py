"""The path that is counted against the model that runs."""

import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.measure import path as measured
from explorer.measure.path import STOPS
from gptcore import CONFIGS, GPTConfig, GPTModel
from gptcore.trace import watch_gpt


def tensor_path(cfg: GPTConfig, n_tokens: int, block: int = 0) -> pd.DataFrame:
    return pd.DataFrame(measured.tensor_path(cfg, n_tokens, block))


# The traced tensor that each operation puts out, where one is traced.
TRACED = {
    "tok_emb": "tok",
    "pos_emb": "pos",
    "drop_emb": "embed",
    "norm1": "norm1_out",
    "qkv": "q",
    "softmax": "attn_weights",
    "drop_att": "attn_out",
    "add_att": "resid_mid",
    "norm2": "norm2_out",
    "ff_up": "ff_pre",
    "gelu": "ff_hidden",
    "ff_down": "ff_out",
    "add_ff": "resid_post",
    "final_norm": "final_norm_out",
    "out_head": "logits",
}
MODULES = {
    "tok_emb": ("tok_emb",),
    "pos_emb": ("pos_emb",),
    "norm1": ("norm1",),
    "qkv": ("att.W_query", "att.W_key", "att.W_value"),
    "out_proj": ("att.out_proj",),
    "norm2": ("norm2",),
    "ff_up": ("ff.layers.0",),
    "ff_down": ("ff.layers.2",),
    "final_norm": ("final_norm",),
    "out_head": ("out_head",),
}


@st.composite
def configs(draw: st.DrawFn) -> GPTConfig:
    heads = draw(st.integers(1, 5))
    return GPTConfig(
        vocab_size=draw(st.integers(2, 60)),
        context_length=draw(st.integers(1, 9)),
        emb_dim=heads * draw(st.integers(1, 6)),
        n_heads=heads,
        n_layers=draw(st.integers(1, 4)),
        drop_rate=0.1,
        qkv_bias=draw(st.booleans()),
        tie_weights=draw(st.booleans()),
    )


def sizes(shape: str) -> tuple[int, ...]:
    return tuple(int(axis[1:].replace(",", "")) for axis in shape.split())


@settings(max_examples=40)
@given(configs(), st.data())
def test_shapes_and_parameters_are_those_of_the_real_model(
    cfg: GPTConfig, data: st.DataObject
) -> None:
    n_tokens = data.draw(st.integers(1, cfg.context_length))
    block = data.draw(st.integers(0, cfg.n_layers - 1))
    path = tensor_path(cfg, n_tokens, block).set_index("stop")
    model = GPTModel(cfg).eval()
    seen: dict[str, tuple[int, ...]] = {}

    def keep(name: str, index: int | None, tensor: torch.Tensor) -> None:
        if index in (None, block):
            seen[name] = tuple(tensor.shape)

    watch_gpt(model, torch.zeros(1, n_tokens, dtype=torch.int64), keep)
    for stop, name in TRACED.items():
        assert sizes(path.loc[stop, "shape_out"]) == seen[name], stop
    for stop, names in MODULES.items():
        modules = dict(model.named_modules()) | dict(model.trf_blocks[block].named_modules())
        held = sum(p.numel() for name in names for p in modules[name].parameters())
        expected = 0 if stop == "out_head" and cfg.tie_weights else held
        assert path.loc[stop, "parameters"] == expected, stop
    assert path["parameters"].sum() == sum(p.numel() for p in model.parameters())


@settings(max_examples=40)
@given(configs())
def test_every_operation_takes_in_what_the_one_before_puts_out(cfg: GPTConfig) -> None:
    path = tensor_path(cfg, 1)
    rows = path[~path["stop"].isin(["pos_emb", "add_emb"])]  # the position comes from the side
    for before, after in zip(rows.itertuples(), rows.iloc[1:].itertuples(), strict=False):
        assert after.shape_in == before.shape_out, after.stop


@settings(max_examples=40)
@given(configs(), st.data())
def test_a_filled_in_formula_comes_to_the_count(cfg: GPTConfig, data: st.DataObject) -> None:
    path = tensor_path(cfg, 1, data.draw(st.integers(0, cfg.n_layers - 1)))
    for row in path[path["filled"] != ""].itertuples():
        value = eval(row.filled.replace("×", "*").replace(",", ""))
        assert value == row.parameters, row.stop


def test_all_stops_appear_in_order_when_the_open_block_has_others_on_both_sides(
    tiny: GPTConfig,
) -> None:
    three = GPTConfig(**{**vars(tiny), "n_layers": 3})
    assert tuple(tensor_path(three, 2, 1)["stop"]) == STOPS


def test_one_block_has_no_others_around_it(tiny: GPTConfig) -> None:
    one = GPTConfig(**{**vars(tiny), "n_layers": 1})
    assert not {"earlier", "later"} & set(tensor_path(one, 2)["stop"])


def test_gpt3_is_counted_at_once_and_in_full() -> None:
    path = tensor_path(CONFIGS["gpt3-175b"], 2048, 95)
    assert path["parameters"].sum() == 174_604_259_328


@pytest.mark.parametrize("block", [-1, 2])
def test_a_block_that_is_not_there_is_refused(tiny: GPTConfig, block: int) -> None:
    with pytest.raises(ValueError, match="block must be from 0 to 1"):
        tensor_path(tiny, 2, block)


def test_no_token_is_refused(tiny: GPTConfig) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        tensor_path(tiny, 0)


def test_the_shapes_of_the_default_are_the_chapters() -> None:
    path = tensor_path(CONFIGS["gpt2-small"], 4).set_index("operation")
    assert path.loc["token embedding", "shape_in"] == "B1 T4"
    assert path.loc["split into heads", "shape_out"] == "B1 H12 T4 K64"
    assert path.loc["Linear D → F", "shape_out"] == "B1 T4 F3,072"
    assert path.loc["out_head", "shape_out"] == "B1 T4 V50,257"
    assert path.loc["out_head", "parameters"] == 38_597_376
