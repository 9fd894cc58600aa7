"""The annotation of an operation: the fields of its docstring, such as its path, its permission and limits.

The docstring is split into lines, and each field is parsed. An invalid field raises `AnnotationError`, so a typo never
removes a limit.
"""

from __future__ import annotations

import inspect
import keyword
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from docstring_parser import DocstringMeta, DocstringParam, DocstringStyle, parse

from ..common.readers import choice_of, readable
from ..common.request_state import RETURN_A_FILE

#: `HEAD` is served for each GET, and `OPTIONS` for each path
VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE")
ACCESSES = ("public", "hybrid", "protected", "private")
_KINDS = "timestamp date datetime time email url ip tel color alpha alphanumeric hex uuid printable"
KINDS = (*_KINDS.split(), "int", "float", "string", "bool")
#: how `Idempotency-Key` is handled: the response has a secret and isn't stored; the method runs outside a transaction;
#: the header is ignored
IDEMPOTENCIES = ("secret", "apart", "none")
PLACES = {"path": "path", "url": "path", "query": "query", "body": "body", "head": "head"}


def wire_name(name: str) -> str:
    """Return the name of a parameter in a request: `from` for `from_`, because `from` is a keyword of Python."""
    return name[:-1] if name.endswith("_") and keyword.iskeyword(name[:-1]) else name


def python_name(name: str) -> str:
    """Return the name of a parameter in the signature."""
    return f"{name}_" if keyword.iskeyword(name) else name


class AnnotationError(ValueError):
    """A docstring that can't be parsed; the message has the line and what was expected."""


@dataclass(frozen=True)
class ParameterNote:
    """The text and the limits of one parameter; a missing one is None, empty or the default."""

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
    """The records after which the explorer offers the method.

    :param states: only records in these states; empty: in any
    :param values: the query that fills its form, such as ``socid={id}``; empty: parameters are filled by name
    :param words: the label; empty: only the states are limited
    """

    services: tuple[str, ...]
    states: tuple[str, ...]
    values: str
    words: str


@lru_cache(maxsize=16384)
def read_field(word: str, arguments: tuple[str, ...], text: str, typed: str) -> tuple[str, Any]:
    """Return the attribute of Annotation for one field, and its value.

    It is cached, because modules repeat each other's lines. docstring-parser gets one line: it would append the
    following paragraph to a field, and fail on a stray colon.
    """
    field_text = f":{' '.join([word, *arguments])}: {text}"
    if typed:
        field_text += f"\n:type {arguments[-1]}: {typed}"
    (meta,) = parse(field_text, style=DocstringStyle.REST).meta
    attribute, reader = FIELDS[word]
    return attribute, reader(meta)


# The pattern ends with a slash, flags and a brace, because the expression may contain braces and slashes
_TAG = re.compile(
    r"\{@(?:pattern\s+/(?P<regex>(?:\\.|(?!\{@)[^\\])*?)/(?P<flags>[A-Za-z]*)|(?P<tag>\w+)(?:\s+(?P<value>[^{}]*))?)\s*\}"
)


def _expect(fits: object, expected: str) -> None:
    if not fits:
        raise AnnotationError(f"expected {expected}")


def _matching(expression: str, expected: str, convert: Callable[..., Any] = str) -> Callable[[str], Any]:
    """Return a reader of text that matches; ``convert`` gets the groups, or the whole text if there are none."""
    compiled = re.compile(expression)

    def read(text: str) -> Any:
        match = compiled.fullmatch(text)
        if not match:
            raise AnnotationError(f"expected {expected}, got {text!r}")
        return convert(*(match.groups() or [text]))

    return read


def _one_of(table: Mapping[str, Any]) -> Callable[[str], Any]:
    """Return a reader of one word of the table, in any case."""

    def read(text: str) -> Any:
        _expect(text.lower() in table, f"{choice_of(table)}{';' if len(table) > 2 else ','} got {text!r}")
        return table[text.lower()]

    return read


def _of_text(reader: Callable[[str], Any]) -> Callable[[DocstringMeta], Any]:
    return lambda meta: reader(" ".join((meta.description or "").split()))


def _url(verb: str, template: str) -> tuple[str, str]:
    template = re.sub(r"(?<![^/]):(\w+)", r"{\1}", template).strip("/")
    _expect(not re.search(r"[{}]", re.sub(r"\{\w+\}", "", template)), "variables written as {name}")
    return verb.upper(), re.sub(r"(?<=\{)\w+(?=\})", lambda match: wire_name(match[0]), template)


def _list(text: str) -> tuple[str, ...]:
    parts = tuple(part.strip() for part in text.split(","))
    _expect(all(parts), "words separated by commas")
    return parts


def _meanings(text: str) -> tuple[tuple[str, str], ...]:
    pairs = [part.replace(":", " ", 1).split(None, 1) for part in _list(text)]
    _expect(all(len(pair) == 2 for pair in pairs), "values with their meanings, such as {@values 0 all, 1 products}")
    return tuple((value, words) for value, words in pairs)


