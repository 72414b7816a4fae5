"""A Hugging Face GPT-2's `config.json` in the book's words; no torch needed."""

import reprlib
from collections.abc import Mapping

from gptcore.config import GPTConfig

# What gptcore's mathematics takes for granted, by the checkpoint's own field names.
_REQUIRED = {
    "model_type": "gpt2",
    "activation_function": "gelu_new",
    "layer_norm_epsilon": 1e-5,
    "scale_attn_weights": True,
    "scale_attn_by_inverse_layer_idx": False,
    "add_cross_attention": False,
}


def config_from_hugging_face(theirs: Mapping[str, object]) -> GPTConfig:
    """Translate the fields of a Hugging Face GPT-2 configuration; missing ones are GPT-2 small's.

    Raises:
        ValueError: If it is not GPT-2's, or asks for mathematics that `gptcore` doesn't have.
    """
    for name, needed in _REQUIRED.items():
        found = theirs.get(name, None if name == "model_type" else needed)
        if found != needed:
            raise ValueError(f"{name} must be {needed!r}; got {reprlib.repr(found)}")
    cfg = GPTConfig(
        vocab_size=theirs.get("vocab_size", 50257),  # type: ignore[arg-type]
        context_length=theirs.get("n_positions", 1024),  # type: ignore[arg-type]
        emb_dim=theirs.get("n_embd", 768),  # type: ignore[arg-type]
        n_heads=theirs.get("n_head", 12),  # type: ignore[arg-type]
        n_layers=theirs.get("n_layer", 12),  # type: ignore[arg-type]
        drop_rate=theirs.get("resid_pdrop", 0.1),  # type: ignore[arg-type]
        qkv_bias=True,
        tie_weights=theirs.get("tie_word_embeddings", True),  # type: ignore[arg-type]
    )
    if theirs.get("n_inner") not in (None, cfg.hidden_dim):
        raise ValueError(f"n_inner must be 4 × n_embd; got {reprlib.repr(theirs['n_inner'])}")
    return cfg
