"""The figures of the chapter hold, and each of them can fail."""

import pandas as pd
import pytest
import torch
from torch import Tensor, nn

from explorer.measure import references
from explorer.measure.references import REFERENCES, check_references, reference_tokens
from gptcore import GPTModel
from gptcore.layer_norm import LayerNorm


@pytest.mark.parametrize("page", REFERENCES)
def test_every_figure_of_the_chapter_holds(page: str) -> None:
    frame = check_references(page)
    assert len(frame) == len(REFERENCES[page])
    assert frame["holds"].all(), frame


@pytest.mark.golden
def test_the_ten_tokens_of_the_chapter_hold(gpt2_small: GPTModel) -> None:
    assert reference_tokens(gpt2_small)["holds"].all()


def test_other_tokens_are_crossed(tiny_model: GPTModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(references, "encode", lambda text: [1, 2, 3])
    assert not reference_tokens(tiny_model)["holds"].any()


class _LooseEpsilon(LayerNorm):
    def __init__(self, emb_dim: int) -> None:
        super().__init__(emb_dim)
        self.eps = 1e-3


class _UnbiasedVariance(LayerNorm):
    def forward(self, x: Tensor) -> Tensor:
        var = x.var(dim=-1, keepdim=True, unbiased=True)
        return (x - x.mean(dim=-1, keepdim=True)) / torch.sqrt(var + self.eps)


@pytest.mark.parametrize("mutant", [_LooseEpsilon, _UnbiasedVariance])
def test_another_layer_norm_is_crossed(
    mutant: type[LayerNorm], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(references, "LayerNorm", mutant)
    assert not holds(check_references("layernorm"), "normalised row 0")


def test_exact_gelu_is_crossed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(references, "GELU", nn.GELU)
    assert not check_references("gelu")["holds"].any()


def test_a_missing_figure_is_crossed() -> None:
    row = references._compare("x", (1.0, 2.0), (1.0,), 0)
    assert not row["holds"]


def holds(frame: pd.DataFrame, figure: str) -> bool:
    return bool(frame.set_index("figure").loc[figure, "holds"])
