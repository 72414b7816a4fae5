"""The import rule, and what may be imported before torch."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FORBIDDEN = {
    "gptcore": ("explorer", "pages", "streamlit", "plotly", "pandas"),
    "explorer/measure": ("explorer.draw", "explorer.ui", "pages", "streamlit", "plotly"),
    "explorer/draw": ("explorer.measure", "explorer.ui", "gptcore", "pages", "streamlit", "torch"),
    "explorer/lessons": ("explorer.ui", "pages", "streamlit", "plotly", "torch"),
    "explorer/ui": ("pages",),
}
TOP_LEVEL = {
    "explorer",
    "gptcore",
    "pages",
    "tests",
    "requirements.txt",
    "README.md",
    "pyproject.toml",
    "LICENSE",
}


def imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("folder", FORBIDDEN)
def test_imports_point_down_only(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    for file in files:
        for name in imports(file):
            wrong = [f for f in FORBIDDEN[folder] if name == f or name.startswith(f + ".")]
            assert not wrong, f"{file.relative_to(ROOT)} imports {name}"


NEVER_CALLED = {"eval", "exec", "compile", "__import__", "os.system", "os.popen", "torch.load"}
NEVER_IMPORTED = {"pickle", "marshal", "shelve", "dill", "joblib", "subprocess", "code", "ctypes"}


@pytest.mark.parametrize("folder", ["gptcore", "explorer", "pages"])
def test_no_text_can_become_code(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    for file in files:
        assert not {name.split(".")[0] for name in imports(file)} & NEVER_IMPORTED, file
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called.removeprefix("builtins.") not in NEVER_CALLED, (file, called)
                given = {keyword.arg for keyword in node.keywords}
                assert "unsafe_allow_html" not in given, (file, called)
                assert "unsafe_allow_javascript" not in given, (file, called)


def test_gptcore_imports_torch_tiktoken_and_safetensors_only() -> None:
    allowed = {*sys.stdlib_module_names, "gptcore", "torch", "tiktoken", "safetensors"}
    for file in (ROOT / "gptcore").rglob("*.py"):
        assert {name.split(".")[0] for name in imports(file)} <= allowed, file


def test_only_the_glue_and_the_pages_import_streamlit() -> None:
    for file in (ROOT / "explorer").rglob("*.py"):
        inside = file.relative_to(ROOT / "explorer").parts
        if inside[0] not in ("ui", "app.py", "__main__.py"):
            assert "streamlit" not in {name.split(".")[0] for name in imports(file)}, file


def test_no_module_of_measure_hides_behind_a_function_of_its_name() -> None:
    from explorer import measure

    modules = {file.stem for file in (ROOT / "explorer" / "measure").glob("*.py")}
    assert not modules & set(measure.__all__)
    assert all(getattr(measure, name) is not None for name in measure.__all__)


def test_pages_are_short_and_the_top_level_is_as_agreed() -> None:
    for page in (ROOT / "pages").glob("*.py"):
        assert len(page.read_text(encoding="utf-8").splitlines()) <= 120, page.name
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    shown = {name.split("/")[0] for name in tracked}
    assert {name for name in shown if not name.startswith(".")} <= TOP_LEVEL


def test_the_first_paint_waits_for_neither_torch_nor_pandas() -> None:
    code = (
        "import sys; from explorer.ui.index_page import drawn_for; "
        "assert '163009536' in drawn_for('overview', ''); "
        "sys.exit('torch' in sys.modules or 'pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_the_frame_of_the_app_comes_up_before_torch() -> None:
    code = (
        "import sys; import explorer.ui.sidebar, explorer.ui.show, explorer.ui.cache;"
        "from explorer import measure; from gptcore import GPT_CONFIG_124M;"
        "measure.tensor_path(GPT_CONFIG_124M, 4); measure.token_text(15496);"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_the_server_listens_before_pandas_and_torch() -> None:
    code = "import sys, explorer.__main__; sys.exit(bool({'torch', 'pandas'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