def _deprecated(meta: DocstringMeta) -> str:
    # docstring-parser removes a leading version from the text
    return f"{getattr(meta, 'version', None) or ''} {meta.description or ''}".strip()


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
    return ParameterNote(wire_name(name), text, (type_name or "").lower() or None, **tags)


def _pattern(regex: str, flags: str = "") -> str:
    # The flag u changes nothing: Python's expressions always match Unicode
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
    r"(?=.* )(\w+(?:\|\w+)*)(?: ([^?:\s][^?:]*))?(?:(?: \?(\S+))?: (.+))?",
    "a service, optional states and values, and text, such as orders open|late ?order={id}: Ship it",
    lambda services, states, values, words: AfterNote(
        tuple(services.split("|")), tuple(states.split("|")) if states else (), values or "", words or ""
    ),
)
_some = _matching(r".+", "text")
_number = _matching(r"[-+]?[0-9]+(?:\.[0-9]+)?", "a number", Decimal)
_flag = _one_of({"true": True, "false": False})

#: word of a field → attribute of Annotation, and its reader
FIELDS: dict[str, tuple[str, Callable[[DocstringMeta], Any]]] = {
    "url": ("urls", _of_text(_verb_and_template)),
    "param": ("parameters", _parameter),
    "returns": ("returns", _of_text(str)),
    "raises": ("raises", lambda meta: (meta.args[1], meta.description or "")),
    "permission": ("permission", _of_text(_some)),
    "requires": ("requires", _of_text(_some)),
    "rights": ("rights", _of_text(_list)),
    "access": ("access", _of_text(_one_of({access: access for access in ACCESSES}))),
    "status": ("status", _of_text(_matching("2[0-9][0-9]", "a status from 200 to 299", int))),
    "produces": ("produces", _of_text(_matching(r"[\w.+-]+/[\w.+-]+(?:, ?[\w.+-]+/[\w.+-]+)*", "media types", _list))),
    "body": ("body", _of_text(_matching("[1-9][0-9]{0,9}", "a number of bytes, such as 1048576", int))),
    "header": ("headers", _of_text(_name_and_value)),
    "cache": ("cache", _of_text(_matching("[ -~]+", "a value for Cache-Control in ASCII"))),
    "expires": ("expires", _of_text(_matching("[0-9]{1,10}", "a number of seconds", int))),
    "deprecated": ("deprecated", _deprecated),
    # The rest of the line is for readers
    "strict": ("strict", lambda meta: True),
    "unconditional": ("unconditional", lambda meta: True),
    "after": ("after", _of_text(_after)),
    "idempotency": ("idempotency", _of_text(_one_of({each: each for each in IDEMPOTENCIES}))),
}
SINGLE = (
    "permission", "requires", "rights", "access", "status", "produces", "body", "cache", "expires", "deprecated",
    "strict", "unconditional", "idempotency",
)  # fmt: skip

#: word of an inline tag → attribute of ParameterNote, and its reader
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


_SAME_WORD = {"return": "returns", "throws": "raises", "throw": "raises", "raise": "raises", "except": "raises"}
_SAME_WORD |= {"exception": "raises", "arg": "param", "argument": "param", "parameter": "param"}
#: fields of other tools that look like ours
_FOREIGN = ("rtype", "vartype", "kwtype")
_FIELD = re.compile(r":([\w-]+)(\s[^:]*)?:(.*)")
_AT_LINE = re.compile(r"@([\w-]+):?\s*(.*)")
#: a line of a comment of PHP: its frame, and its text
_FRAMED = re.compile(r"\s*(?:/\*\*+|\*/|\*(?!\*) ?)(.*)")
_AT_PARAM = re.compile(
    r"(?:(?P<type>\{[^{}@]+\}|[^\s<]*<[^<>]*>\S*|[^\s|\[\\?]*[|\[\\?]\S*|\S+(?=\s+[&.]*\$)"
    r"|int|integer|float|double|number|string|str|bool|boolean|array|list|dict|object|mixed)\s+)?"
    r"[&.]*\$?(?P<name>\w+)(?:[:,]|\s|$)\s*(?P<text>.*)"
)
_AT_THROWS = re.compile(r"(?:\S*Exception\s+(?=[0-9]{3}\b))?(?P<name>[^\s:]+):?\s*(?P<text>.*)")


@dataclass
class Line:
    """One field with the lines that continue it; ``source`` is its first line in the docstring."""

    source: str
    word: str
    arguments: list[str]
    text: str


def split_docstring(docstring: str) -> tuple[list[Line], str]:
    """Return the known fields, and the other text with one empty line between paragraphs."""
    lines: list[Line] = []
    prose: list[str] = []
    current: Line | None = None
    for whole in _unframed(inspect.cleandoc(docstring.replace("\r\n", "\n")).split("\n")):
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


def _unframed(lines: list[str]) -> list[str]:
    """Return the lines of a docstring; of a comment copied from PHP, without the ``*`` before each."""
    found = [_FRAMED.fullmatch(line) for line in lines[1:] if line.strip()]
    if not all(found) or not any(match and match[1].startswith(("@", ":")) for match in found):
        return lines
    return [match[1] if (match := _FRAMED.fullmatch(line)) else line for line in lines]


