"""Only what lies in the operator's folder is offered."""

from pathlib import Path

import pytest

from explorer.measure.checkpoints import list_checkpoints


@pytest.fixture
def models(tmp_path: Path) -> Path:
    root = tmp_path / "models"
    for name in ("small", "sharded"):
        (root / name).mkdir(parents=True)
        (root / name / "config.json").write_text("{}")
    (root / "small" / "model.safetensors").write_bytes(b"")
    (root / "sharded" / "model.safetensors.index.json").write_text("{}")
    return root


def test_folders_with_config_and_safetensors_are_offered(models: Path) -> None:
    assert list(list_checkpoints(models)) == ["sharded", "small"]


def test_pickles_plain_files_and_half_downloads_are_not(models: Path) -> None:
    (models / "pickled").mkdir()
    (models / "pickled" / "config.json").write_text("{}")
    (models / "pickled" / "pytorch_model.bin").write_bytes(b"")
    (models / "half").mkdir()
    (models / "half" / "config.json").write_text("{}")
    (models / "file").write_text("")
    assert list(list_checkpoints(models)) == ["sharded", "small"]


def test_links_out_of_the_folder_are_not_followed(models: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "config.json").write_text("{}")
    (outside / "model.safetensors").write_bytes(b"")
    (models / "linked").symlink_to(outside)
    (models / "up").symlink_to(models)
    (models / "mixed").mkdir()
    (models / "mixed" / "config.json").write_text("{}")
    (models / "mixed" / "model.safetensors").symlink_to(outside / "model.safetensors")
    assert list(list_checkpoints(models)) == ["sharded", "small"]


def test_no_folder_offers_nothing(tmp_path: Path) -> None:
    assert list_checkpoints(None) == {}
    assert list_checkpoints(tmp_path / "missing") == {}
