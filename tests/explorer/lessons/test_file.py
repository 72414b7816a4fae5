"""Every kind of mistake in a lesson's file is one sentence with its line."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.lessons.file import MAX_BYTES, LessonError, read_lesson
from explorer.lessons.offered import list_lessons
from explorer.ui.controls import CONTROLS

GOOD = """\
# A comment with [[step]] in it.
title = "Two steps"
hide = ["sidebar"]

[[step]]
page = "gelu"
set.gelu_x = 2
text = "First."

[[step]]
page = "block"
text = '''
A text that says [[step]]
and page = "nowhere", over lines.'''
hide = ["controls"]
set.config = "gpt-nano"
set.block_mask = false

[step.question]
ask = "Why?"
answers = ["So", "Not so"]
right = 2
because = "It is."
"""


def line_of(text: str) -> int:
    return GOOD[: GOOD.index(text)].count("\n") + 1


def test_a_lesson_is_read_as_written() -> None:
    lesson = read_lesson(GOOD.encode(), CONTROLS)
    first, second = lesson.steps
    assert lesson.title == "Two steps"
    assert (first.page, first.controls, first.hide) == ("gelu", {"gelu_x": 2.0}, {"sidebar"})
    assert second.text == 'A text that says [[step]] and page = "nowhere", over lines.'
    assert second.controls == {"config": "gpt-nano", "block_mask": False}
    assert second.hide == {"controls"}
    assert second.question is not None
    assert second.question.answers[second.question.right] == "Not so"


@pytest.mark.parametrize(
    ("written", "instead", "line", "reason"),
    [
        ('page = "gelu"', 'page "gelu"', None, "this is not TOML: expected '='"),
        ('page = "gelu"', 'page = "gleu"', None, "step 1 needs a page: one of"),
        ('page = "block"\n', "", '[[step]]\npage = "block"', "step 2 needs a page"),
        ('text = "First."', 'txt = "First."', None, "“txt” is none of them"),
        ('text = "First."', 'text = ""', None, "must have 1 to 600 characters; it has 0"),
        ('text = "First."', "text = 7", None, "must be text in quotation marks"),
        ('text = "First."', f'text = "{"a" * 601}"', None, "it has 601"),
        ('text = "First."', 'text = "a\\u202Eb"', None, "can't be shown, U+202E"),
        ('text = "First."', 'text = "a\\u0000b"', None, "can't be shown, U+0000"),
        ("set.gelu_x = 2", "set.gelu_y = 2", None, "“gelu_y”, which is no control of a page"),
        ("set.gelu_x = 2", "set.gelu_x = 99", None, "“gelu_x” must be a number from -4 to 4"),
        ("set.gelu_x = 2", "set.gelu_x = [2]", None, "a text, a number, true or false"),
        ("set.gelu_x = 2", "set.gelu_x = 1979-05-27", None, "a text, a number, true or false"),
        ("set.gelu_x = 2", "set = { gelu_x = true }", None, "“gelu_x” must be a number"),
        ("set.gelu_x = 2", "set = 2", None, "sets controls as set.NAME = value"),
        ("set.gelu_x = 2", 'set.block_view = "depth"', None, "sets “block_view” of block"),
        ("set.gelu_x = 2", "set.emb_dim = 48", None, 'needs set.config = "custom"'),
        ("set.block_mask = false", "set.block_mask = 0", None, "must be true or false"),
        ('hide = ["controls"]', 'hide = "controls"', None, "can hide sidebar and controls"),
        ('hide = ["sidebar"]', 'hide = ["page"]', None, "a lesson can hide sidebar and controls"),
        ('title = "Two steps"', "title = 2", None, "the lesson's title must be text"),
        ('title = "Two steps"', 'name = "Two steps"', None, "“name” is none of them"),
        ('answers = ["So", "Not so"]', 'answers = ["So"]', None, "needs 2 to 6 answers"),
        ('answers = ["So", "Not so"]', 'answers = ["So", 2]', None, "must be text in quotation"),
        ("right = 2", "right = 3", None, "the number of the right answer, from 1 to 2"),
        ("right = 2", "right = true", None, "the number of the right answer, from 1 to 2"),
        ('because = "It is."', "", "[step.question]", "the reason in the question of step 2"),
        ('because = "It is."', 'why = "It is."', None, "“why” is none of them"),
    ],
)
def test_a_mistake_is_named_with_its_line(
    written: str, instead: str, line: str | None, reason: str
) -> None:
    assert GOOD.count(written) == 1
    with pytest.raises(LessonError, match=re.escape(reason)) as caught:
        read_lesson(GOOD.replace(written, instead).encode(), CONTROLS)
    wanted = line_of(line or written)
    if reason.startswith("the reason in"):  # a key that is missing: the step it is missing from
        wanted = line_of('[[step]]\npage = "block"')
    assert caught.value.line == wanted
    assert str(caught.value) == f"Line {wanted}: {caught.value.reason}."
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (b"", "the lesson's title must have"),
        (b'title = "a"', "must have 1 to 200 steps"),
        (b'title = "a"\nstep = 3', "Line 2: a lesson must have 1 to 200 steps"),
        (b'title = "a"\nstep = [1]', "step 1 must be written under"),
        (b'title = "a"\ntitle = "b"', "Line 2: this is not TOML: cannot overwrite a value"),
        (b'title = "a"\n' + b"[[step]]\n" * 201, "must have 1 to 200 steps"),
        (b'title = "a"\ntext = "\xff"', "Line 2: the file must be text in UTF-8"),
        (b'title = "a"\nx = "never closed', "Line 2: this is not TOML"),
        ('title = "a"\n# \u2028 \u2028\nx = """'.encode(), "Line 3: this is not TOML"),
        (b"x = " + b"[" * 20_000, "nested too deeply"),
        (b"x = " + b"9" * 20_000, "this is not TOML"),
        (b"#" * (MAX_BYTES + 1), "at most 100,000 bytes; this has 100,001"),
    ],
)
def test_what_is_no_lesson_at_all_is_refused_in_a_sentence(source: bytes, reason: str) -> None:
    with pytest.raises(LessonError, match=re.escape(reason)) as caught:
        read_lesson(source, CONTROLS)
    assert len(str(caught.value)) < 400


