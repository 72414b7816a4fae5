"""A run as a short script: what a reader can take home and run on `gptcore` alone."""

from dataclasses import asdict
from pathlib import Path

from gptcore.config import GPTConfig
from gptcore.identity import Checkpoint, Seed


def run_script(
    cfg: GPTConfig, weights: Seed | Checkpoint, token_ids: tuple[int, ...], n_tokens: int
) -> str:
    """Write a Python script that reproduces a greedy run; its last lines are the IDs and the text.

    Of a checkpoint's folder only the name is given: where it is elsewhere, nobody here knows.
    """
    if isinstance(weights, Seed):
        fields = "\n".join(f"    {name}={value!r}," for name, value in asdict(cfg).items())
        model = (
            "from gptcore import GPTConfig, build_model, decode, generate_greedy\n\n"
            f"cfg = GPTConfig(\n{fields}\n)\n"
            f"model = build_model(cfg, seed={weights.number})\n"
        )
    else:
        model = (
            "from gptcore import decode, generate_greedy, load_gpt2\n\n"
            "# The folder that holds config.json and model.safetensors.\n"
            f"model = load_gpt2({Path(weights.folder).name!r})\n"
        )
    return (
        f"{model}"
        f"prompt = {list(token_ids)}\n"
        f"token_ids = generate_greedy(model, prompt, max_new_tokens={n_tokens})\n"
        "print(token_ids[len(prompt):])\n"
        "print(decode(token_ids).encode())\n"
    )
