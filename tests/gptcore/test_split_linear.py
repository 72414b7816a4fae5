"""Outputs that are shared out among the cores are the same outputs."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from gptcore import GPTModel
from gptcore.sharing import private_copy
from gptcore.split_linear import SplitLinear, split_linears


@given(
    shape=st.lists(st.integers(1, 5), min_size=1, max_size=3),
    n_in=st.integers(1, 9),
    n_out=st.integers(1, 40),
    bias=st.booleans(),
    n_threads=st.sampled_from([1, 2, 3, 64]),
)
def test_it_computes_what_the_plain_layer_does(
    shape: list[int], n_in: int, n_out: int, bias: bool, n_threads: int
) -> None:
    plain = nn.Linear(n_in, n_out, bias=bias)
    split = private_copy(plain)
    split_linears(split)
    x = torch.randn(*shape, n_in)
    with torch.no_grad(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch, "get_num_threads", lambda: n_threads)
        found = split(x)
    assert type(split) is SplitLinear
    assert found.shape == (*shape, n_out)
    torch.testing.assert_close(found, plain(x).detach())


def test_a_slice_of_positions_that_is_not_contiguous_is_read_too() -> None:
    split = private_copy(nn.Linear(6, 10))
    expected = split(x := torch.randn(2, 5, 6).transpose(0, 1)[1:4]).detach()
    split_linears(split)
    with torch.no_grad():
        torch.testing.assert_close(split(x), expected)


def test_only_the_copy_is_split_and_no_weight_is_copied(tiny_model: GPTModel) -> None:
    copied = private_copy(tiny_model)
    split_linears(copied)
    kinds = {type(module) for module in copied.modules()}
    assert nn.Linear not in kinds
    assert SplitLinear in kinds
    assert not any(isinstance(module, SplitLinear) for module in tiny_model.modules())
    assert all(a is b for a, b in zip(tiny_model.parameters(), copied.parameters(), strict=True))
