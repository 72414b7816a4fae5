"""Questions whose answer something has to be run for: what is offered, and how the truth is found."""

from itertools import islice

import numpy as np
import torch
from torch import Tensor, nn

from explorer.measure.activations import activation_values, gelu_landmarks
from explorer.measure.asked import Offer, Subject, Truth
from explorer.measure.attention_maps import NEAR_UNIFORM, head_entropies
from explorer.measure.gradient_lab import NETWORKS, layer_gradients
from explorer.measure.progress import Progress, silent
from explorer.measure.summary import pass_summary
from gptcore.generate import greedy_steps
from gptcore.layer_norm import LayerNorm
from gptcore.model import GPTModel
from gptcore.seeding import seeded
from gptcore.shortcut import DeepNetwork
from gptcore.trace import watch_gpt
from gptcore.variants import train_mode

N_GENERATED = 5
_ALIKE = 1.1  # the largest divided by the smallest
_HALF = (40, 60)  # percent


def variance_divisor(subject: Subject) -> Offer | None:
    """Offer what LayerNorm divides by; the module is run and compared. D of 1 has no n − 1."""
    n = subject.config.emb_dim
    if n < 2:
        return None
    x = torch.arange(n, dtype=torch.float32) / n
    with torch.no_grad():
        given = LayerNorm(n)(x)
    figures = {"tokens": subject.n_tokens, "n_minus_1": n - 1, "n": n, "percent": 100 / (n - 1)}

    def gap(divisor: str) -> float:
        variance = (x - x.mean()).square().sum() / figures[divisor]
        return float((given - (x - x.mean()) / torch.sqrt(variance + 1e-5)).abs().max())

    options = ("n", "n_minus_1", "tokens")
    return Offer(options, figures, Truth(min(options, key=gap)))


def norm_axis(subject: Subject) -> Offer | None:
    """Offer how many means one norm takes; one value is changed to see how far its mean reaches.

    A single token of a single feature has one mean either way.
    """
    n_tokens, d = subject.n_tokens, subject.config.emb_dim
    if n_tokens == d == 1:
        return None
    x = torch.randn(4, 8, generator=torch.Generator().manual_seed(123))  # (T, D), of a small case
    changed = x.clone()
    changed[0, 0] += 1
    norm = LayerNorm(8)
    with torch.no_grad():
        moved = norm(x) != norm(changed)
    rows, columns = bool(moved[1:].any()), bool(moved[0, 1:].any())
    right = {(False, True): "tokens", (True, False): "features", (True, True): "one"}
    figures = {"features": d, "tokens": n_tokens, "one": 1}
    return Offer(("features", "tokens", "one"), figures, Truth(right[rows, columns]))


def stationary_point(_: Subject) -> Offer:
    """Offer where GELU's slope is 0."""
    marks = gelu_landmarks()
    at_0 = activation_values([0.0])
    slope = float(at_0.loc[at_0["activation"] == "gelu", "slope"].iloc[0])
    figures = {"dip": marks["x"], "lowest": marks["value"], "slope_at_0": slope, "zero": 0}
    return Offer(("zero", "dip", "nowhere"), figures, Truth("dip"))


def negative_hidden(_: Subject) -> Offer:
    """Offer how many hidden values are below 0 after GELU."""
    return Offer(("none", "few", "half", "most"))


def find_negative_hidden(
    model: GPTModel, token_ids: tuple[int, ...], on_step: Progress = silent
) -> Truth:
    """Count the values below 0 after GELU in all blocks on a prompt."""
    n_layers = model.cfg.n_layers
    below = [0, 0]  # values below 0, values

    def count(name: str, block: int | None, tensor: Tensor) -> None:
        if name == "ff_hidden" and block is not None:
            below[0] += int((tensor < 0).sum())
            below[1] += tensor.numel()
            on_step(block + 1, n_layers, "block")

    watch_gpt(model, torch.tensor([token_ids]), count)
    percent = 100 * below[0] / below[1]
    low, high = _HALF
    right = "half" if percent >= low else "few"
    right = "most" if percent > high else right if below[0] else "none"
    return Truth(right, {"below": below[0], "values": below[1], "percent": percent})


def smallest_gradient(subject: Subject) -> Offer:
    """Offer the layers of the plain small network: which has the smallest gradient?"""
    depth, width, activation = subject.network
    between = ("between",) if depth > 2 else ()
    figures = {"depth": depth, "width": width, "seed": subject.seed, "last_layer": depth - 1}
    return Offer(("last", "alike", "first", *between), figures | {"activation": activation})


