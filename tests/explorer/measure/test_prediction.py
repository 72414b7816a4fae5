"""The next token against PyTorch's own functions."""

import math

import pytest
import torch

from explorer.measure.prediction import candidates_of
from gptcore import GPTModel

IDS = (5, 17, 2, 99)


def last_logits(model: GPTModel) -> torch.Tensor:
    with torch.no_grad():
        logits: torch.Tensor = model(torch.tensor([IDS]))[0, -1]
    return logits


def test_candidates_are_the_top_of_the_softmax(tiny_model: GPTModel) -> None:
    logits = last_logits(tiny_model)
    step = candidates_of(logits, 5)
    top = torch.softmax(logits, -1).topk(5)
    assert step.candidates["token_id"].tolist() == top.indices.tolist()
    assert step.candidates["probability"].tolist() == pytest.approx(top.values.tolist(), rel=1e-5)
    assert step.candidates["logit"].tolist() == logits[top.indices].tolist()
    assert step.token_id == int(logits.argmax())


def test_entropy_is_that_of_the_whole_distribution(tiny_model: GPTModel) -> None:
    logits = last_logits(tiny_model)
    step = candidates_of(logits, 10)
    expected = torch.distributions.Categorical(logits=logits).entropy().item()
    assert step.entropy == pytest.approx(expected, rel=1e-5)
    assert step.uniform_entropy == pytest.approx(math.log(tiny_model.cfg.vocab_size))


def test_more_candidates_than_the_vocabulary_are_the_whole_vocabulary(tiny_model: GPTModel) -> None:
    frame = candidates_of(last_logits(tiny_model), 1000).candidates
    assert sorted(frame["token_id"]) == list(range(tiny_model.cfg.vocab_size))
    assert frame["probability"].sum() == pytest.approx(1)
