"""The trained weights that the operator offers: folders below one folder, and nothing else."""

import os
from pathlib import Path

_WEIGHTS = ("model.safetensors", "model.safetensors.index.json")


def list_checkpoints(folder: Path | None) -> dict[str, Path]:
    """Return the checkpoints directly below a folder, by name.

    A checkpoint is a folder with `config.json` and safetensors in Hugging Face's layout. Links that
    lead out of the folder are left out, of folders and of files.

    Args:
        folder: What the operator named at start, or None.
    """
    if folder is None or not folder.is_dir():
        return {}
    root = folder.resolve()
    found = {}
    for child in sorted(folder.iterdir()):
        path = child.resolve()
        if not path.is_dir() or not path.is_relative_to(root) or path == root:
            continue
        if not (path / "config.json").is_file() or not any((path / w).is_file() for w in _WEIGHTS):
            continue
        if all(file.resolve().is_relative_to(root) for file in path.iterdir()):
            found[child.name] = path
    return found


def without_place(error: ValueError, folder: Path) -> ValueError:
    """Leave out of a sentence about a checkpoint where on this machine it lies."""
    return ValueError(str(error).replace(f"{folder.parent}{os.sep}", ""))
