"""What the picture says of each operation: its name, two sentences, and one for the walk."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.draw.numbers import number
from explorer.measure.path import blocks_in_words
from gptcore.config import GPTConfig
from gptcore.counting import count_block

if TYPE_CHECKING:
    from explorer.measure.glance import Glances


@dataclass(frozen=True)
class Words:
    """The text of one operation.

    Attributes:
        title: Its name.
        does: What it does, with this configuration's numbers.
        say: One sentence for the walk.
    """

    title: str
    does: str
    say: str


def _of(n: int, what: str) -> str:
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def _dropout(cfg: GPTConfig) -> str:
    if not cfg.drop_rate:
        return "drop_rate is 0, so everything would pass in training too. The layer is there all the same."
    kept = 1 - cfg.drop_rate
    return (
        f"In training it would set {number(100 * cfg.drop_rate, 0)} % of the values, chosen at "
        f"random, to zero and divide the rest by {kept:g}. In eval mode, as here, everything "
        "passes unchanged."
    )


def _others(run: range, one_block: int) -> Words:
    name = blocks_in_words(run[0], run[-1])
    them = "One more block" if len(run) == 1 else f"{len(run):,} more blocks"
    have = "has" if len(run) == 1 else "have"
    return Words(
        name.capitalize(),
        f"{them} of the same build; {have} {one_block:,} parameters"
        f"{'' if len(run) == 1 else ' each, all their own'}. The shape that comes out is the shape "
        "that goes in, which is what lets blocks stack; “Open block” above the picture opens any.",
        f"{them} of the same shape: {2 * len(run):,} more additions to the stream.",
    )


def path_words(cfg: GPTConfig, n_tokens: int, block: int) -> dict[str, Words]:
    """Return what is said of every operation, from the configuration alone."""
    t, d, h, k = n_tokens, cfg.emb_dim, cfg.n_heads, cfg.head_dim
    f, v, c = cfg.hidden_dim, cfg.vocab_size, cfg.context_length
    kept, hidden = t * (t + 1) // 2, t * (t - 1) // 2
    one_block = sum(count_block(cfg).values())
    dropout, off = _dropout(cfg), "Dropout is off in eval mode: the same numbers pass."
    ff_share = count_block(cfg)["ff"] / one_block
    words = {
        "tokens": Words(
            "Text → token IDs",
            f"The tokenizer cuts the text into {_of(t, 'piece')} from a fixed vocabulary of {v:,} "
            "and looks up the number of each. A space belongs to the token after it and is shown "
            "as a dot.",
            f"The text becomes {_of(t, 'token ID')}, one per piece.",
        ),
        "tok_emb": Words(
            "Token embedding",
            f"Row i of this table is the vector of token i: {_of(t, 'ID')} "
            f"{'picks' if t == 1 else 'pick'} {_of(t, 'row')} of {d:,} numbers. Looking up is all "
            "it does; nothing is multiplied.",
            f"Each ID picks its row of the table: {d:,} numbers per token.",
        ),
        "pos_emb": Words(
            "Positional embedding",
            f"A second table holds one learned row per position, 0 to {c - 1:,}; nothing in it is "
            "sinusoidal. Its (T, D) rows are added to every sequence of a batch, and without them "
            "attention could not tell the order of tokens.",
            "Position 0 picks the first row of a second table."
            if t == 1
            else f"Each position, 0 to {t - 1:,}, picks a row of a second table.",
        ),
        "add_emb": Words(
            "Token + position",
            "The two vectors of each token are added, number by number. The sum is the start of "
            "the residual stream, whose shape stays the same down to the final norm.",
            "Token plus position is where the stream begins.",
        ),
        "drop_emb": Words("Dropout on the embeddings", dropout, off),
        "norm1": Words(
            "LayerNorm 1",
            f"Works on a copy: every token's {d:,} numbers get mean 0 and variance 1, then a "
            "learned scale and shift, which start at 1 and 0. The stream itself stays as it was.",
            "A copy of the stream is normalised, token by token.",
        ),
        "qkv": Words(
            "Query, key, value",
            "Three matrices turn each token's vector into what it asks for, what it offers and "
            f"what it passes on. They have {'a' if cfg.qkv_bias else 'no'} bias, because qkv_bias "
            f"is {cfg.qkv_bias}.",
            "Three matrices make a query, a key and a value for every token.",
        ),
        "split": Words(
            f"Split into {_of(h, 'head')}",
            f"Nothing is computed: the same {d:,} numbers are read as {_of(h, 'head')} of {k:,}. "
            + ("One head sees them all." if h == 1 else "Each head sees only its own slice."),
            f"{d:,} numbers are read as {_of(h, 'head')} of {k:,}. Nothing is computed.",
        ),
        "scores": Words(
            "Scores",
            "Each head takes the dot product of every query with every key. It is divided by "
            f"√K = √{k:,} = {number(k**0.5)}, so that the spread of scores does not grow with K.",
            f"Every query meets every key: a square of {t:,} × {t:,} in each head.",
        ),
        "mask": Words(
            "Causal mask",
            f"Scores of later tokens become −∞, so that no position can read the answer it is "
            f"asked to predict. Of {_of(t * t, 'score')} in a head, {kept:,} "
            f"{'remains' if kept == 1 else 'remain'}.",
            "The mask hides nothing: one token has none after it."
            if t == 1
            else f"The mask falls: {hidden:,} of {t * t:,} scores become −∞, because they look ahead.",
        ),
        "softmax": Words(
            "Softmax",
            "Every row becomes weights between 0 and 1 that sum to 1. Masked places get exactly 0; "
            "row 0 has one place left, so its weight is 1.",
            "Every row becomes weights that sum to 1.",
        ),
        "weighted": Words(
            "Weights × values",
            "Each token's output is the weighted sum of the values it may look at. Token 0 sees "
            "only itself, so its output is its own value vector.",
            "Each token collects a weighted sum of the values it may see.",
        ),
        "merge": Words(
            "Merge the heads",
            f"One head holds all {d:,} numbers, so there is nothing to lay side by side. Again "
            "nothing is computed."
            if h == 1
            else f"The {h:,} slices of {k:,} are laid side by side again: {d:,} numbers per token. "
            "Again nothing is computed.",
            f"{_of(h, 'head')} of {k:,} side by side: {d:,} numbers again.",
        ),
        "out_proj": Words(
            "Output projection",
            f"One more matrix, {d:,} × {d:,} with a bias, transforms what the head found. With "
            "several heads, this is where they first see each other's results."
            if h == 1
            else f"One more matrix, {d:,} × {d:,} with a bias, mixes what the heads found. Until "
            "here no head has seen another's result.",
            f"One more matrix {'transforms' if h == 1 else 'mixes'} what was found.",
        ),
        "drop_att": Words("Dropout before the addition", dropout, off),
        "add_att": Words(
            "First addition",
            "resid_mid = resid_pre + attn_out: what attention found is added to the stream, and "
            f"what was there stays. The sum needs equal shapes, {t:,} × {d:,} on both sides.",
            "What attention found is added to the stream.",
        ),
        "norm2": Words(
            "LayerNorm 2",
            f"Again on a copy: mean 0 and variance 1 over each token's {d:,} numbers, with a scale "
            "and a shift of its own. Positions are not mixed here, nor in what follows.",
            "A copy of the stream is normalised again.",
        ),
        "ff_up": Words(
            f"Linear {d:,} → {f:,}",
            f"Stretches every token, on its own, from {d:,} to {f:,} numbers. With its counterpart "
            f"it holds {number(100 * ff_share, 0)} % of the block's parameters.",
            f"Every token is stretched on its own, from {d:,} to {f:,} numbers.",
        ),
        "gelu": Words(
            "GELU",
            "Multiplies every number by a gate between 0 and 1: large ones pass, negative ones are "
            f"pressed towards 0, never below −0.170. All {t * f:,} numbers go through it one by "
            "one.",
            "Large numbers pass, negative ones are pressed towards 0.",
        ),
        "ff_down": Words(
            f"Linear {f:,} → {d:,}",
            f"Back to {d:,}, because only a tensor of the stream's own width can be added to it. "
            "Each token is still on its own.",
            f"Back to {d:,}, the only width that can be added to the stream.",
        ),
        "drop_ff": Words("Dropout before the addition", dropout, off),
        "add_ff": Words(
            "Second addition",
            "resid_post = resid_mid + ff_out, and the block is done. What comes out has the shape "
            f"of what went in, {t:,} × {d:,}.",
            "What the feed-forward found is added to the stream.",
        ),
        "final_norm": Words(
            "Final LayerNorm",
            f"The stream ends here: {2 * cfg.n_layers:,} additions went into it, and its size with "
            "them. The head expects numbers of one size, so each token is normalised once more.",
            "The stream ends: each token is normalised once more.",
        ),
        "out_head": Words(
            "Output head",
            f"One matrix turns each vector into {v:,} scores, a dot product for every token there "
            "is. "
            + (
                "It is tied: the token table itself, one tensor used twice, so it adds no parameter."
                if cfg.tie_weights
                else "The scores are logits, not probabilities; training feeds them straight to "
                "cross-entropy."
            ),
            f"Each position gets one logit for each of the {v:,} tokens.",
        ),
        "probs": Words(
            "Next-token softmax",
            "Only the last position predicts the next token"
            + (
                ""
                if t == 1
                else f"; the other {_of(t - 1, 'row')} {'is' if t == 2 else 'are'} not used"
            )
            + f". Softmax turns its {v:,} logits into probabilities and never changes which is "
            "largest.",
            "Only the last row counts: its logits become probabilities.",
        ),
        "next": Words(
            "The next token",
            "The likeliest token is appended, and the walk can begin again with one token more. "
            "From weights that were never trained, nonsense is the correct result.",
            "The likeliest token is appended, and the walk can begin again.",
        ),
    }
    if block > 0:
        words["earlier"] = _others(range(block), one_block)
    if block < cfg.n_layers - 1:
        words["later"] = _others(range(block + 1, cfg.n_layers), one_block)
    return words


def live_sentences(glances: "Glances", cfg: GPTConfig, block: int) -> dict[str, str]:
    """Return the walk's sentences that hold numbers of this very pass."""
    outside, here = glances.outside, glances.inside
    top = glances.next_token.candidates.iloc[0]

    def std(name: str) -> str:
        return number((outside | here)[name].std)

    sentences = {
        "add_emb": f"Token plus position: spreads of {std('tok')} and {std('pos')} make "
        f"{std('embed')}.",
        "norm1": "A copy of the stream is normalised, token by token: its spread goes from "
        f"{std('resid_pre')} to {std('norm1_out')}.",
        "add_att": "Attention adds to the stream, whose spread goes from "
        f"{std('resid_pre')} to {std('resid_mid')}.",
        "norm2": "A copy is normalised again: its spread goes from "
        f"{std('resid_mid')} to {std('norm2_out')}.",
        "gelu": "Negative numbers are pressed towards 0: the smallest goes from "
        f"{number(here['ff_pre'].low)} to {number(here['ff_hidden'].low)}.",
        "add_ff": "Feed-forward adds too: the spread goes from "
        f"{std('resid_mid')} to {std('resid_post')}.",
        "final_norm": f"The stream ends: its spread of {std('final_norm_in')} becomes "
        f"{std('final_norm_out')}.",
        "probs": f"Only the last row counts: at most {number(100 * top['probability'], 4)} %, where "
        f"an even share is {number(100 / cfg.vocab_size, 4)} %.",
        "next": f"The largest wins: “{top['token']}” is appended, and the walk can begin again.",
    }
    if block > 0:
        sentences["earlier"] = (
            f"The blocks before block {block:,} take the stream's spread from {std('embed')} to "
            f"{std('resid_pre')}."
        )
    if block < cfg.n_layers - 1:
        sentences["later"] = (
            f"The blocks after block {block:,} take the stream's spread from {std('resid_post')} "
            f"to {std('final_norm_in')}."
        )
    return sentences
