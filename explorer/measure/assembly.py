"""The model under construction: shapes, parameters and statistics after every switch."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
import torch
from torch import Tensor, nn

from explorer.measure.progress import Progress, silent
from gptcore.assembly import assemble
from gptcore.attention import split_heads
from gptcore.config import GPTConfig
from gptcore.model import GPTModel
from gptcore.trace import watch_gpt

Batch = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Construction:
    """What a half-built model does with a batch.

    Attributes:
        stages: One row a stage, in order: `stage`, `shape` (such as "B2 T4 D768"), `mean`, `std`
            (population, over all values of the stage), `n`.
        n_parameters: Of the parts that are real; a tied matrix counts once.
        logits_shape: As the model gives them.
        difference: Largest absolute difference of the logits from the finished model's.
    """

    stages: pd.DataFrame
    n_parameters: int
    logits_shape: tuple[int, ...]
    difference: float


def _stage(name: str, letters: str, tensor: Tensor) -> dict[str, object]:
    std, mean = torch.std_mean(tensor, unbiased=False)
    shape = " ".join(f"{a}{n:,}" for a, n in zip(letters, tensor.shape, strict=True))
    return {
        "stage": name,
        "shape": shape,
        "mean": mean.item(),
        "std": std.item(),
        "n": tensor.numel(),
    }


def construction(
    model: GPTModel, batch: Batch, real: frozenset[str], on_step: Progress = silent
) -> Construction:
    """Run a batch through the model with only some of its parts real.

    Args:
        model: The finished model, whose weights the real parts have.
        batch: Equally long sequences of token IDs.
        real: Names from `gptcore.assembly.PARTS`.
        on_step: Told after every block.
    """
    token_ids = torch.tensor(batch)  # (B, T)
    shell = assemble(model, real)
    rows: list[dict[str, object]] = []

    def reduce(name: str, block: int | None, tensor: Tensor) -> None:
        if name == "embed":
            rows.append(_stage("embeddings", "BTD", tensor))
        elif name == "resid_post" and block is not None:
            rows.append(_stage(f"block {block}", "BTD", tensor))
            on_step(block + 1, model.cfg.n_layers, "block")
        elif name == "final_norm_out":
            rows.append(_stage("final norm", "BTD", tensor))

    logits = watch_gpt(shell, token_ids, reduce)
    rows.append(_stage("logits", "BTV", logits))
    with torch.no_grad():
        difference = (logits - model(token_ids)).abs().max().item()
    return Construction(
        pd.DataFrame(rows),
        sum(parameter.numel() for parameter in shell.parameters()),
        tuple(logits.shape),
        difference,
    )


def _error_of(run: Callable[[], object]) -> str:
    try:
        run()
    except RuntimeError as error:
        return str(error)
    raise ValueError("the broken part did not fail")


def error_without_contraction(cfg: GPTConfig, n_sequences: int, n_tokens: int) -> str:
    """Return the error of a block whose feed-forward goes D → F → F and is added to the stream.

    The addition is a real one; of the branch only the shape is needed, which its last layer has.

    Raises:
        ValueError: If D is 1, which the addition broadcasts.
    """
    if cfg.emb_dim == 1:
        raise ValueError(
            f"emb_dim is 1: the addition repeats the one feature for all {cfg.hidden_dim} of the "
            "branch. Nothing fails, and what comes out is no longer the stream"
        )
    stream = torch.empty(n_sequences, n_tokens, cfg.emb_dim)  # (B, T, D)
    last = nn.Linear(
        cfg.hidden_dim, cfg.hidden_dim, device="meta"
    )  # where D features should come out
    branch = torch.empty(n_sequences, n_tokens, last.out_features)  # (B, T, F)
    return _error_of(lambda: stream + branch)


def error_of_undivided_heads(cfg: GPTConfig, n_sequences: int, n_tokens: int) -> tuple[int, str]:
    """Return a number of heads that doesn't divide D, and the error of splitting D into it.

    Raises:
        ValueError: If D is 1 or 2, which every such number divides.
    """
    n_heads = next((n for n in range(2, cfg.emb_dim) if cfg.emb_dim % n), None)
    if n_heads is None:
        raise ValueError(f"emb_dim {cfg.emb_dim} is divided by every smaller number of heads")
    q = torch.empty(n_sequences, n_tokens, cfg.emb_dim)  # (B, T, D)
    return n_heads, _error_of(lambda: split_heads(q, n_heads))
