"""Which hue and which dash a named part of the model has, wherever its share is drawn."""

from explorer.draw.theme import Look

_ROLES = {
    "token embedding": ("param", "solid"),
    "attention": ("attn", "solid"),
    "feed-forward": ("ff", "solid"),
    "norms": ("norm", "solid"),
    "query, key, value": ("attn", "solid"),
    "scores q·k": ("attn", "dash"),
    "weights × values": ("attn", "dot"),
    "out_proj": ("attn", "dashdot"),
    "embeddings": ("param", "solid"),
    "attention pairs": ("attn", "dash"),
    "KV cache": ("attn", "solid"),
    "weights": ("param", "solid"),
    "gradients": ("grad", "solid"),
    "AdamW states": ("grad", "dash"),
    "activations": ("act", "solid"),
    "causal masks": ("attn", "dash"),
}
_AXES = {
    "positional embedding": ("T", "solid"),
    "output head": ("V", "dash"),
    "loss": ("V", "solid"),
}


def part_hue(part: str, look: Look) -> str:
    """Return a part's hue; an embedding or the head, which are tables, takes its axis's."""
    if part in _AXES:
        return look.axis(_AXES[part][0])
    return look.role(_ROLES[part][0])


def part_dash(part: str) -> str:
    """Return a part's dash, which tells apart lines of one hue."""
    return (_AXES.get(part) or _ROLES[part])[1]


def part_variable(part: str) -> str:
    """Return the CSS variable that holds a part's hue."""
    return f"--gx-axis-{_AXES[part][0]}" if part in _AXES else f"--gx-{_ROLES[part][0]}"
