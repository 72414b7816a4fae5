"""The script that a viewer takes home prints the run that was on the screen."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.measure import (
    activation_values,
    block_stats,
    constant_inputs,
    construction,
    feed_forward_activity,
    flops_by_part,
    layer_gradients,
    memory_uses,
    more_reference_inputs,
    norm_inputs,
    norm_stages,
    page_script,
    pass_summary,
    reference_inputs,
    run_script,
    stage_moments,
    tensor_path,
)
from explorer.ui.components.overview.payload import TENSORS
from explorer.ui.controls import CONTROLS
from gptcore import (
    GPTConfig,
    GPTModel,
    build_model,
    count_parameters,
    decode,
    encode,
    generate_greedy,
)
from gptcore.identity import Checkpoint, Seed
from tests.thorough import mostly_thorough


def test_run_by_itself_it_prints_the_same_tokens_and_text() -> None:
    cfg = GPTConfig(50257, 8, 12, 3, 2, 0.1, False, True)
    prompt = tuple(encode('"""; 🤖 <b> \\n'))
    ran = subprocess.run(
        [sys.executable, "-c", run_script(cfg, Seed(7), prompt, 12)],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        check=True,
    )
    expected = generate_greedy(build_model(cfg, 7), list(prompt), 12)
    ids, text = map(ast.literal_eval, ran.stdout.splitlines())
    assert ids == expected[len(prompt) :]
    assert text == decode(expected).encode()


def test_a_checkpoint_is_named_without_where_it_lies() -> None:
    cfg = GPTConfig(50257, 8, 12, 3, 2, 0.1, True, True)
    script = run_script(cfg, Checkpoint("/srv/models/gpt2-tiny"), (1, 2), 3)
    assert "load_gpt2('gpt2-tiny')" in script
    assert "/srv" not in script


CFG = GPTConfig(50257, 8, 12, 3, 2, 0.1, False, True)
IDS = tuple(encode("Hello, I am"))
OTHER = (tuple(encode("Every day holds a")),)
SEED = Seed(7)
HELD = {key: control.default for key, control in CONTROLS.items()}
ADDED = ("attn_out", "ff_out")


def lines_of(script: str) -> list[str]:
    """Run a script by itself and return what it prints."""
    return subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()


def printed(page: str, batch: tuple[tuple[int, ...], ...] = (), **held: object) -> list[str]:
    return lines_of(page_script(page, CFG, SEED, IDS, HELD | held, batch, seed=7))


def numbers(line: str, *names: str) -> list[float]:
    """Return the numbers that stand behind names in a line."""
    words = line.split()
    return [float(words[words.index(name) + 1]) for name in names]


@pytest.fixture(scope="module")
def model() -> GPTModel:
    return build_model(CFG, 7)


@pytest.mark.parametrize(
    "page", ["overview", "placeholder", "layernorm", "gelu", "shortcuts", "block", "scaling"]
)
def test_a_pages_own_script_imports_nothing_but_torch_and_gptcore(page: str) -> None:
    script = page_script(page, CFG, SEED, IDS, HELD, OTHER)
    names = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(script))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert names <= {"torch", "gptcore"}
    assert len(script.splitlines()) <= 70


def test_the_overviews_script_prints_the_shapes_and_the_count_on_the_page() -> None:
    *shapes, count, top = printed("overview", overview_block=1)
    there = dict(line.split(" ", 1) for line in shapes)
    for row in tensor_path(CFG, len(IDS), 1):
        letters = row.shape_out.split()
        if (name := TENSORS.get(row.stop)) in there and row.shape_out.startswith("B"):
            size = tuple(int(axis[1:].replace(",", "")) for axis in letters)
            if len(ast.literal_eval(there[name])) == len(size):
                assert ast.literal_eval(there[name]) == size, row.stop
    assert count == f"parameters {sum(count_parameters(CFG).values())}"
    assert top.split()[1] == str(generate_greedy(build_model(CFG, 7), list(IDS), 1)[-1])


@pytest.mark.parametrize("real", [(), ("attention", "shortcuts")])
def test_the_placeholders_script_prints_the_stages_on_the_page(
    real: tuple[str, ...], model: GPTModel
) -> None:
    batch = (IDS, OTHER[0])
    *stages, count, off = printed(
        "placeholder", batch, **{f"placeholder_{part}": True for part in real}
    )
    built = construction(model, batch, frozenset(real))
    for line, row in zip(stages, built.stages.itertuples(), strict=True):
        assert numbers(line, "mean", "std") == pytest.approx(
            [row.mean, row.std], rel=1e-4, abs=1e-6
        )
    assert count == f"parameters {built.n_parameters}"
    assert numbers(off, "by") == pytest.approx([built.difference], rel=1e-4)


