"""What fits, and what is refused with its figures."""

import re
from pathlib import Path

import psutil
import pytest
import torch

from explorer.measure.memory import (
    DoesNotFitError,
    available_bytes,
    check_fits,
    in_words,
    model_bytes,
    refusing_what_memory_lacks,
)
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


V2 = ("memory.max", "memory.current", "inactive_file")
V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
MIB = 2**20


def group(folder: Path, names: tuple[str, str, str], limit: str, used: int, cache: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / names[0]).write_text(f"{limit}\n")
    (folder / names[1]).write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 1\n{names[2]} {cache}\nfile 5\n")


def own(folder: Path, lines: str) -> Path:
    (folder / "self").write_text(lines)
    return folder / "self"


@pytest.mark.parametrize(
    ("names", "below", "line"),
    [(V2, "", "0::/app.slice/x\n"), (V1, "memory", "9:cpu:/\n4:hugetlb,memory:/app.slice/x\n")],
    ids=["version 2", "version 1"],
)
def test_a_containers_limit_is_what_there_is(
    tmp_path: Path, names: tuple[str, str, str], below: str, line: str
) -> None:
    group(tmp_path / below / "app.slice" / "x", names, str(90 * MIB), 50 * MIB, 20 * MIB)
    assert available_bytes(tmp_path, own(tmp_path, line)) == (90 - 50 + 20) * MIB


def test_the_tightest_of_nested_limits_counts(tmp_path: Path) -> None:
    group(tmp_path / "a" / "b", V2, str(900 * MIB), 10 * MIB, 0)
    group(tmp_path / "a", V2, str(90 * MIB), 60 * MIB, 0)
    assert available_bytes(tmp_path, own(tmp_path, "0::/a/b\n")) == 30 * MIB


def test_inside_a_container_the_group_is_at_the_top_whatever_its_path(tmp_path: Path) -> None:
    group(tmp_path, V2, str(90 * MIB), 60 * MIB, 0)
    assert available_bytes(tmp_path, own(tmp_path, "0::/docker/0123\n")) == 30 * MIB
    assert available_bytes(tmp_path, own(tmp_path, "0::/../..\n")) == 30 * MIB


@pytest.mark.parametrize("limit", ["max", "9223372036854771712", "", "x"])
def test_no_limit_leaves_what_the_machine_has_free(tmp_path: Path, limit: str) -> None:
    group(tmp_path, V2, limit, 60 * MIB, 0)
    found = available_bytes(tmp_path, own(tmp_path, "0::/\n"))
    assert found == pytest.approx(psutil.virtual_memory().available, rel=0.2)


def test_without_control_groups_the_machine_is_asked(tmp_path: Path) -> None:
    found = available_bytes(tmp_path / "none", tmp_path / "nothing")
    assert found == pytest.approx(psutil.virtual_memory().available, rel=0.2)


def test_a_group_over_its_limit_has_nothing_left(tmp_path: Path) -> None:
    group(tmp_path, V2, str(10 * MIB), 60 * MIB, 0)
    assert available_bytes(tmp_path, own(tmp_path, "0::/\n")) == 0


def test_memory_that_runs_out_while_building_is_refused_in_a_sentence() -> None:
    cfg = CONFIGS["gpt2-xl"]
    sentence = re.escape(in_words(model_bytes(cfg)))
    with pytest.raises(DoesNotFitError, match=sentence), refusing_what_memory_lacks(cfg):
        torch.empty(2**50)


def test_another_error_while_building_stays_what_it_is() -> None:
    cfg = CONFIGS["gpt2-xl"]
    with pytest.raises(RuntimeError, match="mat1"), refusing_what_memory_lacks(cfg):
        torch.ones(2, 3) @ torch.ones(2, 3)
