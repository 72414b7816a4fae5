"""What is on a page as a short script: what a reader can take home and run on `gptcore` alone."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from explorer.measure.footprint import PRECISIONS
from explorer.measure.parts import PART_NAMES
from gptcore.config import GPTConfig
from gptcore.identity import Checkpoint, Seed

_SCRIPTS = Path(__file__).with_name("scripts")
_START, _END = "# What the page shows.\n", "# ---\n"
_ACTIVATIONS = {"gelu": "gptcore.GELU", "relu": "nn.ReLU", "tanh": "nn.Tanh"}
_READS = {"norm1": "resid_pre", "norm2": "resid_mid"}
_LAYER = "torch.nn.Sequential(torch.nn.Linear(5, 6), torch.nn.ReLU())"
_REFERENCE = f"""\
torch.manual_seed(123)
inputs = torch.randn(2, 5)
rows = {_LAYER}(inputs).detach()  # (2, 6)
"""
_MORE = f"""\
torch.manual_seed(124)
layer = {_LAYER}
rows = torch.cat([rows, layer(torch.randn(2, 5)).detach()])  # (4, 6)
"""
_CONSTANT = "rows = torch.full((1, 6), 7.0)\n"
_CONSTANT_AND_REFERENCE = (
    f"{_REFERENCE}rows = torch.cat([torch.full((1, 6), 7.0), rows])  # (3, 6)\n"
)
_EXAMPLES = {
    "reference": (_REFERENCE, _REFERENCE + _MORE),
    "constant": (_CONSTANT, _CONSTANT_AND_REFERENCE),
}
"""The chapter's rows and a constant one: alone, and in a larger batch."""
Settings = Mapping[str, str | int | float | bool]
Ids = tuple[int, ...]
Batch = tuple[Ids, ...]


def _config(cfg: GPTConfig, name: str = "gptcore.GPTConfig") -> str:
    fields = "\n".join(f"    {name}={value!r}," for name, value in asdict(cfg).items())
    return f"cfg = {name}(\n{fields}\n)\n"


def _folder(weights: Checkpoint) -> str:
    """Name a checkpoint's folder; where it is elsewhere, nobody here knows."""
    return repr(Path(weights.folder).name)


def run_script(
    cfg: GPTConfig, weights: Seed | Checkpoint, token_ids: tuple[int, ...], n_tokens: int
) -> str:
    """Write a Python script that reproduces a greedy run; its last lines are the IDs and the text.

    Of a checkpoint's folder only the name is given.
    """
    if isinstance(weights, Seed):
        model = (
            "from gptcore import GPTConfig, build_model, decode, generate_greedy\n\n"
            f"{_config(cfg, 'GPTConfig')}"
            f"model = build_model(cfg, seed={weights.number})\n"
        )
    else:
        model = (
            "from gptcore import decode, generate_greedy, load_gpt2\n\n"
            "# The folder that holds config.json and model.safetensors.\n"
            f"model = load_gpt2({_folder(weights)})\n"
        )
    return (
        f"{model}"
        f"prompt = {list(token_ids)}\n"
        f"token_ids = generate_greedy(model, prompt, max_new_tokens={n_tokens})\n"
        "print(token_ids[len(prompt):])\n"
        "print(decode(token_ids).encode())\n"
    )


def page_script(
    page: str,
    cfg: GPTConfig,
    weights: Seed | Checkpoint,
    token_ids: Ids,
    held: Settings,
    sentences: Batch = (),
    seed: int = 0,
) -> str:
    """Write a Python script that prints a page's numbers.

    Args:
        page: A page's name.
        cfg: The configuration.
        weights: Where the weights come from.
        token_ids: The prompt.
        held: What the page's controls hold, by their names in a link.
        sentences: The batch of the placeholder page; for LayerNorm, what a larger batch adds.
        seed: The screen's, which the networks of the shortcuts page have whatever the weights.
    """
    if page == "generate":
        return run_script(cfg, weights, token_ids, int(held["generate_tokens"]))
    text = (_SCRIPTS / f"{page}.py").read_text(encoding="utf-8")
    top, rest = text.split(_START)
    _, body = rest.split(_END)
    if page == "scaling":
        shown = _config(cfg) + _scaling(cfg, held)
    elif page == "shortcuts":
        shown = _shortcuts(seed, held)
    elif page == "layernorm":
        shown = _layernorm(cfg, weights, (token_ids, *sentences), held)
    else:
        shown = _model(cfg, weights) + _WRITERS[page](cfg, token_ids, held, sentences)
    return top + _START + shown + body