def _start(source: str) -> Line | None:
    """Return the field that begins in this line, or None if it is text."""
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
        # docstring-parser accepts only one word as a type
        last = arguments[-1:] if word == "param" else []
        arguments = [part for part in ("".join(arguments[: len(arguments) - len(last)]), *last) if part]
    elif word in ("raises", "type"):
        if len(arguments) != 1:
            raise AnnotationError(f"{source!r}: expected exactly one name, such as :{word} name: text")
    elif arguments:
        raise AnnotationError(f"{source!r}: expected no name between the colons, such as :{word}: text")
    return Line(source, word, arguments, match[3].strip())


def _expect_no_slip(source: str, word: str) -> None:
    """Reject a misspelt field: without its `:permission:`, a method would be open."""
    meant = get_close_matches(word, [*FIELDS, *_SAME_WORD], 1, 0.8) if word not in _FOREIGN else []
    if meant:
        raise AnnotationError(f"{source!r}: unknown field {word!r}; did you mean {meant[0]!r}?")


def _from_at_style(word: str, text: str) -> str:
    """Return ``@word text`` as a reST field."""
    word = _SAME_WORD.get(word, word)
    if word == "param" and (match := _AT_PARAM.match(text)):
        return f":param {(match['type'] or '').removeprefix('{').removesuffix('}')} {match['name']}: {match['text']}"
    if word == "raises" and (match := _AT_THROWS.match(text)):
        return f":raises {match['name']}: {match['text']}"
    return f":{word}: {text}"


@dataclass(frozen=True)
class Annotation:
    """The annotation of a class or a method, from its docstring.

    - ``urls``: verb and template without outer slashes
    - ``raises``: a status or an error's name, and a text
    - ``produces``: the media types of a `File`
    - ``headers``: a name and a value
    - ``body``: maximum size of the body in bytes
    - ``expires``: seconds
    - ``requires``: the permission that the method itself checks
    - ``strict``: whether unknown fields are rejected
    - ``unconditional``: whether the method ignores `If-Match`
    - ``idempotency``: a word of `IDEMPOTENCIES`
    - ``after``: the records after which the explorer offers the method
    """

    summary: str = ""
    description: str = ""
    urls: tuple[tuple[str, str], ...] = ()
    parameters: Mapping[str, ParameterNote] = field(default_factory=dict)
    returns: str = ""
    raises: tuple[tuple[str, str], ...] = ()
    permission: str | None = None
    requires: str = ""
    rights: tuple[str, ...] = ()
    access: str | None = None
    status: int | None = None
    produces: tuple[str, ...] = ()
    body: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    cache: str | None = None
    expires: int | None = None
    deprecated: str | None = None
    strict: bool = False
    unconditional: bool = False
    idempotency: str | None = None
    after: tuple[AfterNote, ...] = ()

    def over(self, base: Annotation) -> Annotation:
        """Return this annotation with the fields that it lacks taken from that of the overridden method."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        lacking = {name for name, value in values.items() if value == getattr(_NOTHING, name)}
        if self.summary:
            lacking.discard("description")
        if self.permission or self.access:
            lacking -= {"permission", "access"}
        own = {name for name, _ in self.raises}
        merged = {
            "raises": (*self.raises, *(each for each in base.raises if each[0] not in own)),
            "parameters": {**base.parameters, **self.parameters},
        }
        return replace(self, **{name: getattr(base, name) for name in lacking} | merged)


_NOTHING = Annotation()


def read_annotation(docstring: str | None) -> Annotation:
    """Return the annotation in a docstring.

    :raises AnnotationError: a field is invalid
    """
    lines, prose = split_docstring(readable(docstring or ""))
    summary, _, description = prose.partition("\n\n")
    values: dict[str, list[Any]] = {attribute: [] for attribute, _ in FIELDS.values()}
    types = {line.arguments[-1]: line.text for line in lines if line.word == "type"}
    for line in lines:
        if line.word == "type":
            continue
        typed = types.get(line.arguments[-1], "") if line.word == "param" else ""
        try:
            attribute, value = read_field(line.word, tuple(line.arguments), line.text, typed)
            if values[attribute] and attribute in SINGLE:
                raise AnnotationError(f"expected one :{line.word}:, got two")
            if attribute == "parameters" and any(value.name == note.name for note in values[attribute]):
                raise AnnotationError(f"expected one :param {value.name}:, got two")
        except AnnotationError as error:
            raise AnnotationError(f"{line.source!r}: {error}") from error
        values[attribute].append(value)
    single = {attribute: values[attribute][0] for attribute in SINGLE if values[attribute]}
    return Annotation(
        summary=" ".join(summary.split()),
        description=description,
        urls=tuple(values["urls"]),
        parameters={note.name: note for note in values["parameters"]},
        returns=" ".join(values["returns"]),
        raises=tuple(values["raises"]),
        headers=tuple(values["headers"]),
        after=tuple(values["after"]),
        **single,
    )
