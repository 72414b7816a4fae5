"""The script that a viewer takes home prints the run that was on the screen."""

import ast
import os
import subprocess
import sys
from pathlib import Path

from explorer.measure.script import run_script
from gptcore import GPTConfig, build_model, decode, encode, generate_greedy
from gptcore.identity import Checkpoint, Seed


def test_run_by_itself_it_prints_the_same_tokens_and_text() -> None:
    cfg = GPTConfig(50257, 8, 12, 3, 2, 0.1, False, True)
    prompt = tuple(encode('"""; 🤖 <b> \\n'))
    ran = subprocess.run(
        [sys.executable, "-c", run_script(cfg, Seed(7), prompt, 12)],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        check=True,
    )
    expected = generate_greedy(build_model(cfg, 7), list(prompt), 12)
    ids, text = map(ast.literal_eval, ran.stdout.splitlines())
    assert ids == expected[len(prompt) :]
    assert text == decode(expected).encode()


def test_a_checkpoint_is_named_without_where_it_lies() -> None:
    cfg = GPTConfig(50257, 8, 12, 3, 2, 0.1, True, True)
    script = run_script(cfg, Checkpoint("/srv/models/gpt2-tiny"), (1, 2), 3)
    assert "load_gpt2('gpt2-tiny')" in script
    assert "/srv" not in script