@given(st.binary(max_size=200))
def test_no_file_raises_anything_but_a_lesson_error(source: bytes) -> None:
    with pytest.raises(LessonError):
        read_lesson(source, CONTROLS)


@given(st.integers(0, len(GOOD)), st.integers(0, 40), st.text(max_size=10))
def test_a_lesson_with_a_piece_changed_is_read_or_refused_with_a_line_it_has(
    start: int, length: int, text: str
) -> None:
    source = GOOD[:start] + text + GOOD[start + length :]
    line = 1
    try:
        read_lesson(source.encode("utf-8", "replace"), CONTROLS)
    except LessonError as error:
        line = error.line
    assert 1 <= line <= source.count("\n") + 1


def test_the_example_in_the_readme_is_a_lesson() -> None:
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    example = readme.split("```toml\n")[1].split("```")[0]
    assert len(read_lesson(example.encode(), CONTROLS).steps) == 1


def test_windows_line_ends_and_a_byte_order_mark_are_read() -> None:
    source = b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()
    assert read_lesson(source, CONTROLS) == read_lesson(GOOD.encode(), CONTROLS)


def test_lessons_are_toml_files_with_plain_names_inside_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "lessons"
    folder.mkdir()
    for name in ("mine.toml", "two words.toml", "uploaded.toml", "notes.txt"):
        (folder / name).write_text(GOOD)
    (tmp_path / "outside.toml").write_text(GOOD)
    (folder / "link.toml").symlink_to(tmp_path / "outside.toml")
    assert set(list_lessons(folder)) == {"chapter4", "mine"}
    assert set(list_lessons(None)) == {"chapter4"}
