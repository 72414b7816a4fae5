"""The lessons there are: those shipped here, and the files in the operator's folder."""

import re
from pathlib import Path

SHIPPED = Path(__file__).parent
UPLOADED = "uploaded"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,60}")


def list_lessons(folder: Path | None) -> dict[str, Path]:
    """Return the lessons' files by name; one of the operator's stands before one shipped.

    A name is a file's without `.toml`: letters, digits, - and _, and not `UPLOADED`. Links that lead
    out of the folder are left out.

    Args:
        folder: What the operator named at start, or None.
    """
    found = {}
    for root in (SHIPPED, folder):
        if root is None or not root.is_dir():
            continue
        for file in sorted(root.glob("*.toml")):
            path, name = file.resolve(), file.stem
            inside = path.is_relative_to(root.resolve()) and path.is_file()
            if inside and _NAME.fullmatch(name) and name != UPLOADED:
                found[name] = path
    return found
