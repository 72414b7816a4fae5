"""An operator's folder of checkpoints as Hugging Face writes them: sound ones, and every other kind."""

import json
import struct
from pathlib import Path

from safetensors.torch import load_file, save_file
from transformers import GPT2Config, GPT2LMHeadModel

SOUND = ("sharded", "tiny-gpt2")
BROKEN = {
    "cut-short": "is damaged or no safetensors file",
    "missing-shard": "lacks 'model-00002-of-",
    "other-model": "model_type must be 'gpt2'; got 'llama'",
    "other-vocabulary": "vocabulary of 99 tokens",
    "foreign-tensors": "holds 1 foreign tensors",
    "no-json": "is not JSON",
    "too-deep": "has n_layers 129; it must be a whole number from 1 to 128",
}
"""Those that are offered but can't be used, and what is said of each."""
TOO_LARGE = "gpt3-sized"
HALF_DOWNLOADED = "half-downloaded"
_SMALL = {"n_embd": 24, "n_head": 2, "n_layer": 2, "n_positions": 32}
_MAX_SHARD = "3MB"


def make_checkpoints(root: Path) -> Path:
    """Write them below a folder and return it."""

    def save(name: str, max_shard_size: str = "1GB", **fields: int) -> Path:
        model = GPT2LMHeadModel(GPT2Config(**(_SMALL | fields)))
        model.save_pretrained(root / name, max_shard_size=max_shard_size)
        return root / name

    save("tiny-gpt2")
    assert len(list(save("sharded", _MAX_SHARD, n_layer=3).glob("*.safetensors"))) > 1
    save("other-vocabulary", vocab_size=99)
    save("too-deep", n_layer=129, n_embd=2, n_positions=4)
    whole = save("cut-short") / "model.safetensors"
    whole.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    next(save("missing-shard", _MAX_SHARD).glob("model-00002-*")).unlink()
    config = save("other-model") / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"model_type": "llama"}))
    (save("no-json") / "config.json").write_text("{")
    foreign = save("foreign-tensors") / "model.safetensors"
    tensors = load_file(foreign)
    tensors["score.weight"] = tensors["transformer.ln_f.bias"].clone()
    save_file(tensors, foreign, metadata={"format": "pt"})
    (save(HALF_DOWNLOADED) / "model.safetensors").rename(
        root / HALF_DOWNLOADED / "model.safetensors.incomplete"
    )
    _write_too_large(root / TOO_LARGE)
    return root


def _write_too_large(folder: Path) -> None:
    """Write a sound header of GPT-3's shapes, and no weights: a sparse file takes no space."""
    d, n_layers, context, vocabulary = 12288, 96, 2048, 50257
    shapes = {"wte.weight": (vocabulary, d), "wpe.weight": (context, d)}
    shapes |= {f"ln_f.{kind}": (d,) for kind in ("weight", "bias")}
    widths = {"attn.c_attn": (d, 3 * d), "attn.c_proj": (d, d)}
    widths |= {"mlp.c_fc": (d, 4 * d), "mlp.c_proj": (4 * d, d)}
    for block in range(n_layers):
        for name, (n_in, n_out) in widths.items():
            shapes[f"h.{block}.{name}.weight"] = (n_in, n_out)
            shapes[f"h.{block}.{name}.bias"] = (n_out,)
        for name in ("ln_1", "ln_2"):
            shapes |= {f"h.{block}.{name}.{kind}": (d,) for kind in ("weight", "bias")}
    header, end = {}, 0
    for name, shape in shapes.items():
        start, n_values = end, 1
        for size in shape:
            n_values *= size
        end += 4 * n_values
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [start, end]}
    folder.mkdir()
    config = {"model_type": "gpt2", "n_embd": d, "n_head": 96, "n_layer": n_layers}
    (folder / "config.json").write_text(json.dumps(config | {"n_positions": context}))
    text = json.dumps(header).encode()
    with (folder / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + end)
