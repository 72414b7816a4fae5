"""A configuration as text to copy, and back from text that was pasted, which is never evaluated."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, fields

from gptcore.config import GPTConfig
from gptcore.hugging_face import config_from_hugging_face

MAX_TEXT = 20_000
MAX_PINS = 4
_MAX_NUMBER = 30
_PIN = re.compile(r"(?:\d{1,9}_){5}(\d(?:\.\d{1,25})?(?:e-\d{1,3})?)_([01])_([01])", re.ASCII)
_NAMES = tuple(field.name for field in fields(GPTConfig))
_LITERALS: dict[str, object] = {"True": True, "False": False, "None": None}
_NUMBER = r"-?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_PAIR = re.compile(
    r"""\s*(?P<quote>["']?)(?P<name>[A-Za-z_]\w{0,60})(?P=quote)\s*[:=]\s*"""
    rf"""(?P<value>{_NUMBER}|True|False|None|"[^"\\]*"|'[^'\\]*')\s*(?:,|$)""",
    re.ASCII,
)
_OUTSIDE = re.compile(
    r"\s*(?:[A-Za-z_]\w*\s*=)?\s*(?:\{(.*)\}|(?:GPTConfig|dict)\((.*)\))\s*", re.S
)


def as_json(cfg: GPTConfig) -> str:
    """Write a configuration as JSON."""
    return json.dumps(asdict(cfg), indent=2)


def as_book_dict(cfg: GPTConfig, name: str = "GPT_CONFIG") -> str:
    """Write a configuration as the book does, a Python dict."""
    lines = "".join(f'    "{key}": {value!r},\n' for key, value in asdict(cfg).items())
    return f"{name} = {{\n{lines}}}"


def as_call(cfg: GPTConfig) -> str:
    """Write a configuration as the Python call that makes it."""
    lines = "".join(f"    {key}={value!r},\n" for key, value in asdict(cfg).items())
    return f"GPTConfig(\n{lines})"


def _number(text: str) -> int | float:
    plain = text.replace("_", "")
    if len(plain) > _MAX_NUMBER:
        raise ValueError(f"a number must have at most {_MAX_NUMBER} characters; got {len(plain)}")
    return int(plain) if plain.lstrip("-").isdigit() else float(plain)


def _read_python(text: str) -> dict[str, object]:
    """Read a dict display or a call whose values are plain literals."""
    bare = re.sub(r"#[^\n]*", "", text)
    outside = _OUTSIDE.fullmatch(bare)
    if outside is None:
        raise ValueError(
            "a configuration must be a Python dict, GPTConfig(...), JSON, or a GPT-2 config.json"
        )
    inside = (outside[1] if outside[1] is not None else outside[2]).strip()
    found: dict[str, object] = {}
    place = 0
    while place < len(inside):
        pair = _PAIR.match(inside, place)
        if pair is None:
            raise ValueError(
                "each field must be a name with a number, True or False; "
                f"can't read {inside[place : place + 40].strip()!r}"
            )
        name, value = pair["name"], pair["value"]
        if name in found:
            raise ValueError(f"a field must be given once; {name} is given twice")
        if value in _LITERALS:
            found[name] = _LITERALS[value]
        else:
            found[name] = value[1:-1] if value[0] in "\"'" else _number(value)
        place = pair.end()
    return found


def _read(text: str) -> dict[str, object]:
    try:
        content = json.loads(text)
    except json.JSONDecodeError:
        return _read_python(text)
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits; a thousand brackets
        raise ValueError("the text is not a configuration: it holds too large a value") from error
    if not isinstance(content, dict):
        raise ValueError(f"a configuration must be a JSON object; got {type(content).__name__}")
    return content


def read_config(text: str) -> GPTConfig:
    """Read a configuration: the book's dict, `GPTConfig(...)`, JSON, or Hugging Face's config.json.

    `tie_weights` may be left out, as the book does; every other field must be there.

    Raises:
        ValueError: If the text is too long, can't be read, lacks a field, has an unknown one, or
            breaks a rule of `GPTConfig`.
    """
    if len(text) > MAX_TEXT:
        raise ValueError(f"a configuration must have at most {MAX_TEXT:,} characters")
    if not text.strip():
        raise ValueError("nothing was pasted; paste a dict, GPTConfig(...) or JSON")
    found = _read(text)
    if "model_type" in found or "n_embd" in found:
        return config_from_hugging_face(found)
    unknown = [name for name in found if name not in _NAMES]
    if unknown:
        raise ValueError(f"unknown field {unknown[0][:40]!r}; the fields are {', '.join(_NAMES)}")
    missing = [name for name in _NAMES if name not in found and name != "tie_weights"]
    if missing:
        raise ValueError(f"the fields {', '.join(missing)} are missing")
    return GPTConfig(**found)  # type: ignore[arg-type]


def write_pins(configs: Sequence[GPTConfig]) -> str:
    """Write configurations in a line, as a link holds them: `50257_1024_768_12_12_0.1_0_0,…`."""
    return ",".join(
        "_".join(str(int(x) if type(x) is bool else x) for x in asdict(cfg).values())
        for cfg in configs
    )


def read_pins(text: str) -> list[GPTConfig]:
    """Read what `write_pins` wrote.

    Raises:
        ValueError: If it is no such text, or holds too many or a configuration that can't be.
    """
    pins = text.split(",") if text else []
    matches = [_PIN.fullmatch(pin) for pin in pins]
    if len(pins) > MAX_PINS or not all(matches):
        raise ValueError(f"at most {MAX_PINS} configurations of eight numbers each")
    configs = []
    for match in filter(None, matches):
        vocab_size, context_length, emb_dim, n_heads, n_layers = map(int, match[0].split("_")[:5])
        configs.append(
            GPTConfig(
                vocab_size,
                context_length,
                emb_dim,
                n_heads,
                n_layers,
                float(match[1]),
                qkv_bias=match[2] == "1",
                tie_weights=match[3] == "1",
            )
        )
    return configs