def find_smallest_gradient(
    depth: int, width: int, activation: str, seed: int, on_step: Progress = silent
) -> Truth:
    """Differentiate one seed's plain network."""
    frame = layer_gradients(depth, width, activation, (seed,), on_step)
    plain = frame[frame["network"] == NETWORKS[False]]["gradient"].to_numpy()
    layer = int(plain.argmin())
    right = {0: "first", depth - 1: "last"}.get(layer, "between")
    if plain.max() <= _ALIKE * plain.min():
        right = "alike"
    figures = {"layer": layer, "smallest": float(plain.min()), "largest": float(plain.max())}
    return Truth(right, figures | {"first": float(plain[0]), "last": float(plain[-1])})


def network_arguments(subject: Subject) -> tuple[int, int, str, int]:
    """Return what `find_smallest_gradient` takes."""
    return (*subject.network, subject.seed)


def shortcut_count(subject: Subject) -> Offer:
    """Offer how many additions the small network with shortcuts makes; its layers are looked at."""
    depth, width, _ = subject.network
    with torch.device("meta"):  # shapes without numbers
        network = DeepNetwork([width] * depth + [1], True)
    shapes = [layer.weight.shape for layer in network.modules() if isinstance(layer, nn.Linear)]
    added = sum(n_out == n_in for n_out, n_in in shapes)
    figures = {"all": depth, "inner": depth - 1, "one": 1, "width": width, "last": depth - 1}
    options = ("all", "inner", "one")
    right = next(option for option in options if figures[option] == added)
    return Offer(options, figures, Truth(right))


def favourite_key(subject: Subject) -> Offer | None:
    """Offer what the last position attends to most; a single token has nothing to choose."""
    t = subject.n_tokens
    if t < 2:
        return None
    between = ("between",) if t > 2 else ()
    figures = {"n_tokens": t, "position": t - 1, "even_percent": 100 / t}
    return Offer(("even", "itself", "first", *between), figures)


def find_favourite_key(
    model: GPTModel, token_ids: tuple[int, ...], on_step: Progress = silent
) -> Truth:
    """Say whether attention is near uniform, and if not what the last position prefers.

    Both are of all heads of all blocks; a long prompt's positions are groups of neighbours.
    """
    found = pass_summary(model, token_ids, on_step=on_step)
    share = float(head_entropies(found)["share"].mean())
    mean = np.asarray(found.weights, np.float64).mean((0, 1))[-1]  # (L, H, G, G) -> (G,)
    largest = int(mean.argmax())
    right = {0: "first", len(mean) - 1: "itself"}.get(largest, "between")
    if share >= NEAR_UNIFORM:
        right = "even"
    figures = {"share_percent": 100 * share, "largest_percent": 100 * float(mean[largest])}
    return Truth(right, figures | {"favourite": found.groups[largest][0]})


def repeated_passes(subject: Subject) -> Offer:
    """Offer in which mode two passes over one prompt agree."""
    figures = {"drop_percent": 100 * subject.config.drop_rate}
    return Offer(("eval", "both", "neither"), figures)


def find_repeated_passes(
    model: GPTModel, token_ids: tuple[int, ...], on_step: Progress = silent
) -> Truth:
    """Run a prompt twice in each mode, and compare the last position's scores."""
    ids = torch.tensor([token_ids])
    modes = {"eval": model, "train": train_mode(model)}
    gaps: dict[str, float] = {}
    with seeded(0) as seeding, torch.no_grad():
        for name, ready in modes.items():
            one, other = (
                ready.hidden_states(ids)[0, -1] for _ in range(2)
            )  # (D,), before the head
            gaps[name] = (model.out_head(one) - model.out_head(other)).abs().max().item()
            with seeding.paused():  # whoever waits for the random state goes on meanwhile
                on_step(len(gaps), len(modes), "mode")
    agree = {name: gap == 0 for name, gap in gaps.items()}
    right = "both" if all(agree.values()) else "eval" if agree["eval"] else "neither"
    return Truth(right, {f"{name}_gap": gap for name, gap in gaps.items()})


def without_softmax(_: Subject) -> Offer:
    """Offer how many of the next tokens change when softmax is left out."""
    return Offer(("none", "some", "all"), {"n": N_GENERATED})


def find_without_softmax(
    model: GPTModel, token_ids: tuple[int, ...], on_step: Progress = silent
) -> Truth:
    """Generate, and choose each token from the scores and from the probabilities."""
    changed = 0
    steps = greedy_steps(model, list(token_ids), N_GENERATED)
    for number, (token_id, logits) in enumerate(islice(steps, N_GENERATED), 1):
        probs = torch.softmax(logits, dim=-1)
        top, argmax = float(probs.max()), int(probs.argmax())
        changed += int(logits.argmax()) != argmax
        if number == 1:
            first = {"first_logit": float(logits[token_id]), "first_percent": 100 * top}
        on_step(number, N_GENERATED, "token")
    right = "none" if changed == 0 else "all" if changed == N_GENERATED else "some"
    return Truth(right, first | {"changed": changed})