def _model(cfg: GPTConfig, weights: Seed | Checkpoint) -> str:
    if isinstance(weights, Seed):
        return f"{_config(cfg)}model = gptcore.build_model(cfg, seed={weights.number})\n"
    return (
        f"{_config(cfg)}"
        "# The folder that holds config.json and model.safetensors.\n"
        f"model = gptcore.load_gpt2({_folder(weights)})\n"
    )


def _block(cfg: GPTConfig, held: Settings, key: str) -> int:
    return min(int(held[key]), cfg.n_layers - 1)


def _overview(cfg: GPTConfig, token_ids: Ids, held: Settings, _: Batch) -> str:
    return f"token_ids = {list(token_ids)}\nblock = {_block(cfg, held, 'overview_block')}\n"


def _blocks(_: GPTConfig, token_ids: Ids, _held: Settings, _batch: Batch) -> str:
    return f"token_ids = {list(token_ids)}\n"


def _gelu(cfg: GPTConfig, token_ids: Ids, held: Settings, _: Batch) -> str:
    return (
        f"token_ids = {list(token_ids)}\n"
        f"x = {float(held['gelu_x'])}\n"
        f"block = {_block(cfg, held, 'gelu_block')}\n"
        f"threshold = {float(held['gelu_threshold'])}\n"
    )


def _placeholder(_: GPTConfig, _ids: Ids, held: Settings, batch: Batch) -> str:
    real = [part for part in PART_NAMES if held[f"placeholder_{part}"]]
    return f"batch = {[list(ids) for ids in batch]}\nreal: list[str] = {real}\n"


_WRITERS = {
    "overview": _overview,
    "placeholder": _placeholder,
    "gelu": _gelu,
    "block": _blocks,
}


def _shortcuts(seed: int, held: Settings) -> str:
    return (
        f"layers = {held['shortcuts_layers']}\n"
        f"width = {held['shortcuts_width']}\n"
        f"activation: type[nn.Module] = {_ACTIVATIONS[str(held['shortcuts_activation'])]}\n"
        f"seed = {seed}\n"
    )


def _scaling(cfg: GPTConfig, held: Settings) -> str:
    size = PRECISIONS[str(held["scaling_precision"])]
    widths = f"{size.weight}, {size.gradient}, {size.adamw}, {size.activation}"
    return (
        f"batch = {held['scaling_batch']}\n"
        f"length = {min(int(held['scaling_length']), cfg.context_length)}\n"
        f"weight, gradient, adamw, activation = {widths}  # bytes a number\n"
        f"fused = {held['scaling_fused']}\n"
    )


def _norm_rows(cfg: GPTConfig, weights: Seed | Checkpoint, prompts: Batch, norm: str) -> str:
    """Write where a norm's rows come from: a chapter's example, or the running model."""
    if norm in _EXAMPLES:
        rows = _EXAMPLES[norm][len(prompts) > 1]
        return f"{rows}scale, shift = torch.ones(6), torch.zeros(6)\n"
    if norm == "final_norm":
        module, read = "model.final_norm", "trace.final_norm_in[0]"
    else:
        block, name = norm.split(".")
        module, read = (
            f"model.trf_blocks[{block}].{name}",
            f"trace.blocks[{block}].{_READS[name]}[0]",
        )
    return (
        f"{_model(cfg, weights)}"
        f"prompts = {[list(ids) for ids in prompts]}\n"
        f"norm = {module}\n"
        "traces = [gptcore.trace_gpt(model, torch.tensor([ids])) for ids in prompts]\n"
        f"rows = torch.cat([{read} for trace in traces])  # (N, D)\n"
        "scale, shift = norm.scale.detach(), norm.shift.detach()\n"
    )


def _layernorm(cfg: GPTConfig, weights: Seed | Checkpoint, prompts: Batch, held: Settings) -> str:
    over = held["layernorm_over"]
    read = prompts if over == "larger" else prompts[:1]
    return (
        f"{_norm_rows(cfg, weights, read, str(held['layernorm_norm']))}"
        f"token = {held['layernorm_token']}\n"
        f"over_batch = {over != 'features'}\n"
        f"unbiased = {held['layernorm_divisor'] == 'n-1'}\n"
        f"eps = {held['layernorm_eps']}\n"
        f"gain, offset = {held['layernorm_gamma']}, {held['layernorm_beta']}\n"
    )
