"""Trained GPT-2 weights from a folder in Hugging Face's layout; only safetensors is ever read.

Everything is checked before a model is made: names and shapes come from the files' headers.
"""

import json
from pathlib import Path
from typing import Any, cast

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from gptcore.attention import MultiHeadAttention, causal_mask
from gptcore.config import GPTConfig
from gptcore.model import GPTModel

CONFIG_FILE = "config.json"
WEIGHTS_FILE = "model.safetensors"
INDEX_FILE = "model.safetensors.index.json"
_MAX_JSON_BYTES = 16 * 2**20

# What gptcore's mathematics takes for granted, by the checkpoint's own field names.
_REQUIRED = {
    "model_type": "gpt2",
    "activation_function": "gelu_new",
    "layer_norm_epsilon": 1e-5,
    "scale_attn_weights": True,
    "scale_attn_by_inverse_layer_idx": False,
    "add_cross_attention": False,
}
# Their layer names in a block, and the ones of ours that each holds.
_LINEAR = {
    "attn.c_attn": ("att.W_query", "att.W_key", "att.W_value"),
    "attn.c_proj": ("att.out_proj",),
    "mlp.c_fc": ("ff.layers.0",),
    "mlp.c_proj": ("ff.layers.2",),
}
_NORM = {"ln_1": "norm1", "ln_2": "norm2"}


def _read_json(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _MAX_JSON_BYTES:
            raise ValueError(f"{path} is larger than {_MAX_JSON_BYTES // 2**20} MiB")
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path} can't be read: {error.strerror}") from error
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"{path} is not JSON") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path} must hold a JSON object; got {type(content).__name__}")
    return content


def read_gpt2_config(folder: str | Path) -> GPTConfig:
    """Read the configuration of a Hugging Face GPT-2 folder.

    Raises:
        ValueError: If `config.json` is missing, is not GPT-2's, or asks for mathematics that
            `gptcore` doesn't have.
    """
    path = Path(folder) / CONFIG_FILE
    theirs = _read_json(path)
    for name, needed in _REQUIRED.items():
        found = theirs.get(name, None if name == "model_type" else needed)
        if found != needed:
            raise ValueError(f"{path}: {name} must be {needed!r}; got {found!r}")
    emb_dim = theirs.get("n_embd")
    if theirs.get("n_inner") not in (None, 4 * emb_dim if isinstance(emb_dim, int) else None):
        raise ValueError(f"{path}: n_inner must be 4 × n_embd; got {theirs['n_inner']!r}")
    try:
        return GPTConfig(
            vocab_size=theirs.get("vocab_size", 50257),
            context_length=theirs.get("n_positions", 1024),
            emb_dim=theirs.get("n_embd", 768),
            n_heads=theirs.get("n_head", 12),
            n_layers=theirs.get("n_layer", 12),
            drop_rate=theirs.get("resid_pdrop", 0.1),
            qkv_bias=True,
            tie_weights=theirs.get("tie_word_embeddings", True),
        )
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _weight_files(folder: Path) -> list[Path]:
    """Return the safetensors files of a folder: one, or the shards that an index names."""
    whole, index = folder / WEIGHTS_FILE, folder / INDEX_FILE
    if whole.is_file():
        return [whole]
    if not index.is_file():
        raise ValueError(f"{folder} holds neither {WEIGHTS_FILE} nor {INDEX_FILE}")
    shards = _read_json(index).get("weight_map")
    if not isinstance(shards, dict) or not all(isinstance(s, str) for s in shards.values()):
        raise ValueError(f"{index} must map tensor names to files")
    names = sorted(set(shards.values()))
    for name in names:
        if Path(name).name != name or not name.endswith(".safetensors"):
            raise ValueError(f"{index} names {name!r}, which is no safetensors file of its folder")
        if not (folder / name).is_file():
            raise ValueError(f"{folder / name} is missing, though {INDEX_FILE} names it")
    return [folder / name for name in names]


