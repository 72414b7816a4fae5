"""The nearest way out of a width that the heads can't share."""


def nearest_width(emb_dim: int, n_heads: int, most: int) -> int:
    """Return the multiple of `n_heads` nearest to `emb_dim`, the smaller of two, up to `most`."""
    below = emb_dim // n_heads * n_heads
    above = below + n_heads
    takes_below = below and (emb_dim - below <= above - emb_dim or above > most)
    return below if takes_below else above


def nearest_heads(emb_dim: int, n_heads: int, most: int) -> int:
    """Return the divisor of `emb_dim` nearest to `n_heads`, the larger of two, up to `most`."""
    divisors = (heads for heads in range(1, min(emb_dim, most) + 1) if emb_dim % heads == 0)
    return min(divisors, key=lambda heads: (abs(heads - n_heads), -heads))
