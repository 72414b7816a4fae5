"""How fast greedy decoding is beside Hugging Face's and beside our own loop without the cache.

Fifty tokens of GPT-2 small on the same weights; see gptcore_speed.py for how the race is run. Exit
code 1 if a limit is broken.

    python tests/benchmarks/generate_speed.py
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks.gptcore_speed import hugging_face, race, report  # isort: skip (sets offline)

import torch
from transformers import GPT2Config, GPT2LMHeadModel
from transformers.utils import logging as hugging_face_logging

from gptcore import generate_greedy, load_gpt2

HELLO = [15496, 11, 314, 716]
N_TOKENS = 50


def main() -> int:
    """Run both races."""
    hugging_face_logging.set_verbosity_error()
    hugging_face_logging.disable_progress_bar()
    with tempfile.TemporaryDirectory() as folder:
        GPT2LMHeadModel(GPT2Config()).save_pretrained(folder)
        ours, theirs = load_gpt2(folder), hugging_face("sdpa", folder)
    prompt = torch.tensor([HELLO])

    def cached() -> list[int]:
        return generate_greedy(ours, HELLO, N_TOKENS)

    def plain() -> list[int]:
        return generate_greedy(ours, HELLO, N_TOKENS, use_cache=False)

    def hugging_face_cached() -> list[int]:
        ids = theirs.generate(
            prompt,
            attention_mask=torch.ones_like(prompt),
            max_new_tokens=N_TOKENS,
            min_new_tokens=N_TOKENS,
            do_sample=False,
            use_cache=True,
            pad_token_id=50256,
        )
        return [int(token_id) for token_id in ids[0]]

    same = cached() == plain() == hugging_face_cached()
    failures = [] if same else ["the three loops must give the same tokens"]
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads; same tokens: {same}")
    print(f"{'':<44}{'ours':>12} {'theirs':>12} {'ratio':>7}")
    what = f"{N_TOKENS} tokens, Hugging Face with cache"
    report(what, race(cached, hugging_face_cached, 7), 1.1, failures)
    report(f"{N_TOKENS} tokens, our loop without cache", race(cached, plain, 5), 0.45, failures)
    if failures:
        print("limits broken:", ", ".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
