"""The same files give the same logits and the same greedy tokens here and in Hugging Face."""

from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import GPT2Config, GPT2LMHeadModel

from gptcore import GPTModel, generate_greedy, load_gpt2

N_NEW = 50
STD = {"transformer.ln_f.bias": 0.02, "transformer.ln_f.weight": 1.5, "transformer.wpe.weight": 3.0}
PROMPT = [5, 190, 0, 42, 7, 7, 88]


@dataclass(frozen=True)
class Made:
    """A checkpoint to be made: its shapes, and how its files are laid out."""

    n_positions: int
    n_embd: int
    n_head: int
    n_layer: int
    tied: bool = True
    prefix: bool = True
    shard: str = "1GB"


MADE = {
    "tied, one file": Made(64, 48, 3, 3),
    "untied, one file": Made(80, 40, 5, 2, tied=False),
    "tied, no prefix": Made(64, 32, 4, 4, prefix=False),
    "untied, no prefix, context shorter than the run": Made(16, 24, 2, 2, False, False),
    "tied, shards, context shorter than the run": Made(24, 36, 3, 3, shard="40KB"),
    "untied, shards": Made(60, 24, 4, 5, tied=False, shard="20KB"),
}


def save(made: Made, folder: Path) -> None:
    """Let Hugging Face write a checkpoint whose every parameter is random, norms and biases too."""
    config = GPT2Config(
        vocab_size=211,
        n_positions=made.n_positions,
        n_embd=made.n_embd,
        n_head=made.n_head,
        n_layer=made.n_layer,
        bos_token_id=0,
        eos_token_id=0,
        tie_word_embeddings=made.tied,
    )
    model = GPT2LMHeadModel(config).eval()
    generator = torch.Generator().manual_seed(11)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            # A large last shift would make every position choose the same token.
            parameter.normal_(0, STD.get(name, 0.3), generator=generator)
    model.save_pretrained(folder, max_shard_size=made.shard)
    if not made.prefix:
        file = folder / "model.safetensors"
        tensors = load_file(file)
        stripped = {name.removeprefix("transformer."): tensors[name] for name in tensors}
        assert stripped.keys() != tensors.keys()
        save_file(stripped, file, metadata={"format": "pt"})


@pytest.fixture(scope="module", params=MADE)
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[GPTModel, GPT2LMHeadModel]:
    """One checkpoint as this package and as Hugging Face reads it, from the same files."""
    made = MADE[request.param]
    folder = tmp_path_factory.mktemp("made")
    save(made, folder)
    assert (len(list(folder.glob("*.safetensors"))) > 1) == ("shards" in request.param)
    assert (made.n_positions < len(PROMPT) + N_NEW) == ("shorter" in request.param)
    theirs, notes = GPT2LMHeadModel.from_pretrained(folder, output_loading_info=True)
    assert not notes["missing_keys"]
    assert not notes["unexpected_keys"]
    return load_gpt2(folder), theirs.eval()


def test_the_logits_agree_within_1e_4(both: tuple[GPTModel, GPT2LMHeadModel]) -> None:
    ours, theirs = both
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for n_tokens in (1, 9, ours.cfg.context_length):
            ids = torch.randint(211, (2, n_tokens), generator=generator)
            expected = theirs(ids, use_cache=False).logits
            assert expected.std() > 0.5  # else everything would agree
            torch.testing.assert_close(ours(ids), expected, rtol=0, atol=1e-4)


def test_50_greedy_tokens_are_the_same_also_past_the_context(
    both: tuple[GPTModel, GPT2LMHeadModel],
) -> None:
    ours, theirs = both
    ids = list(PROMPT)
    with torch.no_grad():
        for _ in range(N_NEW):
            window = ids[-ours.cfg.context_length :]  # Hugging Face has no cropping of its own
            logits = theirs(torch.tensor([window]), use_cache=False).logits[0, -1]
            ids.append(int(logits.argmax()))
    assert len(set(ids[len(PROMPT) :])) > 3  # a run that repeats one token would prove little
    assert generate_greedy(ours, PROMPT, N_NEW) == ids
    assert generate_greedy(ours, PROMPT, N_NEW, use_cache=False) == ids


def test_within_the_context_it_is_what_hugging_faces_own_loop_gives(
    both: tuple[GPTModel, GPT2LMHeadModel],
) -> None:
    ours, theirs = both
    n_new = min(N_NEW, ours.cfg.context_length - len(PROMPT))
    expected = theirs.generate(
        torch.tensor([PROMPT]),
        attention_mask=torch.ones(1, len(PROMPT)),  # else it would take token 0 for padding
        max_new_tokens=n_new,
        do_sample=False,
        eos_token_id=None,
        pad_token_id=0,
    )
    assert generate_greedy(ours, PROMPT, n_new) == expected[0].tolist()
