"""Trained GPT-2 weights from a folder in Hugging Face's layout; only safetensors is ever read.

Everything is checked before a model is made: names and shapes come from the files' headers.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from gptcore.attention import MultiHeadAttention, causal_mask
from gptcore.config import GPTConfig
from gptcore.counting import MIB, mask_bytes, weight_bytes
from gptcore.hugging_face import config_from_hugging_face
from gptcore.model import GPTModel

CONFIG_FILE = "config.json"
WEIGHTS_FILE = "model.safetensors"
INDEX_FILE = "model.safetensors.index.json"
_MAX_JSON_BYTES = 16 * 2**20

# Their layer names in a block, and the ones of ours that each holds.
_LINEAR = {
    "attn.c_attn": ("att.W_query", "att.W_key", "att.W_value"),
    "attn.c_proj": ("att.out_proj",),
    "mlp.c_fc": ("ff.layers.0",),
    "mlp.c_proj": ("ff.layers.2",),
}
_NORM = {"ln_1": "norm1", "ln_2": "norm2"}
# The header's names for the types that a float32 model can be filled from.
_FLOATS = ("F64", "F32", "F16", "BF16")


def _read_json(path: Path) -> dict[str, Any]:
    try:
        too_large = path.stat().st_size > _MAX_JSON_BYTES
        content = None if too_large else json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path} can't be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # no UTF-8, no JSON, a number of 5,000 digits
        raise ValueError(f"{path} is not JSON") from error
    if too_large:
        raise ValueError(f"{path} is larger than {_MAX_JSON_BYTES // 2**20} MiB")
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
    try:
        return config_from_hugging_face(theirs)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _weight_files(folder: Path) -> list[Path]:
    """Return the safetensors files of a folder: one, or the shards that an index names."""
    whole, index = folder / WEIGHTS_FILE, folder / INDEX_FILE
    if whole.is_file():
        return [whole]
    if not index.is_file():
        raise ValueError(
            f"{folder} holds neither {WEIGHTS_FILE} nor {INDEX_FILE}; only safetensors is read, "
            "no pickle such as pytorch_model.bin"
        )
    shards = _read_json(index).get("weight_map")
    if not isinstance(shards, dict) or not all(isinstance(s, str) for s in shards.values()):
        raise ValueError(f"{index} must map tensor names to files")
    names = sorted(set(shards.values()))
    for name in names:
        if Path(name).name != name or not name.endswith(".safetensors"):
            raise ValueError(f"{index} names {name!r}, which is no safetensors file of its folder")
        if not (folder / name).is_file():
            raise ValueError(f"{folder} lacks {name!r}, though {INDEX_FILE} names it")
    return [folder / name for name in names]


class _Stored(NamedTuple):
    """Where a tensor lies, and what its file's header says of it."""

    file: Path
    key: str
    shape: tuple[int, ...]
    dtype: str


@contextmanager
def _opened(file: Path) -> Iterator[Any]:
    try:
        with safe_open(file, framework="pt") as reader:
            yield reader
    except (SafetensorError, OSError) as error:
        raise ValueError(f"{file} is damaged or no safetensors file") from error
    except RuntimeError as error:  # torch's word for memory that can't be had
        size = file.stat().st_size / MIB
        raise ValueError(
            f"{file} has {size:,.0f} MiB, which can't be mapped into memory"
        ) from error


def _read_headers(folder: Path) -> dict[str, _Stored]:
    """Find every tensor of the folder, by its name without the `transformer.` prefix."""
    stored: dict[str, _Stored] = {}
    for file in _weight_files(folder):
        with _opened(file) as reader:
            for key in reader.keys():  # noqa: SIM118 (it is no mapping)
                name = key.removeprefix("transformer.")
                if name.endswith((".attn.bias", ".attn.masked_bias")):
                    continue  # the causal mask, which old checkpoints carry along
                if name in stored:
                    raise ValueError(f"{folder} holds the tensor {name!r} twice")
                layout = reader.get_slice(key)
                stored[name] = _Stored(file, key, tuple(layout.get_shape()), layout.get_dtype())
    return stored


