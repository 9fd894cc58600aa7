"""What a docstring says of a route: its templates, its parameters' limits, the right it needs, its answer.

The fields are reST; a line in the reference system's style (``@url GET {id}``) is rewritten to a field first.
A docstring that cannot be read raises :class:`AnnotationError`, so that a typing error is never a missing limit.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from docstring_parser import DocstringMeta, DocstringParam, DocstringStyle, parse
from docstring_parser.common import DocstringDeprecated

VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
ACCESSES = ("public", "hybrid", "protected", "private")
_KINDS = "timestamp date datetime time email url ip tel color alpha alphanumeric hex uuid printable"
KINDS = (*_KINDS.split(), "int", "float", "string", "bool")
PLACES = {"path": "path", "url": "path", "query": "query", "body": "body", "head": "head"}


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
class Annotation:
    """What a docstring says of a class or a method.

    ``urls`` are verb and template without outer slashes, ``raises`` a status or an error's name and a text,
    ``headers`` a name and a value, ``expires`` seconds.
    """

    summary: str = ""
    description: str = ""
    urls: tuple[tuple[str, str], ...] = ()
    parameters: Mapping[str, ParameterNote] = field(default_factory=dict)
    returns: str = ""
    raises: tuple[tuple[str, str], ...] = ()
    permission: str | None = None
    rights: tuple[str, ...] = ()
    access: str | None = None
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    cache: str | None = None
    expires: int | None = None
    deprecated: str | None = None


def readable(text: str) -> str:
    """A text that can be answered: with question marks for halves of letters, as names of files and errors may hold."""
    return text.encode(errors="replace").decode()


def read_annotation(docstring: str | None) -> Annotation:
    """Everything the docstring says; raises AnnotationError where it cannot be read."""
    lines, prose = _split(readable(docstring or ""))
    summary, _, description = prose.partition("\n\n")
    values: dict[str, list[Any]] = {attribute: [] for attribute, _ in _READERS.values()}
    types = {line.arguments[-1]: line.text for line in lines if line.word == "type"}
    for line in lines:
        if line.word == "type":
            continue
        typed = types.get(line.arguments[-1], "") if line.word == "param" else ""
        try:
            attribute, value = _read_field(line.word, tuple(line.arguments), line.text, typed)
            if values[attribute] and attribute in _SINGLE:
                raise AnnotationError(f"expected :{line.word}: only once")
            if attribute == "parameters" and any(value.name == note.name for note in values[attribute]):
                raise AnnotationError(f"expected the parameter {value.name} only once")
        except AnnotationError as error:
            raise AnnotationError(f"{line.source!r}: {error}") from error
        values[attribute].append(value)
    single = {attribute: values[attribute][0] for attribute in _SINGLE if values[attribute]}
    return Annotation(
        summary=" ".join(summary.split()),
        description=description,
        urls=tuple(values["urls"]),
        parameters={note.name: note for note in values["parameters"]},
        returns=" ".join(values["returns"]),
        raises=tuple(values["raises"]),
        headers=tuple(values["headers"]),
        **single,
    )


@lru_cache(maxsize=16384)
def _read_field(word: str, arguments: tuple[str, ...], text: str, typed: str) -> tuple[str, Any]:
    """The attribute of Annotation that one field fills, and its value. Modules repeat each other's lines: kept.

    docstring-parser gets one line: it would glue what follows a field to it, and stumble on a stray colon.
    """
    field_text = f":{' '.join([word, *arguments])}: {text}"
    if typed:
        field_text += f"\n:type {arguments[-1]}: {typed}"
    (meta,) = parse(field_text, style=DocstringStyle.REST).meta
    attribute, reader = _READERS[word]
    return attribute, reader(meta)


# --- lines -----------------------------------------------------------------------------------------------------

_SAME_WORD = {"return": "returns", "throws": "raises", "throw": "raises", "raise": "raises", "except": "raises"}
_SAME_WORD |= {"exception": "raises", "arg": "param", "argument": "param", "parameter": "param"}
#: fields of others that look like ours
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
class _Line:
    """One field with the lines that continue it; ``source`` is its first line as the author wrote it."""

    source: str
    word: str
    arguments: list[str]
    text: str


def _split(docstring: str) -> tuple[list[_Line], str]:
    """The known fields, and the prose before and after them with one empty line between paragraphs."""
    lines: list[_Line] = []
    prose: list[str] = []
    current: _Line | None = None
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
    known = [line for line in lines if line.word in _READERS or line.word == "type"]
    return known, re.sub(r"\n{3,}", "\n\n", "\n".join(prose).strip("\n"))


def _start(source: str) -> _Line | None:
    """The field that begins in this line, or None when it is plain text."""
    if not source.startswith((":", "@")) or source.startswith("::"):
        return None
    at_line = _AT_LINE.match(source)
    rewritten = _from_at_style(at_line[1].lower(), at_line[2]) if at_line else source
    if not rewritten.startswith(":"):
        return None
    match = _FIELD.match(rewritten)
    if not match:
        raise AnnotationError(f"{source!r}: expected a field such as :name: text, with a second colon")
    word = _SAME_WORD.get(match[1].lower(), match[1].lower())
    arguments = (match[2] or "").split()
    if word not in _READERS and word != "type":
        # An unknown field needs the space after its second colon: :class:`Card` and (t.name:like:'x') are text.
        if match[3][:1].strip():
            return None
        _expect_no_slip(source, word)
        return _Line(source, word, [], "")
    if word in ("param", "raises") and not arguments:
        raise AnnotationError(f"{source!r}: expected a name, as in :{word} name: text")
    if word in ("param", "returns"):
        # docstring-parser takes a type of one word only.
        last = arguments[-1:] if word == "param" else []
        arguments = [part for part in ("".join(arguments[: len(arguments) - len(last)]), *last) if part]
    elif len(arguments) != (word in ("raises", "type")):
        raise AnnotationError(f"{source!r}: expected :{word}: text, or one name for :raises name: and :type name:")
    return _Line(source, word, arguments, match[3].strip())


def _expect_no_slip(source: str, word: str) -> None:
    """A known field written wrongly must not pass for a foreign one: without its `:permission:` a method is open."""
    meant = get_close_matches(word, [*_READERS, *_SAME_WORD], 1, 0.8) if word not in _FOREIGN else []
    if meant:
        raise AnnotationError(f"{source!r}: there is no field {word!r}, did you mean {meant[0]!r}?")


def _from_at_style(word: str, text: str) -> str:
    """``@word text`` as a reST field."""
    word = _SAME_WORD.get(word, word)
    if word == "param" and (match := _AT_PARAM.match(text)):
        return f":param {(match['type'] or '').removeprefix('{').removesuffix('}')} {match['name']}: {match['text']}"
    if word == "raises" and (match := _AT_THROWS.match(text)):
        return f":raises {match['name']}: {match['text']}"
    return f":{word}: {text}"


# --- fields ----------------------------------------------------------------------------------------------------

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
            raise AnnotationError(f"expected {expected}, not {text!r}")
        return convert(*(match.groups() or [text]))

    return read


def _one_of(table: Mapping[str, Any]) -> Callable[[str], Any]:
    """A reader of one word of the table, in any case."""

    def read(text: str) -> Any:
        _expect(text.lower() in table, f"one of {', '.join(table)}, not {text!r}")
        return table[text.lower()]

    return read


def _of_text(reader: Callable[[str], Any]) -> Callable[[DocstringMeta], Any]:
    return lambda meta: reader(" ".join((meta.description or "").split()))


def _url(verb: str, template: str) -> tuple[str, str]:
    template = re.sub(r"(?<![^/]):(\w+)", r"{\1}", template).strip("/")
    _expect(not re.search(r"[{}]", re.sub(r"\{\w+\}", "", template)), "variables written {name}")
    return verb.upper(), template


def _list(text: str) -> tuple[str, ...]:
    parts = tuple(part.strip() for part in text.split(","))
    _expect(all(parts), "words with a comma between them")
    return parts


def _meanings(text: str) -> tuple[tuple[str, str], ...]:
    pairs = [part.replace(":", " ", 1).split(None, 1) for part in _list(text)]
    _expect(all(len(pair) == 2 for pair in pairs), "values and what they mean, as in {@values 0 all, 1 products}")
    return tuple((value, words) for value, words in pairs)


def _deprecated(meta: DocstringMeta) -> str:
    # docstring-parser takes a leading version out of the text.
    version = meta.version if isinstance(meta, DocstringDeprecated) else None
    return f"{version or ''} {meta.description or ''}".strip()


def _parameter(meta: DocstringMeta) -> ParameterNote:
    name = meta.args[-1].lstrip("$*")
    _expect(name.isidentifier(), "a parameter's name, as in :param name: text")
    tags: dict[str, Any] = {}

    def take(match: re.Match[str]) -> str:
        tag = (match["tag"] or "pattern").lower()
        _expect(tag in _TAGS, f"one of the tags {', '.join(_TAGS)}, not {{@{tag}}}")
        attribute, reader = _TAGS[tag]
        _expect(attribute not in tags, f"{{@{tag}}} only once")
        value = (match["value"] or "").strip()
        tags[attribute] = reader(value) if match["tag"] else _pattern(match["regex"], match["flags"])
        return " "

    text = " ".join(_TAG.sub(take, meta.description or "").split())
    _expect("{@" not in text, "a tag such as {@min 1}, closed and without braces inside")
    if "minimum" in tags and "maximum" in tags:
        _expect(tags["minimum"] <= tags["maximum"], "{@min} not above {@max}")
    type_name = meta.type_name if isinstance(meta, DocstringParam) else None
    return ParameterNote(name, text, (type_name or "").lower() or None, **tags)


def _pattern(regex: str, flags: str = "") -> str:
    # The flag u changes nothing: Python's expressions always read Unicode.
    _expect(regex and set(flags) <= {"i", "u"}, "{@pattern /expression/}, with no flag but i")
    pattern = f"(?i){regex}" if "i" in flags else regex
    try:
        re.compile(pattern)
    except (re.error, ValueError, OverflowError, RecursionError) as error:
        raise AnnotationError(f"expected a regular expression in {{@pattern}}: {error}") from error
    return pattern


_verb_and_template = _matching(rf"(?i)({'|'.join(VERBS)}) (\S+)", f"one of {', '.join(VERBS)} and a template", _url)
_name_and_value = _matching(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([ -~]+)", "Name: value in ASCII", lambda *pair: pair)
_some = _matching(r".+", "a text")
_number = _matching(r"[-+]?[0-9]+(?:\.[0-9]+)?", "a number", Decimal)
_flag = _one_of({"true": True, "false": False})

# The word of a field -> the attribute of Annotation it fills, and what reads it.
_READERS: dict[str, tuple[str, Callable[[DocstringMeta], Any]]] = {
    "url": ("urls", _of_text(_verb_and_template)),
    "param": ("parameters", _parameter),
    "returns": ("returns", _of_text(str)),
    "raises": ("raises", lambda meta: (meta.args[1], meta.description or "")),
    "permission": ("permission", _of_text(_some)),
    "rights": ("rights", _of_text(_list)),
    "access": ("access", _of_text(_one_of({access: access for access in ACCESSES}))),
    "status": ("status", _of_text(_matching("2[0-9][0-9]", "a status of success, 200 to 299", int))),
    "header": ("headers", _of_text(_name_and_value)),
    "cache": ("cache", _of_text(_matching("[ -~]+", "a value for Cache-Control in ASCII"))),
    "expires": ("expires", _of_text(_matching("[0-9]{1,10}", "a number of seconds", int))),
    "deprecated": ("deprecated", _deprecated),
}
_SINGLE = ("permission", "rights", "access", "status", "cache", "expires", "deprecated")

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
