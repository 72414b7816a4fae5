"""What if: one thing about a model changed, and everything else as it was."""

from dataclasses import dataclass

import torch

from explorer.measure.memory import available_bytes, check_fits
from explorer.measure.progress import Progress, silent
from gptcore.model import GPTModel
from gptcore.seeding import seeded
from gptcore.trace import Observer, watch_gpt
from gptcore.variants import Wiring, gpt2_initialised, rewire, train_mode

GPT2_WIRING = Wiring()


@dataclass(frozen=True)
class Change:
    """One thing that can be changed.

    Attributes:
        title: What it is called.
        effect: What it does, as the end of a sentence.
        wiring: How the blocks are wired.
        kind: Whether the same weights are run in eval mode, in train mode, or others are drawn.
    """

    title: str
    effect: str
    wiring: Wiring = GPT2_WIRING
    kind: str = "eval"


CHANGES: dict[str, Change] = {
    "none": Change("as it is", "nothing is changed"),
    "post_ln": Change(
        "post-LN",
        "each norm stands after its addition, so the stream itself is normalised twice a block",
        Wiring(norm="post"),
    ),
    "no_shortcuts": Change(
        "no shortcuts",
        "what a part gives out replaces the stream rather than being added to it",
        Wiring(shortcuts=False),
    ),
    "no_norm": Change(
        "no LayerNorm",
        "attention and feed-forward read the stream at whatever scale it has",
        Wiring(norm="none"),
    ),
    "relu": Change(
        "ReLU", "negative hidden values become 0 rather than nearly 0", Wiring(activation="relu")
    ),
    "no_mask": Change(
        "no causal mask", "every position also takes in the ones after it", Wiring(causal=False)
    ),
    "train": Change(
        "train mode",
        "dropout zeroes a random share of the values and scales up the rest",
        kind="train",
    ),
    "gpt2_init": Change(
        "GPT-2's initialisation",
        "weights are drawn from N(0, 0.02²), with 1/√(2N) before each addition, instead of "
        "PyTorch's default",
        kind="init",
    ),
}


def changed_pass(
    model: GPTModel,
    token_ids: tuple[int, ...],
    change: str,
    seed: int,
    observer: Observer,
    on_step: Progress = silent,
) -> bool:
    """Run a prompt once through the model with one thing changed, and show it to `observer`.

    Args:
        model: Stays as it is.
        token_ids: The prompt.
        change: One of `CHANGES`.
        seed: For dropout in train mode, or for the weights of the other initialisation.
        observer: See `gptcore.trace.Observer`.
        on_step: Told after each block.

    Returns:
        Whether later positions were hidden.

    Raises:
        ValueError: If the change is unknown, or the other weights don't fit into the memory.
    """
    if change not in CHANGES:
        raise ValueError(f"a change must be one of {', '.join(CHANGES)}; got {change!r}")
    chosen = CHANGES[change]
    n_layers = model.cfg.n_layers
    ids = torch.tensor([token_ids])  # (1, T)

    def observe(name: str, block: int | None, tensor: torch.Tensor) -> None:
        observer(name, block, tensor)
        if block is not None and name == "resid_post":
            on_step(block + 1, n_layers, "block")

    if chosen.kind == "init":
        check_fits(model.cfg, available_bytes())
        model = gpt2_initialised(
            model.cfg, seed, lambda n: on_step(n, n_layers, "drawing other weights: block")
        )
    if chosen.kind == "train":
        with seeded(seed) as seeding:

            def observe_paused(name: str, block: int | None, tensor: torch.Tensor) -> None:
                with seeding.paused():  # whoever waits for the random state goes on meanwhile
                    observe(name, block, tensor)

            watch_gpt(train_mode(model), ids, observe_paused)
    else:
        watch_gpt(
            model if chosen.wiring == GPT2_WIRING else rewire(model, chosen.wiring), ids, observe
        )
    return chosen.wiring.causal
