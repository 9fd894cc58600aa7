"""The fields of a docstring: which there are, and what each of them says.

A field that does not fit raises `AnnotationError`, so that a typo is never a missing limit.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

from docstring_parser import DocstringMeta, DocstringParam, DocstringStyle, parse
from docstring_parser.common import DocstringDeprecated

from ..common.readers import choice_of
from ..common.request_state import RETURN_A_FILE

VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
ACCESSES = ("public", "hybrid", "protected", "private")
_KINDS = "timestamp date datetime time email url ip tel color alpha alphanumeric hex uuid printable"
KINDS = (*_KINDS.split(), "int", "float", "string", "bool")
#: what may be said of `Idempotency-Key`: the answer holds a secret, and is not kept; the method is in no transaction of
#: ours; the header is not minded
IDEMPOTENCIES = ("secret", "apart", "none")
PLACES = {"path": "path", "url": "path", "query": "query", "body": "body", "head": "head"}


def travelling(name: str) -> str:
    """How a parameter is called outside of Python: `from_`, which stands for a keyword, travels as `from`."""
    return name[:-1] if name.endswith("_") and keyword.iskeyword(name[:-1]) else name


def in_python(name: str) -> str:
    """The other way round: what a parameter is called in the signature."""
    return f"{name}_" if keyword.iskeyword(name) else name


class AnnotationError(ValueError):
    """A docstring that cannot be read; says which line and what was expected."""


@dataclass(frozen=True)
class ParameterNote:
    """What a docstring says of one parameter; what it does not say is None, empty or the default."""

    name: str
    text: str = ""
    type_name: str | None = None
    minimum: Decimal | None = None
    maximum: Decimal | None = None
    choices: tuple[str, ...] = ()
    pattern: str | None = None
    kind: str | None = None
    place: str | None = None
    fix: bool = False
    message: str | None = None
    required: bool | None = None
    validate: bool = True
    label: str | None = None
    example: str | None = None
    meanings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class AfterNote:
    """For records of which services a method is offered, once one has been answered.

    :param states: only in these; empty: in any
    :param values: the query that fills its form, such as ``socid={id}``; empty: what fits by name
    :param words: what it is called there
    """

    services: tuple[str, ...]
    states: tuple[str, ...]
    values: str
    words: str


@lru_cache(maxsize=16384)
def read_field(word: str, arguments: tuple[str, ...], text: str, typed: str) -> tuple[str, Any]:
    """The attribute of Annotation that one field fills, and its value.

    Kept in memory, because modules repeat each other's lines. docstring-parser gets one line: it would glue what
    follows a field to it, and stumble on a stray colon.
    """
    field_text = f":{' '.join([word, *arguments])}: {text}"
    if typed:
        field_text += f"\n:type {arguments[-1]}: {typed}"
    (meta,) = parse(field_text, style=DocstringStyle.REST).meta
    attribute, reader = FIELDS[word]
    return attribute, reader(meta)


# The pattern's end is a slash, flags and a brace, because the expression may hold braces and slashes itself.
_TAG = re.compile(
    r"\{@(?:pattern\s+/(?P<regex>(?:\\.|(?!\{@)[^\\])*?)/(?P<flags>[A-Za-z]*)|(?P<tag>\w+)(?:\s+(?P<value>[^{}]*))?)\s*\}"
)


def _expect(fits: object, expected: str) -> None:
    if not fits:
        raise AnnotationError(f"expected {expected}")


def _matching(expression: str, expected: str, convert: Callable[..., Any] = str) -> Callable[[str], Any]:
    """A reader of text that matches; ``convert`` gets the expression's groups, or all when it has none."""

    compiled = re.compile(expression)

    def read(text: str) -> Any:
        match = compiled.fullmatch(text)
        if not match:
            raise AnnotationError(f"expected {expected}, got {text!r}")
        return convert(*(match.groups() or [text]))

    return read


def _one_of(table: Mapping[str, Any]) -> Callable[[str], Any]:
    """A reader of one word of the table, in any case."""

    def read(text: str) -> Any:
        _expect(text.lower() in table, f"{choice_of(table)}{';' if len(table) > 2 else ','} got {text!r}")
        return table[text.lower()]

    return read


def _of_text(reader: Callable[[str], Any]) -> Callable[[DocstringMeta], Any]:
    return lambda meta: reader(" ".join((meta.description or "").split()))


def _url(verb: str, template: str) -> tuple[str, str]:
    template = re.sub(r"(?<![^/]):(\w+)", r"{\1}", template).strip("/")
    _expect(not re.search(r"[{}]", re.sub(r"\{\w+\}", "", template)), "variables written as {name}")
    return verb.upper(), re.sub(r"(?<=\{)\w+(?=\})", lambda match: travelling(match[0]), template)


def _list(text: str) -> tuple[str, ...]:
    parts = tuple(part.strip() for part in text.split(","))
    _expect(all(parts), "words separated by commas")
    return parts


def _meanings(text: str) -> tuple[tuple[str, str], ...]:
    pairs = [part.replace(":", " ", 1).split(None, 1) for part in _list(text)]
    _expect(all(len(pair) == 2 for pair in pairs), "values with their meanings, such as {@values 0 all, 1 products}")
    return tuple((value, words) for value, words in pairs)


