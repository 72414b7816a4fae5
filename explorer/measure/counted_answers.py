"""Questions whose answer a configuration decides: each function offers answers and knows the truth.

A wrong answer's figure is what its misconception would count.
"""

from dataclasses import replace

import torch

from explorer.measure.asked import Offer, Subject, Truth
from gptcore.config import GPTConfig
from gptcore.counting import MIB, count_parameters, mask_bytes, weight_bytes
from gptcore.dummy import DummyGPTModel
from gptcore.flops import forward_flops
from gptcore.model import GPTModel

MB = 10**6


def _total(cfg: GPTConfig) -> int:
    return sum(count_parameters(cfg).values())


def largest_part(subject: Subject) -> Offer:
    """Offer the parts of the model: which has the most parameters?"""
    counts = count_parameters(subject.config)
    sizes = {
        "blocks": counts["trf_blocks"],
        "tables": counts["tok_emb"] + counts["out_head"],
        "positions": counts["pos_emb"],
        "norms": counts["final_norm"],
    }
    total = sum(sizes.values())
    shares = {f"{part}_percent": 100 * size / total for part, size in sizes.items()}
    right = max(sizes, key=sizes.__getitem__)
    figures = sizes | shares | {"largest": sizes[right], "n_layers": subject.config.n_layers}
    return Offer(("positions", "blocks", "norms", "tables"), figures, Truth(right))


def _other_heads(cfg: GPTConfig) -> int | None:
    """Return twice the heads if D can be shared so, else the next number that can, else 1."""
    fits = [n for n in range(cfg.n_heads + 1, cfg.emb_dim + 1) if cfg.emb_dim % n == 0]
    if 2 * cfg.n_heads in fits:
        return 2 * cfg.n_heads
    return fits[0] if fits else (1 if cfg.n_heads > 1 else None)


def more_heads(subject: Subject) -> Offer | None:
    """Offer how the number of parameters changes with the number of heads; D of 1 leaves one head."""
    cfg = subject.config
    heads = _other_heads(cfg)
    if heads is None:
        return None
    change = _total(replace(cfg, n_heads=heads)) - _total(cfg)
    added = (heads - cfg.n_heads) * cfg.n_layers * cfg.emb_dim * cfg.head_dim  # one matrix's
    figures = {
        "whole_heads": 4 * added,
        "projection": added,
        "same": change,
        "heads": cfg.n_heads,
        "other": heads,
        "head_dim": cfg.head_dim,
        "other_dim": cfg.emb_dim // heads,
        "emb_dim": cfg.emb_dim,
        "total": _total(cfg),
    }
    options = ("same", "whole_heads", "projection")
    return Offer(options, figures, Truth(next(o for o in options if figures[o] == change)))


def shell_shape(subject: Subject) -> Offer:
    """Offer shapes of what the shell of placeholders gives for the prompt; it is run to see."""
    cfg, t = subject.config, subject.n_tokens
    with torch.device("meta"):  # shapes without numbers
        shape = tuple(DummyGPTModel(cfg)(torch.zeros(1, t, dtype=torch.int64)).shape)
    shapes = {
        "stream": (1, t, cfg.emb_dim),
        "last": (1, cfg.vocab_size),
        "longer": (1, t + 1, cfg.vocab_size),
        "scores": (1, t, cfg.vocab_size),
    }
    written = {name: ", ".join(f"{n:,}" for n in sizes) for name, sizes in shapes.items()}
    figures = written | {"n_tokens": t, "n_layers": cfg.n_layers, "vocab_size": cfg.vocab_size}
    return Offer(tuple(shapes), figures, Truth(next(n for n in shapes if shapes[n] == shape)))


