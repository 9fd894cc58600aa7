"""The lines of a docstring: where a field begins, which lines continue it, and what is prose.

A line in the reference system's style (``@url GET {id}``) is rewritten to a field first.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from difflib import get_close_matches

from .annotation_fields import FIELDS, AnnotationError

_SAME_WORD = {"return": "returns", "throws": "raises", "throw": "raises", "raise": "raises", "except": "raises"}
_SAME_WORD |= {"exception": "raises", "arg": "param", "argument": "param", "parameter": "param"}
#: fields of other tools that look like ours
_FOREIGN = ("rtype", "vartype", "kwtype")
_FIELD = re.compile(r":([\w-]+)(\s[^:]*)?:(.*)")
_AT_LINE = re.compile(r"@(\w+):?\s*(.*)")
_AT_PARAM = re.compile(
    r"(?:(?P<type>\{[^{}@]+\}|[^\s<]*<[^<>]*>\S*|[^\s|\[\\?]*[|\[\\?]\S*|\S+(?=\s+[&.]*\$)"
    r"|int|integer|float|double|number|string|str|bool|boolean|array|list|dict|object|mixed)\s+)?"
    r"[&.]*\$?(?P<name>\w+)(?:[:,]|\s|$)\s*(?P<text>.*)"
)
_AT_THROWS = re.compile(r"(?:\S*Exception\s+(?=[0-9]{3}\b))?(?P<name>[^\s:]+):?\s*(?P<text>.*)")


@dataclass
class Line:
    """One field with the lines that continue it; ``source`` is its first line as the author wrote it."""

    source: str
    word: str
    arguments: list[str]
    text: str


def split_docstring(docstring: str) -> tuple[list[Line], str]:
    """The known fields, and the prose before and after them with one empty line between paragraphs."""
    lines: list[Line] = []
    prose: list[str] = []
    current: Line | None = None
    for whole in inspect.cleandoc(docstring.replace("\r\n", "\n")).split("\n"):
        source = whole.strip()
        started = _start(source)
        if started:
            lines.append(current := started)
        elif not source:
            current = None
            prose.append("")
        elif current:
            current.text = f"{current.text} {source}".strip()
        else:
            prose.append(whole.rstrip())
    known = [line for line in lines if line.word in FIELDS or line.word == "type"]
    return known, re.sub(r"\n{3,}", "\n\n", "\n".join(prose).strip("\n"))


def _start(source: str) -> Line | None:
    """The field that begins in this line, or None when it is plain text."""
    if not source.startswith((":", "@")) or source.startswith("::"):
        return None
    at_line = _AT_LINE.match(source)
    rewritten = _from_at_style(at_line[1].lower(), at_line[2]) if at_line else source
    if not rewritten.startswith(":"):
        return None
    match = _FIELD.match(rewritten)
    if not match:
        raise AnnotationError(f"{source!r}: expected a field such as :name: text; the second colon is missing")
    word = _SAME_WORD.get(match[1].lower(), match[1].lower())
    arguments = (match[2] or "").split()
    if word not in FIELDS and word != "type":
        # An unknown field needs the space after its second colon: :class:`Card` and (t.name:like:'x') are text.
        if match[3][:1].strip():
            return None
        _expect_no_slip(source, word)
        return Line(source, word, [], "")
    if word in ("param", "raises") and not arguments:
        raise AnnotationError(f"{source!r}: expected a name, such as :{word} name: text")
    if word in ("param", "returns"):
        # docstring-parser takes a type of one word only.
        last = arguments[-1:] if word == "param" else []
        arguments = [part for part in ("".join(arguments[: len(arguments) - len(last)]), *last) if part]
    elif word in ("raises", "type"):
        if len(arguments) != 1:
            raise AnnotationError(f"{source!r}: expected exactly one name, such as :{word} name: text")
    elif arguments:
        raise AnnotationError(f"{source!r}: expected no name between the colons, such as :{word}: text")
    return Line(source, word, arguments, match[3].strip())


def _expect_no_slip(source: str, word: str) -> None:
    """A misspelt field must not pass for a foreign one: without its `:permission:` a method would be open."""
    meant = get_close_matches(word, [*FIELDS, *_SAME_WORD], 1, 0.8) if word not in _FOREIGN else []
    if meant:
        raise AnnotationError(f"{source!r}: unknown field {word!r}; did you mean {meant[0]!r}?")


def _from_at_style(word: str, text: str) -> str:
    """``@word text`` as a reST field."""
    word = _SAME_WORD.get(word, word)
    if word == "param" and (match := _AT_PARAM.match(text)):
        return f":param {(match['type'] or '').removeprefix('{').removesuffix('}')} {match['name']}: {match['text']}"
    if word == "raises" and (match := _AT_THROWS.match(text)):
        return f":raises {match['name']}: {match['text']}"
    return f":{word}: {text}"
