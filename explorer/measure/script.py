"""A run as a short script: what a reader can take home and run on `gptcore` alone."""

from dataclasses import asdict

from gptcore.config import GPTConfig


def run_script(cfg: GPTConfig, seed: int, token_ids: tuple[int, ...], n_tokens: int) -> str:
    """Write a Python script that reproduces a greedy run; its last lines are the IDs and the text."""
    fields = "\n".join(f"    {name}={value!r}," for name, value in asdict(cfg).items())
    return (
        "from gptcore import GPTConfig, build_model, decode, generate_greedy\n\n"
        f"cfg = GPTConfig(\n{fields}\n)\n"
        f"model = build_model(cfg, seed={seed})\n"
        f"prompt = {list(token_ids)}\n"
        f"token_ids = generate_greedy(model, prompt, max_new_tokens={n_tokens})\n"
        "print(token_ids[len(prompt):])\n"
        "print(decode(token_ids).encode())\n"
    )