def shell_parameters(subject: Subject) -> Offer:
    """Offer how many parameters the shell has while every part is a placeholder; it is counted."""
    cfg = subject.config
    with torch.device("meta"):
        shell = DummyGPTModel(cfg)
    counted = sum(parameter.numel() for parameter in shell.parameters())
    counts = count_parameters(cfg)
    figures = {
        "none": 0,
        "lookups": counts["tok_emb"] + counts["pos_emb"],
        "ends": counts["tok_emb"] + counts["pos_emb"] + cfg.emb_dim * cfg.vocab_size,
        "whole": _total(cfg),
    }
    options = ("none", "ends", "lookups", "whole")
    right = next(option for option in options if figures[option] == counted)
    return Offer(
        options, figures | {"counted": counted, "blocks": counts["trf_blocks"]}, Truth(right)
    )


def tying_saves(subject: Subject) -> Offer:
    """Offer how many parameters tying the head would save: none where it is tied already."""
    cfg = subject.config
    now, tied = _total(cfg), _total(replace(cfg, tie_weights=True))
    table = cfg.vocab_size * cfg.emb_dim
    figures = {"both": 2 * table, "head": table, "positions": cfg.context_length * cfg.emb_dim}
    figures |= {"none": 0, "now": now, "tied": tied, "saved": now - tied}
    figures |= {"vocab_size": cfg.vocab_size, "emb_dim": cfg.emb_dim}
    options = ("both", "none", "head", "positions")
    right = "none" if now == tied else "head"
    return Offer(options, figures, Truth(right))


def total_parameters(subject: Subject) -> Offer:
    """Offer the model's number of parameters with the head's matrix counted, shared, or left out."""
    cfg = subject.config
    figures = {
        "tied": _total(replace(cfg, tie_weights=True)),
        "blocks": count_parameters(cfg)["trf_blocks"],
        "untied": _total(replace(cfg, tie_weights=False)),
        "table": cfg.vocab_size * cfg.emb_dim,
    }
    right = next(option for option in ("tied", "untied") if figures[option] == _total(cfg))
    return Offer(("tied", "untied", "blocks"), figures, Truth(right))


def megabytes(subject: Subject) -> Offer:
    """Offer the weights' MiB in MB."""
    n_bytes = weight_bytes(subject.config)
    mib = n_bytes / MIB
    figures = {"fewer": mib * MB / MIB, "more": n_bytes / MB, "alike": mib, "n_bytes": n_bytes}
    return Offer(("alike", "more", "fewer"), figures, Truth("more"))


def mask_parameters(subject: Subject) -> Offer:
    """Offer how many parameters the causal masks are; the built model's are looked up."""
    cfg = subject.config
    with torch.device("meta"):
        model = GPTModel(cfg)
    parameters = sum(p.numel() for name, p in model.named_parameters() if name.endswith("mask"))
    figures = {
        "each": cfg.n_layers * cfg.context_length**2,
        "one": cfg.context_length**2,
        "none": parameters,
        "mask_bytes": mask_bytes(cfg),
        "n_layers": cfg.n_layers,
        "context_length": cfg.context_length,
        "saved": sum(name.endswith("mask") for name in model.state_dict()),
    }
    return Offer(("each", "one", "none"), figures, Truth("none"))


def tying_flops(subject: Subject) -> Offer:
    """Offer what an untied model's FLOPs per token become when its head is tied."""
    cfg = subject.config
    parts = forward_flops(replace(cfg, tie_weights=False), subject.n_tokens)
    flops = sum(parts.values())
    tied = sum(forward_flops(replace(cfg, tie_weights=True), subject.n_tokens).values())
    figures = {
        "same": flops,
        "no_head": flops - parts["out_head"],
        "half_head": flops - parts["out_head"] // 2,
        "head": parts["out_head"],
        "n_tokens": subject.n_tokens,
    }
    options = ("no_head", "same", "half_head")
    return Offer(options, figures, Truth(next(o for o in options if figures[o] == tied)))


def deciding_scores(subject: Subject) -> Offer:
    """Offer how many of the pass's scores decide the next token."""
    v, t = subject.config.vocab_size, subject.n_tokens
    figures = {"all": t * v, "one": 1, "last": v, "each": t, "n_tokens": t, "position": t - 1}
    return Offer(("all", "last", "each", "one"), figures, Truth("last"))
