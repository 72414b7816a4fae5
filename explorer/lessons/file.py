"""Reading a lesson: a TOML file of numbered steps, each a page, its controls and a sentence.

A file is data and never evaluated. A mistake in it is one sentence with its line and the reason.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from gptcore.config import GPT_CONFIG_124M

MAX_BYTES = 100_000
MAX_STEPS = 200
MAX_TEXT = 600
MAX_ANSWERS = 6
HIDEABLE = ("sidebar", "controls")

_LESSON_KEYS = ("title", "hide", "step")
_STEP_KEYS = ("page", "text", "set", "hide", "question")
_QUESTION_KEYS = ("ask", "answers", "right", "because")
_CUSTOM_FIELDS = tuple(vars(GPT_CONFIG_124M))
_MAX_LABEL = 120
_SYNTAX = re.compile(r"(?s)(.*) \(at (?:line (\d+), column \d+|end of document)\)")
_STRING_OR_COMMENT = re.compile(
    r'"""(?:\\.|[^\\])*?"""|' + r"'''.*?'''" + r'|"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'|#[^\n]*", re.S
)
_STEP_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*step[ \t]*\]\]", re.M)
_JOINERS = "\u200c\u200d"  # inside emoji and in scripts that need them

Value = str | int | float | bool


class Declared(Protocol):
    """A control as a lesson needs to know it."""

    @property
    def page(self) -> str:
        """The page it stands on; empty if on every one."""

    def parse(self, text: str) -> Value:
        """Read a value, or raise a ValueError that says what it can be."""


class LessonError(ValueError):
    """A mistake in a lesson's file.

    Attributes:
        line: Where it is, from 1.
        reason: What is wrong, and what is allowed.
    """

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"Line {line:,}: {reason}.")
        self.line, self.reason = line, reason


@dataclass(frozen=True)
class Question:
    """A question with answers, of which one is right.

    Attributes:
        ask: The question.
        answers: Two or more.
        right: The right one, from 0.
        because: Why it is right.
    """

    ask: str
    answers: tuple[str, ...]
    right: int
    because: str


@dataclass(frozen=True)
class Step:
    """One screen of a lesson.

    Attributes:
        page: The page's name.
        text: What is said of it.
        controls: What controls hold that do not hold their default.
        hide: What of `HIDEABLE` is hidden.
        question: What the class is asked, if anything.
    """

    page: str
    text: str
    controls: Mapping[str, Value] = field(default_factory=dict)
    hide: frozenset[str] = frozenset()
    question: Question | None = None


@dataclass(frozen=True)
class Lesson:
    """A lesson: its title and its steps."""

    title: str
    steps: tuple[Step, ...]


def read_lesson(source: bytes, controls: Mapping[str, Declared]) -> Lesson:
    """Read a lesson.

    Args:
        source: The file, in UTF-8.
        controls: The controls that a step may set, by name; each page has at least one.

    Raises:
        LessonError: At the first mistake: its line, and the reason.
    """
    if len(source) > MAX_BYTES:
        raise LessonError(1, f"a lesson has at most {MAX_BYTES:,} bytes; this has {len(source):,}")
    try:
        text = source.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise LessonError(line, "the file must be text in UTF-8") from None
    return _Reader(text, controls).lesson()


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise LessonError(1, "the values are nested too deeply to be a lesson") from None
    except ValueError as error:
        found = _SYNTAX.fullmatch(str(error))
        reason, line = found.groups() if found else (str(error), None)
        if found and line is None:
            reason, line = (
                f"{reason} at the end of the file",
                str(text.rstrip("\n").count("\n") + 1),
            )
        start = reason[:1].lower() + reason[1:]
        raise LessonError(int(line or 1), f"this is not TOML: {start}") from None


class _Reader:
    """Checks what TOML gave, and finds the line of what is wrong in it."""

    def __init__(self, text: str, controls: Mapping[str, Declared]) -> None:
        self.table = _parsed(text)
        self.controls = controls
        self.pages = tuple(dict.fromkeys(c.page for c in controls.values() if c.page))
        # Strings and comments blanked, so that only what is TOML's own is searched for a key.
        self.bare = _STRING_OR_COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
        self.starts = [header.start() for header in _STEP_HEADER.finditer(self.bare)]

    def fail(self, reason: str, step: int | None = None, key: str | None = None) -> LessonError:
        """Return the error at a key of a step (from 0), or of the lesson if `step` is None."""
        bounds = [*self.starts, len(self.bare)]
        start, end = 0, bounds[0]
        if step is not None and step < len(self.starts):
            start, end = bounds[step], bounds[step + 1]
        place = start
        if key is not None:
            found = re.compile(
                rf"(?m)^[^=\n]*?(?<![\w-]){re.escape(key)}(?![\w-])[^=\n]*=|"  # at a line's start
                rf"(?<![\w-]){re.escape(key)}[ \t]*=|"  # inside { … }
                rf"\.[ \t]*{re.escape(key)}[ \t]*\]"  # as [step.key]
            ).search(self.bare, start, end)
            place = found.start() if found else start
        return LessonError(self.bare.count("\n", 0, place) + 1, reason)

    def only(
        self, table: dict[str, Any], allowed: tuple[str, ...], what: str, step: int | None
    ) -> None:
        """Refuse a key that means nothing."""
        for key in table:
            if key not in allowed:
                names = ", ".join(allowed)
                raise self.fail(f"{what} has {names}; “{key[:40]}” is none of them", step, key)

    def text(self, value: object, what: str, limit: int, step: int | None, key: str) -> str:
        """Read a text that can be shown; line breaks are spaces."""
        if not isinstance(value, str):
            raise self.fail(f"{what} must be text in quotation marks", step, key)
        text = " ".join(value.split())
        if not 0 < len(text) <= limit:
            raise self.fail(
                f"{what} must have 1 to {limit:,} characters; it has {len(text):,}", step, key
            )
        for character in text:
            if not character.isprintable() and character not in _JOINERS:
                raise self.fail(
                    f"{what} has a character that can't be shown, U+{ord(character):04X}", step, key
                )
        return text

    def hide(self, table: dict[str, Any], what: str, step: int | None) -> frozenset[str]:
        """Read what is hidden."""
        names = table.get("hide", [])
        if not isinstance(names, list) or any(name not in HIDEABLE for name in names):
            raise self.fail(
                f"{what} can hide " + " and ".join(HIDEABLE) + ", as a list", step, "hide"
            )
        return frozenset(names)

    def lesson(self) -> Lesson:
        """Check the whole."""
        self.only(self.table, _LESSON_KEYS, "a lesson", None)
        title = self.text(
            self.table.get("title", ""), "the lesson's title", _MAX_LABEL, None, "title"
        )
        hidden = self.hide(self.table, "a lesson", None)
        tables = self.table.get("step")
        if not isinstance(tables, list) or not 0 < len(tables) <= MAX_STEPS:
            raise self.fail(
                f"a lesson must have 1 to {MAX_STEPS} steps, each under [[step]]", None, "step"
            )
        return Lesson(title, tuple(self.step(i, table, hidden) for i, table in enumerate(tables)))

    def step(self, index: int, table: object, hidden: frozenset[str]) -> Step:
        """Check one step; `hidden` is what the lesson hides unless the step says otherwise."""
        name = f"step {index + 1}"
        if not isinstance(table, dict):
            raise self.fail(f"{name} must be written under [[step]]", index)
        self.only(table, _STEP_KEYS, name, index)
        page = table.get("page")
        if page not in self.pages:
            raise self.fail(f"{name} needs a page: one of {', '.join(self.pages)}", index, "page")
        return Step(
            page=str(page),
            text=self.text(table.get("text", ""), f"the text of {name}", MAX_TEXT, index, "text"),
            controls=self.settings(index, str(page), table.get("set", {})),
            hide=self.hide(table, name, index) if "hide" in table else hidden,
            question=self.question(index, table["question"]) if "question" in table else None,
        )

    def settings(self, index: int, page: str, table: object) -> dict[str, Value]:
        """Check every control that a step sets, against what is declared of it."""
        name = f"step {index + 1}"
        if not isinstance(table, dict):
            raise self.fail(f"{name} sets controls as set.NAME = value", index, "set")
        values: dict[str, Value] = {}
        for key, value in table.items():
            control = self.controls.get(key)
            if control is None:
                raise self.fail(
                    f"{name} sets “{key[:40]}”, which is no control of a page", index, key
                )
            if control.page not in ("", page):
                raise self.fail(
                    f"{name} shows the page {page} and sets “{key}” of {control.page}", index, key
                )
            if not isinstance(value, Value):
                raise self.fail(f"“{key}” must be a text, a number, true or false", index, key)
            written = str(value).lower() if isinstance(value, bool) else str(value)
            try:
                values[key] = control.parse(written)
            except ValueError as error:
                raise self.fail(f"“{key}” must be {error}", index, key) from None
        fields = [key for key in values if key in _CUSTOM_FIELDS]
        if fields and values.get("config") != "custom":
            raise self.fail(
                f'{name} sets “{fields[0]}”, which needs set.config = "custom"', index, fields[0]
            )
        return values

    def question(self, index: int, table: object) -> Question:
        """Check a step's question."""
        name = f"the question of step {index + 1}"
        if not isinstance(table, dict):
            raise self.fail(f"{name} must be written under [step.question]", index, "question")
        self.only(table, _QUESTION_KEYS, name, index)
        answers = table.get("answers")
        if not isinstance(answers, list) or not 2 <= len(answers) <= MAX_ANSWERS:
            raise self.fail(f"{name} needs 2 to {MAX_ANSWERS} answers", index, "answers")
        right = table.get("right")
        if type(right) is not int or not 1 <= right <= len(answers):
            raise self.fail(
                f"{name} needs the number of the right answer, from 1 to {len(answers)}",
                index,
                "right",
            )
        return Question(
            ask=self.text(table.get("ask", ""), name, MAX_TEXT, index, "ask"),
            answers=tuple(
                self.text(answer, f"an answer of {name}", _MAX_LABEL, index, "answers")
                for answer in answers
            ),
            right=right - 1,
            because=self.text(
                table.get("because", ""), f"the reason in {name}", MAX_TEXT, index, "because"
            ),
        )
