"""How much of the next-token error reaches each part of each real block, with and without shortcuts."""

import pandas as pd
import torch
from torch import Tensor, nn

from explorer.measure.gradient_lab import NETWORKS
from explorer.measure.memory import available_bytes, check_gradients_fit
from explorer.measure.progress import Progress, silent
from gptcore.model import GPTModel
from gptcore.trace import watch_gpt
from gptcore.variants import Wiring, rewire

PARTS = {"attention": ("att",), "feed-forward": ("ff",), "norms": ("norm1", "norm2")}
"""The parts of a block, and the modules whose parameters belong to each."""


def block_gradients(
    model: GPTModel, token_ids: tuple[int, ...], on_step: Progress = silent
) -> pd.DataFrame:
    """Compare the blocks' gradients without and with shortcuts, on the model's own weights.

    The error is the mean cross-entropy of every next token of the prompt. It is differentiated
    block by block, from the last: each block is run again from the stream that entered it, so that
    one block's graph and gradients are all that is ever held.

    Args:
        model: Stays as it is; its parameters get no `.grad`.
        token_ids: The prompt, at least two tokens.
        on_step: Told after every block of each network.

    Returns:
        One row a network, block and part: `network` (see `NETWORKS`), `block`, `part` (see
        `PARTS`), `gradient` (mean absolute gradient over the part's parameters), `loss` (nats).

    Raises:
        ValueError: If there is no next token to predict.
        DoesNotFitError: If the memory doesn't suffice.
    """
    if len(token_ids) < 2:
        raise ValueError(
            f"The next-token loss needs a prompt of at least 2 tokens; this one has {len(token_ids)}."
        )
    check_gradients_fit(model.cfg, len(token_ids), available_bytes())
    rows: list[dict[str, object]] = []
    for has_shortcuts, network in NETWORKS.items():
        variant = rewire(model, Wiring(shortcuts=has_shortcuts))
        streams, loss, error = _from_the_loss(variant, token_ids)
        for index in reversed(range(model.cfg.n_layers)):
            block = variant.trf_blocks[index]
            error, sizes = _through_block(block, streams.pop(), error)
            rows += [
                {"network": network, "block": index, "part": part, "gradient": size, "loss": loss}
                for part, size in sizes.items()
            ]
            done = has_shortcuts * model.cfg.n_layers + model.cfg.n_layers - index
            on_step(done, len(NETWORKS) * model.cfg.n_layers, "block")
    return pd.DataFrame(rows).sort_values(["network", "block"], ignore_index=True)


def _from_the_loss(
    variant: GPTModel, token_ids: tuple[int, ...]
) -> tuple[list[Tensor], float, Tensor]:
    """Return the stream into each block, the loss, and its gradient where the blocks end."""
    ids = torch.tensor([token_ids])
    streams: list[Tensor] = []  # (1, T, D) each

    def keep(name: str, block: int | None, tensor: Tensor) -> None:
        if name == "resid_pre" or name == "final_norm_in":
            streams.append(tensor)

    watch_gpt(variant, ids, keep)
    end = streams.pop().requires_grad_()
    logits = variant.out_head(variant.final_norm(end))  # (1, T, D) -> (1, T, V)
    loss = nn.functional.cross_entropy(logits[0, :-1], ids[0, 1:])
    (error,) = torch.autograd.grad(loss, [end])
    return streams, loss.item(), error


def _through_block(
    block: nn.Module, stream: Tensor, error: Tensor
) -> tuple[Tensor, dict[str, float]]:
    """Take the error back through a block: (1, T, D) -> (1, T, D), and how large its gradients are."""
    stream = stream.requires_grad_()
    named = dict(block.named_parameters())
    into, *gradients = torch.autograd.grad(
        block(stream), [stream, *named.values()], grad_outputs=error
    )
    sizes = {}
    for part, modules in PARTS.items():
        own = [
            gradient
            for name, gradient in zip(named, gradients, strict=True)
            if name.split(".")[0] in modules
        ]
        total = sum(torch.linalg.vector_norm(gradient, ord=1).item() for gradient in own)
        sizes[part] = total / sum(gradient.numel() for gradient in own)
    return into, sizes
