"""The parts that the model is put together from, in the chapter's order of construction."""

PART_NAMES = {
    "layer_norm": "LayerNorm",
    "attention": "Attention",
    "feed_forward": "Feed-forward with GELU",
    "shortcuts": "Shortcuts",
    "final_norm": "Final norm",
}
PART_CLASSES = {
    "layer_norm": "LayerNorm",
    "attention": "MultiHeadAttention",
    "feed_forward": "FeedForward",
    "shortcuts": "TransformerBlock",
    "final_norm": "LayerNorm",
}
"""The class of `gptcore` that makes a part real."""
