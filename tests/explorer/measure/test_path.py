"""The tensor's path agrees with a really built model, whatever the configuration."""

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.measure.path import tensor_path
from gptcore import CONFIGS, GPTConfig, count_parameters


@st.composite
def configs(draw: st.DrawFn) -> GPTConfig:
    n_heads = draw(st.integers(1, 4))
    return GPTConfig(
        vocab_size=draw(st.integers(1, 50)),
        context_length=draw(st.integers(1, 20)),
        emb_dim=n_heads * draw(st.integers(1, 5)),
        n_heads=n_heads,
        n_layers=draw(st.integers(1, 4)),
        drop_rate=0.1,
        qkv_bias=draw(st.booleans()),
        tie_weights=draw(st.booleans()),
    )


@settings(max_examples=60)
@given(configs(), st.integers(1, 2000))
def test_parameters_times_runs_are_the_whole_model(cfg: GPTConfig, n_tokens: int) -> None:
    path = tensor_path(cfg, n_tokens)
    assert (path["parameters"] * path["times"]).sum() == sum(count_parameters(cfg).values())


@given(configs(), st.integers(1, 2000))
def test_every_operation_takes_what_the_one_before_gives(cfg: GPTConfig, n_tokens: int) -> None:
    path = tensor_path(cfg, n_tokens)
    # A norm reads a copy of the stream; all else follows on.
    for before, after in zip(path["shape_out"], path["shape_in"][1:], strict=False):
        assert before == after


def test_the_shapes_of_the_default_are_the_chapters() -> None:
    path = tensor_path(CONFIGS["gpt2-small"], 4).set_index("operation")
    assert path.loc["token embedding", "shape_in"] == "B1 T4"
    assert path.loc["split into heads", "shape_out"] == "B1 H12 T4 K64"
    assert path.loc["Linear D → F", "shape_out"] == "B1 T4 F3,072"
    assert path.loc["out_head", "shape_out"] == "B1 T4 V50,257"
    assert path.loc["out_head", "parameters"] == 38_597_376