def _deprecated(meta: DocstringMeta) -> str:
    # docstring-parser takes a leading version out of the text.
    version = meta.version if isinstance(meta, DocstringDeprecated) else None
    return f"{version or ''} {meta.description or ''}".strip()


def _parameter(meta: DocstringMeta) -> ParameterNote:
    name = meta.args[-1].lstrip("$*")
    _expect(name.isidentifier(), "a parameter's name, such as :param name: text")
    tags: dict[str, Any] = {}

    def take(match: re.Match[str]) -> str:
        tag = (match["tag"] or "pattern").lower()
        _expect(tag in _TAGS, f"one of the tags {', '.join(_TAGS)}; got {{@{tag}}}")
        attribute, reader = _TAGS[tag]
        _expect(attribute not in tags, f"{{@{tag}}} only once")
        value = (match["value"] or "").strip()
        tags[attribute] = reader(value) if match["tag"] else _pattern(match["regex"], match["flags"])
        return " "

    text = " ".join(_TAG.sub(take, meta.description or "").split())
    _expect("{@" not in text, "a tag such as {@min 1}, closed and without braces inside")
    if "minimum" in tags and "maximum" in tags:
        _expect(tags["minimum"] <= tags["maximum"], "{@min} to be at most {@max}")
    type_name = meta.type_name if isinstance(meta, DocstringParam) else None
    return ParameterNote(travelling(name), text, (type_name or "").lower() or None, **tags)


def _pattern(regex: str, flags: str = "") -> str:
    # The flag u changes nothing: Python's expressions always read Unicode.
    _expect(regex and set(flags) <= {"i", "u"}, "{@pattern /expression/}, optionally with the flag i")
    pattern = f"(?i){regex}" if "i" in flags else regex
    try:
        re.compile(pattern)
    except (re.error, ValueError, OverflowError, RecursionError) as error:
        raise AnnotationError(f"expected a regular expression in {{@pattern}}: {error}") from error
    return pattern


def _header(name: str, value: str) -> tuple[str, str]:
    _expect(name.lower() != "content-type", f"a header other than Content-Type; {RETURN_A_FILE}")
    return name, value


_verb_and_template = _matching(rf"(?i)({'|'.join(VERBS)}) (\S+)", f"a verb ({', '.join(VERBS)}) and a path", _url)
_name_and_value = _matching(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([ -~]+)", "Name: value in ASCII", _header)
_after = _matching(
    r"(\w+(?:\|\w+)*)(?: ([^?:\s][^?:]*))?(?: \?(\S+))?: (.+)",
    "a service, optional states and values, and text, such as orders open|late ?order={id}: Ship it",
    lambda services, states, values, words: AfterNote(
        tuple(services.split("|")), tuple(states.split("|")) if states else (), values or "", words
    ),
)
_some = _matching(r".+", "text")
_number = _matching(r"[-+]?[0-9]+(?:\.[0-9]+)?", "a number", Decimal)
_flag = _one_of({"true": True, "false": False})

# The word of a field -> the attribute of Annotation it fills, and what reads it.
FIELDS: dict[str, tuple[str, Callable[[DocstringMeta], Any]]] = {
    "url": ("urls", _of_text(_verb_and_template)),
    "param": ("parameters", _parameter),
    "returns": ("returns", _of_text(str)),
    "raises": ("raises", lambda meta: (meta.args[1], meta.description or "")),
    "permission": ("permission", _of_text(_some)),
    "rights": ("rights", _of_text(_list)),
    "access": ("access", _of_text(_one_of({access: access for access in ACCESSES}))),
    "status": ("status", _of_text(_matching("2[0-9][0-9]", "a status from 200 to 299", int))),
    "body": ("body", _of_text(_matching("[1-9][0-9]{0,9}", "a number of bytes, such as 1048576", int))),
    "header": ("headers", _of_text(_name_and_value)),
    "cache": ("cache", _of_text(_matching("[ -~]+", "a value for Cache-Control in ASCII"))),
    "expires": ("expires", _of_text(_matching("[0-9]{1,10}", "a number of seconds", int))),
    "deprecated": ("deprecated", _deprecated),
    # What stands behind it is for the reader
    "strict": ("strict", lambda meta: True),
    "after": ("after", _of_text(_after)),
    "idempotency": ("idempotency", _of_text(_one_of({each: each for each in IDEMPOTENCIES}))),
}
SINGLE = ("permission", "rights", "access", "status", "body", "cache", "expires", "deprecated", "strict", "idempotency")

# The word of an inline tag -> the attribute of ParameterNote it fills, and what reads it.
_TAGS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "min": ("minimum", _number),
    "max": ("maximum", _number),
    "choice": ("choices", _list),
    "pattern": ("pattern", lambda text: _pattern("")),
    "type": ("kind", _one_of({kind: kind for kind in KINDS})),
    "from": ("place", _one_of(PLACES)),
    "fix": ("fix", _flag),
    "message": ("message", _some),
    "required": ("required", _flag),
    "validate": ("validate", _flag),
    "label": ("label", _some),
    "example": ("example", _some),
    "values": ("meanings", _meanings),
}