def _read_tensors(folder: Path, shapes: dict[str, tuple[int, ...]]) -> dict[str, Tensor]:
    """Read exactly the tensors named in `shapes` as float32, after checking every header."""
    files = _weight_files(folder)
    where: dict[str, tuple[Path, str]] = {}  # our spelling -> file, the file's own spelling
    found: dict[str, tuple[int, ...]] = {}
    for file in files:
        try:
            with safe_open(file, framework="pt") as reader:
                for key in reader.keys():  # noqa: SIM118 (it is no mapping)
                    name = key.removeprefix("transformer.")
                    if name.endswith((".attn.bias", ".attn.masked_bias")):
                        continue  # the causal mask, which old checkpoints carry along
                    where[name] = (file, key)
                    found[name] = tuple(reader.get_slice(key).get_shape())
        except (SafetensorError, OSError) as error:
            raise ValueError(f"{file} is damaged or no safetensors file: {error}") from error
    if "lm_head.weight" not in shapes:
        found.pop("lm_head.weight", None)  # tied: a copy of wte, if it is there at all
    if missing := sorted(shapes.keys() - found.keys()):
        raise ValueError(f"{folder} lacks {len(missing)} of its tensors, first {missing[0]}")
    if foreign := sorted(found.keys() - shapes.keys()):
        raise ValueError(f"{folder} holds {len(foreign)} foreign tensors, first {foreign[0]}")
    for name, shape in shapes.items():
        if found[name] != shape:
            raise ValueError(f"{folder}: {name} must have shape {shape}; got {found[name]}")

    tensors: dict[str, Tensor] = {}
    for file in files:
        try:
            with safe_open(file, framework="pt") as reader:
                for name in (n for n in shapes if where[n][0] == file):
                    tensor = reader.get_tensor(where[name][1])
                    if not tensor.is_floating_point():
                        raise ValueError(f"{folder}: {name} must hold floats; got {tensor.dtype}")
                    tensors[name] = tensor.to(torch.float32)
        except (SafetensorError, OSError) as error:
            raise ValueError(f"{file} is damaged: {error}") from error
    return tensors


def _shapes(cfg: GPTConfig) -> dict[str, tuple[int, ...]]:
    """Name every tensor of a checkpoint of this configuration, with its shape."""
    d = cfg.emb_dim
    widths = {"attn.c_attn": (d, 3 * d), "attn.c_proj": (d, d)}
    widths |= {"mlp.c_fc": (d, cfg.hidden_dim), "mlp.c_proj": (cfg.hidden_dim, d)}
    shapes: dict[str, tuple[int, ...]] = {
        "wte.weight": (cfg.vocab_size, d),
        "wpe.weight": (cfg.context_length, d),
        "ln_f.weight": (d,),
        "ln_f.bias": (d,),
    }
    if not cfg.tie_weights:
        shapes["lm_head.weight"] = (cfg.vocab_size, d)
    for block in range(cfg.n_layers):
        for name, (n_in, n_out) in widths.items():
            shapes[f"h.{block}.{name}.weight"] = (n_in, n_out)  # Conv1D: the transpose of Linear
            shapes[f"h.{block}.{name}.bias"] = (n_out,)
        for name in _NORM:
            shapes[f"h.{block}.{name}.weight"] = (d,)
            shapes[f"h.{block}.{name}.bias"] = (d,)
    return shapes


def _our_state(theirs: dict[str, Tensor], cfg: GPTConfig) -> dict[str, Tensor]:
    """Rename, transpose and split: their tensors as a state dict of `GPTModel`."""
    ours = {
        "tok_emb.weight": theirs["wte.weight"],
        "pos_emb.weight": theirs["wpe.weight"],
        "final_norm.scale": theirs["ln_f.weight"],
        "final_norm.shift": theirs["ln_f.bias"],
        "out_head.weight": theirs["wte.weight" if cfg.tie_weights else "lm_head.weight"],
    }
    for block in range(cfg.n_layers):
        old, new = f"h.{block}", f"trf_blocks.{block}"
        for name, layers in _LINEAR.items():
            weights = theirs[f"{old}.{name}.weight"].T.chunk(len(layers))  # (n_in, n_out) -> Linear
            biases = theirs[f"{old}.{name}.bias"].chunk(len(layers))
            for layer, weight, bias in zip(layers, weights, biases, strict=True):
                ours[f"{new}.{layer}.weight"] = weight.contiguous()
                ours[f"{new}.{layer}.bias"] = bias.clone()
        for name, norm in _NORM.items():
            ours[f"{new}.{norm}.scale"] = theirs[f"{old}.{name}.weight"]
            ours[f"{new}.{norm}.shift"] = theirs[f"{old}.{name}.bias"]
    return ours


def load_gpt2(folder: str | Path) -> GPTModel:
    """Load a Hugging Face GPT-2 checkpoint folder, in eval mode.

    The fused query, key and value are split, Conv1D matrices transposed, the head tied where the
    configuration ties it. Reads `config.json` and `model.safetensors` or its shards, no pickle.

    Raises:
        ValueError: If a file is missing, truncated, foreign or of the wrong shape; one sentence.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder")
    cfg = read_gpt2_config(folder)
    state = _our_state(_read_tensors(folder, _shapes(cfg)), cfg)
    with torch.device("meta"):  # no memory and no random numbers for weights that are replaced
        model = GPTModel(cfg)
    model.load_state_dict(state, assign=True)
    if cfg.tie_weights:
        model.out_head.weight = model.tok_emb.weight
    for block in model.trf_blocks:
        attention = cast(MultiHeadAttention, block.att)
        attention.mask = causal_mask(cfg.context_length)  # a buffer that no checkpoint holds
    return model.eval()
