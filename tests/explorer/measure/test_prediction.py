"""The next token against PyTorch's own functions."""

import math

import pytest
import torch

from explorer.measure.prediction import next_token
from gptcore import GPTModel

IDS = (5, 17, 2, 99)


def test_candidates_are_the_top_of_the_softmax(tiny_model: GPTModel) -> None:
    step = next_token(tiny_model, IDS, top_k=5)
    with torch.no_grad():
        logits = tiny_model(torch.tensor([IDS]))[0, -1]
    top = torch.softmax(logits, -1).topk(5)
    assert step.candidates["token_id"].tolist() == top.indices.tolist()
    assert step.candidates["probability"].tolist() == pytest.approx(top.values.tolist(), rel=1e-5)
    assert step.candidates["logit"].tolist() == logits[top.indices].tolist()
    assert step.token_id == int(logits.argmax())


def test_entropy_is_that_of_the_whole_distribution(tiny_model: GPTModel) -> None:
    step = next_token(tiny_model, IDS)
    with torch.no_grad():
        logits = tiny_model(torch.tensor([IDS]))[0, -1]
    expected = torch.distributions.Categorical(logits=logits).entropy().item()
    assert step.entropy == pytest.approx(expected, rel=1e-5)
    assert step.uniform_entropy == pytest.approx(math.log(tiny_model.cfg.vocab_size))


def test_more_candidates_than_the_vocabulary_are_the_whole_vocabulary(tiny_model: GPTModel) -> None:
    frame = next_token(tiny_model, IDS, top_k=1000).candidates
    assert sorted(frame["token_id"]) == list(range(tiny_model.cfg.vocab_size))
    assert frame["probability"].sum() == pytest.approx(1)
