"""What gptcore imports, when, and which shortcuts it doesn't take."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import gptcore

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "gptcore").glob("**/*.py"))
FIXED_NAMES = [
    "CONFIGS", "DeepNetwork", "DummyGPTModel", "FeedForward", "GELU", "GPTConfig", "GPTModel",
    "GPT_CONFIG_124M", "LayerNorm", "MultiHeadAttention", "TransformerBlock", "build_model",
    "count_parameters", "decode", "encode", "generate_greedy", "load_gpt2", "mean_abs_gradients",
    "trace_gpt",
]  # fmt: skip
FUSED = {
    "LayerNorm", "GELU", "MultiheadAttention", "TransformerEncoderLayer", "Transformer",
    "TransformerDecoderLayer",
}  # fmt: skip
FORBIDDEN = {
    "scaled_dot_product_attention", "multi_head_attention_forward", "layer_norm", "native_layer_norm",
    "gelu", "get_encoding", "encoding_for_model", "load_tiktoken_bpe", "backward", "pickle", "load",
    "Unpickler", "masked_fill_",
}  # fmt: skip


def run(code: str) -> str:
    """Run code in a fresh interpreter that finds the project and nothing else of ours."""
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def dotted(node: ast.expr) -> str:
    """Write an attribute as it stands in the source: `torch.nn.Linear`."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


def names_used(tree: ast.AST) -> set[str]:
    """Collect every name that is read or imported, dotted, docstrings and comments left out."""
    used: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name):
            used.add(dotted(node))
        elif isinstance(node, ast.Import):
            used.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            used.update(f"{node.module}.{alias.name}" for alias in node.names)
    return used


def trees() -> dict[str, ast.Module]:
    return {path.name: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}


def test_configurations_counting_and_the_tokenizer_do_not_import_torch() -> None:
    code = """
import sys
import gptcore
from gptcore import CONFIGS, GPT_CONFIG_124M, GPTConfig, count_parameters, decode, encode
from gptcore.counting import count_block, mask_bytes, weight_bytes
from gptcore.identity import Checkpoint, ModelId, Seed
for cfg in CONFIGS.values():
    count_parameters(cfg), count_block(cfg), mask_bytes(cfg), weight_bytes(cfg)
    ModelId(cfg, Seed(123))
assert decode(encode("Hello, I am")) == "Hello, I am"
print([name for name in ("torch", "numpy", "safetensors", "streamlit") if name in sys.modules])
"""
    assert run(code) == "[]"


def test_asking_for_the_model_imports_torch() -> None:
    code = "import sys; from gptcore import GPTModel; print('torch' in sys.modules)"
    assert run(code) == "True"


def test_the_modules_are_reached_as_attributes_too() -> None:
    assert run("import gptcore; print(gptcore.GELU.__module__)") == "gptcore.feed_forward"


def test_importing_star_gives_every_public_name() -> None:
    code = "from gptcore import *; import gptcore; print(set(gptcore.__all__) <= set(globals()))"
    assert run(code) == "True"


@pytest.mark.parametrize("name", FIXED_NAMES)
def test_a_fixed_name_is_importable_from_gptcore(name: str) -> None:
    assert name in gptcore.__all__
    assert getattr(gptcore, name) is not None


def test_every_public_name_is_there() -> None:
    for name in gptcore.__all__:
        assert getattr(gptcore, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'gptcore' has no attribute 'GPT3'"):
        gptcore.GPT3  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'GPT3'"):
        exec("from gptcore import GPT3")


def test_gptcore_imports_torch_and_tiktoken_only_and_safetensors_in_one_place() -> None:
    allowed = {"torch", "tiktoken", "safetensors", "gptcore", *sys.stdlib_module_names}
    for name, tree in trees().items():
        imported = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                imported.update(alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{name} imports relatively"
                imported.add(str(node.module).split(".")[0])
        assert imported <= allowed, name
        assert ("safetensors" in imported) == (name == "checkpoint.py")
        assert ("tiktoken" in imported) == (name == "tokenizer.py")


@pytest.mark.parametrize("name", [path.name for path in SOURCES])
def test_a_file_spells_out_what_it_teaches_and_unpickles_nothing(name: str) -> None:
    for used in names_used(trees()[name]):
        *parents, last = used.split(".")
        assert last not in FORBIDDEN, f"{name} uses {used}"
        if last in FUSED and parents:
            ours = parents[0] == "gptcore"
            assert ours, f"{name} uses {used}"


@pytest.mark.parametrize("name", [path.name for path in SOURCES if path.name != "seeding.py"])
def test_a_file_leaves_the_global_random_state_alone(name: str) -> None:
    for used in names_used(trees()[name]):
        assert not used.startswith(("torch.random", "torch.cuda", "random", "numpy")), used
        assert used not in {
            "torch.manual_seed", "torch.seed", "torch.initial_seed", "torch.set_rng_state",
            "torch.get_rng_state", "torch.default_generator",
        }  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "import torch.nn as nn; nn.LayerNorm(5)",
        "from torch.nn import GELU",
        "from torch.nn.functional import gelu",
        "import torch.nn.functional as F; F.scaled_dot_product_attention(q, k, v)",
        "loss().backward()",
        "import pickle",
        "torch.load(path)",
    ],
)
def test_the_search_finds_what_it_looks_for(line: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(globals(), "trees", lambda: {"planted.py": ast.parse(line)})
        with pytest.raises(AssertionError):
            test_a_file_spells_out_what_it_teaches_and_unpickles_nothing("planted.py")
