"""What fits, and what is refused with its figures."""

import pytest

from explorer.measure.memory import DoesNotFitError, check_fits, in_words, model_bytes
from gptcore import CONFIGS, GPTModel


def test_a_model_takes_the_bytes_that_were_counted(tiny_model: GPTModel) -> None:
    tensors = [*tiny_model.parameters(), *tiny_model.buffers()]
    assert model_bytes(tiny_model.cfg) == sum(t.numel() * t.element_size() for t in tensors)


def test_gpt3_is_refused_with_what_it_needs_and_what_there_is() -> None:
    with pytest.raises(DoesNotFitError, match=r"65[01]\.\d GiB") as refused:
        check_fits(CONFIGS["gpt3-175b"], 16 * 2**30)
    assert "16.0 GiB" in str(refused.value)


def test_what_fits_is_not_refused() -> None:
    check_fits(CONFIGS["gpt2-small"], 4 * 2**30)


def test_bytes_are_written_in_binary_units() -> None:
    assert in_words(652_038_144) == "621.83 MiB"
    assert in_words(12 * 2**30) == "12.0 GiB"