NORMS = ("final_norm", "1.norm2", "reference", "constant")
NORMALISED = [(norm, over) for norm in NORMS for over in ("features", "batch", "larger")]


@pytest.mark.parametrize(("norm", "over"), mostly_thorough(NORMALISED, NORMALISED[::5]))
def test_layernorms_script_prints_the_stages_on_the_page(
    norm: str, over: str, model: GPTModel
) -> None:
    held = {"layernorm_norm": norm, "layernorm_over": over, "layernorm_gamma": 2.0}
    held |= {"layernorm_beta": 0.5, "layernorm_eps": "0.01", "layernorm_token": 0}
    stages = printed("layernorm", OTHER, **held)
    examples = {
        "reference": [reference_inputs, more_reference_inputs],
        "constant": [constant_inputs, reference_inputs],
    }
    if norm in examples:
        read, *others = [make() for make in examples[norm]]
    else:
        read, *others = [norm_inputs(model, ids, norm) for ids in (IDS, *OTHER)]
    frame = norm_stages(
        read,
        0,
        others if over == "larger" else (),
        over="features" if over == "features" else "batch",
        eps=0.01,
        gain=2.0,
        offset=0.5,
    )
    moments = stage_moments({stage: frame[stage].to_numpy() for stage in frame})
    for line, row in zip(stages, moments.itertuples(), strict=True):
        assert line.startswith(row.stage)
        wanted = [row.mean, row.variance, row.min, row.max]
        found = numbers(line, "mean", "variance", "min", "max")
        assert found == pytest.approx(wanted, rel=1e-4, abs=1e-6)


def test_gelus_script_prints_the_values_and_the_shares_on_the_page(model: GPTModel) -> None:
    lines = printed("gelu", gelu_x=-0.5, gelu_block=1, gelu_threshold="0.1")
    for line, row in zip(lines, activation_values([-0.5]).itertuples(), strict=False):
        assert numbers(line, "value", "slope") == pytest.approx([row.value, row.slope], rel=1e-5)
    near = feed_forward_activity(model, IDS).near_zero
    near = near[(near["block"] == 1) & (near["threshold"] == 0.1)]
    assert len(lines) == 3 + len(near)
    for line, row in zip(lines[3:], near.itertuples(), strict=True):
        assert line.startswith(row.activation)
        assert numbers(line, "zero") == pytest.approx([row.share], abs=1e-5)


@pytest.mark.parametrize("activation", mostly_thorough(["gelu", "relu", "tanh"], ["relu"]))
def test_the_shortcuts_script_prints_the_gradients_on_the_page(activation: str) -> None:
    lines = printed("shortcuts", shortcuts_layers=4, shortcuts_activation=activation)
    frame = layer_gradients(4, 3, activation, (7,))
    found = [float(line.split()[-1]) for line in lines]
    assert found == pytest.approx(frame["gradient"].tolist(), rel=1e-4, abs=1e-9)


def test_the_blocks_script_prints_the_statistics_on_the_page(model: GPTModel) -> None:
    lines = printed("block")
    frame = block_stats(pass_summary(model, IDS))
    names = ("mean", "std", "min", "max", "rms")
    for line, row in zip(lines, frame.itertuples(), strict=True):
        assert line.startswith(f"{row.block} {row.point} ")
        wanted = [getattr(row, name) for name in names]
        assert numbers(line, *names) == pytest.approx(wanted, rel=1e-3, abs=1e-5)


def test_scalings_script_prints_the_counts_on_the_page() -> None:
    held = {"scaling_batch": 3, "scaling_length": 4, "scaling_precision": "float16 or bfloat16"}
    lines = printed("scaling", scaling_fused=True, **held)
    said = "\n".join(lines)
    for component, count in count_parameters(CFG).items():
        assert f"parameters {component} {count}\n" in said
    for purpose in ("train", "generate"):
        uses = memory_uses(CFG, purpose, "float16 or bfloat16", 3, 4, "fused")
        for row in uses.itertuples():
            assert f"bytes {row.use} {row.bytes} (" in said
    assert f"FLOPs a token, forward {int(flops_by_part(CFG, 4)['forward'].sum())}" in said


def test_no_prompt_and_no_folder_gets_into_a_scripts_code() -> None:
    away = Checkpoint("/srv/models/it's here")
    for page in ("overview", "placeholder", "layernorm", "gelu", "block"):
        script = page_script(page, CFG, away, IDS, HELD, OTHER)
        ast.parse(script)
        assert "/srv" not in script
