"""Why one model has two sizes: the way from every tensor counted to the released weights."""

from dataclasses import replace

import pandas as pd

from gptcore.config import GPTConfig
from gptcore.counting import count_block, count_parameters


def tying_steps(cfg: GPTConfig) -> pd.DataFrame:
    """Add up a model's tensors, then tie the head, then add the biases that the released ones have.

    The configuration's own `tie_weights` and `qkv_bias` don't matter: both are the steps.

    Returns:
        One row a step: `step`, `formula`, `change` (parameters, signed), `total` (after it), `what`
        (the part, as in `count_parameters`, or "tie" or "bias").
    """
    plain = replace(cfg, tie_weights=False, qkv_bias=False)
    biased = replace(cfg, tie_weights=True, qkv_bias=True)
    counts, block = count_parameters(plain), sum(count_block(plain).values())
    v, d, n = f"{cfg.vocab_size:,}", f"{cfg.emb_dim:,}", f"{cfg.n_layers:,}"
    tied = sum(counts.values()) - counts["out_head"]
    rows = [
        ("token embedding", f"V × D = {v} × {d}", counts["tok_emb"], "tok_emb"),
        ("positional embedding", f"{cfg.context_length:,} × {d}", counts["pos_emb"], "pos_emb"),
        (f"{n} blocks", f"{n} × {block:,}", counts["trf_blocks"], "trf_blocks"),
        ("final norm", f"2 × {d}", counts["final_norm"], "final_norm"),
        ("output head", f"D × V = {d} × {v}", counts["out_head"], "out_head"),
        ("tie the head", f"− {d} × {v}", -counts["out_head"], "tie"),
        ("QKV biases", f"{n} × 3 × {d}", sum(count_parameters(biased).values()) - tied, "bias"),
    ]
    steps = pd.DataFrame(rows, columns=["step", "formula", "change", "what"])
    steps["total"] = steps["change"].cumsum()
    return steps