def _needed_shapes(cfg: GPTConfig) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Name every tensor of a checkpoint of this configuration, with its shape."""
    d, f = cfg.emb_dim, cfg.hidden_dim
    widths = {"attn.c_attn": (d, 3 * d), "attn.c_proj": (d, d)}
    widths |= {"mlp.c_fc": (d, f), "mlp.c_proj": (f, d)}
    yield "wte.weight", (cfg.vocab_size, d)
    yield "wpe.weight", (cfg.context_length, d)
    yield "ln_f.weight", (d,)
    yield "ln_f.bias", (d,)
    if not cfg.tie_weights:
        yield "lm_head.weight", (cfg.vocab_size, d)
    for block in range(cfg.n_layers):
        for name, (n_in, n_out) in widths.items():
            yield f"h.{block}.{name}.weight", (n_in, n_out)  # Conv1D: the transpose of Linear
            yield f"h.{block}.{name}.bias", (n_out,)
        for name in _NORM:
            yield f"h.{block}.{name}.weight", (d,)
            yield f"h.{block}.{name}.bias", (d,)


def _find_tensors(folder: Path, cfg: GPTConfig) -> dict[str, _Stored]:
    """Find exactly the tensors that `cfg` needs, by what the files' headers say."""
    stored = _read_headers(folder)
    if cfg.tie_weights:
        stored.pop("lm_head.weight", None)  # a copy of wte, if it is there at all
    needed = {}
    for name, shape in _needed_shapes(cfg):  # ends at the first gap, however many are asked for
        if name not in stored:
            raise ValueError(f"{folder} lacks the tensor {name}")
        if stored[name].shape != shape:
            raise ValueError(f"{folder}: {name} must have shape {shape}; got {stored[name].shape}")
        if stored[name].dtype not in _FLOATS:
            raise ValueError(
                f"{folder}: {name} must be one of {', '.join(_FLOATS)}; got {stored[name].dtype}"
            )
        needed[name] = stored[name]
    if foreign := sorted(stored.keys() - needed.keys()):
        raise ValueError(f"{folder} holds {len(foreign)} foreign tensors, first {foreign[0]!r}")
    return needed


def _read_tensors(needed: dict[str, _Stored]) -> dict[str, Tensor]:
    """Read tensors as windows on their files: they must be copied before they are kept."""
    tensors: dict[str, Tensor] = {}
    for file in {stored.file for stored in needed.values()}:
        with _opened(file) as reader:
            for name, stored in needed.items():
                if stored.file == file:
                    tensors[name] = reader.get_tensor(stored.key)
    return tensors


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
                ours[f"{new}.{layer}.weight"] = weight
                ours[f"{new}.{layer}.bias"] = bias
        for name, norm in _NORM.items():
            ours[f"{new}.{norm}.scale"] = theirs[f"{old}.{name}.weight"]
            ours[f"{new}.{norm}.shift"] = theirs[f"{old}.{name}.bias"]
    return ours


def _lay_out_as_stored(model: GPTModel) -> None:
    """Keep every block's matrices in the files' order of memory, (n_in, n_out).

    They read as Linear's (n_out, n_in) all the same. A product with a single token takes as long as
    reading the matrix, and most of them are read faster in this order.
    """
    for layer in model.trf_blocks.modules():
        if isinstance(layer, nn.Linear):
            stored = layer.weight.new_empty(layer.in_features, layer.out_features)
            layer.weight = nn.Parameter(stored.T)


def check_gpt2(folder: str | Path) -> GPTConfig:
    """Return the configuration of a folder that `load_gpt2` can load; no weight is read.

    Raises:
        ValueError: If a file is missing, truncated, foreign or of the wrong shape; one sentence.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder")
    cfg = read_gpt2_config(folder)
    _find_tensors(folder, cfg)
    return cfg


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
    state = _our_state(_read_tensors(_find_tensors(folder, cfg)), cfg)
    with torch.device("meta"):  # no random numbers for weights that are replaced
        model = GPTModel(cfg)
    try:
        model.to_empty(device="cpu")
    except RuntimeError as error:  # torch's word for memory that can't be had
        raise ValueError(
            f"{folder} needs {weight_bytes(cfg) / MIB:,.0f} MiB for its weights and "
            f"{mask_bytes(cfg) / MIB:,.0f} MiB for its causal masks, which can't be allocated"
        ) from error
    if cfg.tie_weights:
        model.out_head.weight = model.tok_emb.weight
    _lay_out_as_stored(model)
    model.load_state_dict(state)  # copies, so the model outlives any change of the files
    for block in model.trf_blocks:
        attention = cast(MultiHeadAttention, block.att)
        attention.mask = causal_mask(cfg.context_length)  # a buffer that no checkpoint holds
    return model.eval()
