"""The texts of a file: what a person reads of it, by kind and without the code.

A text is one line: lines that a paragraph is wrapped in are joined, code becomes `x`, a hole of an f-string ``{}``.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from dataclasses import dataclass, field

from .javascript import read_javascript

KINDS = ("pages", "messages", "help", "api", "docstrings", "comments", "script", "templates")


@dataclass
class Text:
    """A text, its kind, and the lines of the file that it is made of."""

    kind: str
    text: str
    #: where in the text each line begins, and its number in the file
    starts: list[int] = field(default_factory=lambda: [0])
    lines: list[int] = field(default_factory=lambda: [1])
    #: a cell of a table
    cell: bool = False

    def line(self, position):
        """Return the line of the file that holds the position of the text."""
        return self.lines[bisect_right(self.starts, position) - 1]


def read_texts(path):
    """Return the texts of a file; none for a file of another kind."""
    reader = _READERS.get(path.suffix)
    try:
        return list(reader(path, path.read_text(encoding="utf-8"))) if reader else []
    except (OSError, UnicodeDecodeError, SyntaxError):
        return []


# Markdown

_FENCE = re.compile(r"^\s*(```|~~~)")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_HEAD = re.compile(r"^\s*#{1,6}\s+")
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_PIPE = re.compile(r"(?<!\\)\|")
_FRONT = re.compile(r"---\n.*?\n---\n", re.S)
_RULE = re.compile(r"^[\s|:+=-]+$")
_MARKS = re.compile(r"\*\*|(?<!\w)[*_](?=\w)|(?<=[\w.,:;])[*_](?!\w)|<!--.*?-->|</?[a-z][^>]*>")


def plain(text):
    """Return a text without its markup; code becomes `x`, a status stays."""
    text = _CODE.sub(lambda found: found[2] if found[2].isdigit() else "`x`", text)
    return _MARKS.sub("", _LINK.sub(r"\1", text))


class _Block:
    """Lines of one paragraph, joined."""

    def __init__(self, kind):
        self.kind = kind
        self._lines = []

    def add(self, number, line):
        self._lines.append((number, line.strip()))

    def end(self):
        # Code may be wrapped: it is taken out of the whole, and each line keeps about its place
        raw = " ".join(line for _, line in self._lines)
        text = plain(raw).strip()
        if text:
            scale, starts, position = len(text) / len(raw), [0], 0
            for _, line in self._lines[:-1]:
                position += len(line) + 1
                starts.append(int(position * scale))
            yield Text(self.kind, text, starts, [number for number, _ in self._lines])
        self._lines = []


def _markdown(_, source):
    """Yield the paragraphs, list items, headings and table cells of a page."""
    block, fence, blank, listed = _Block("pages"), "", True, False
    head = _FRONT.match(source)
    for number, line in enumerate(source.splitlines(), 1):
        if head and number <= head[0].count("\n"):
            # A page of the guide: of its head only the summary is shown
            if line.startswith("summary: "):
                yield Text("pages", plain(line.removeprefix("summary: ")), lines=[number])
            continue
        found = _FENCE.match(line)
        if line.strip() and line[0] != " ":
            listed = bool(_BULLET.match(line))
        if found and fence in ("", found[1]):
            yield from block.end()
            fence = "" if fence else found[1]
        elif fence or (line[:4] == "    " and blank and not listed):
            continue
        elif not line.strip() or (_RULE.match(line) and "-" in line):
            yield from block.end()
        elif line.lstrip().startswith("|"):
            yield from block.end()
            for cell in _PIPE.split(line.strip())[1:-1]:
                block.add(number, cell)
                for text in block.end():
                    text.cell = True
                    yield text
        elif _HEAD.match(line) or _BULLET.match(line):
            yield from block.end()
            block.add(number, _BULLET.sub("", _HEAD.sub("", line)))
            if _HEAD.match(line):
                yield from block.end()
        else:
            block.add(number, line)
        blank = not line.strip()
    yield from block.end()


# Python

_FIELD = re.compile(r"^\s*:[a-z]+(?: [^:]*)?:\s*")
_CODE_LIKE = re.compile(
    r"^\s*(?:SELECT|CASE|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH|PRAGMA|SET|SHOW|GRANT|LOCK|BEGIN|COMMIT|ROLLBACK)\b"
    r"|\\[bdswWSD]|\(\?[:!<=P]|^<\w|\[\^"
)


def _python(path, source):
    tree = ast.parse(source)
    api = "/class/api_" in path.as_posix() or path.as_posix().endswith("modules/commercial/api.py")
    docstrings = set()
    quoted = set()
    helps = set()
    spans = {}
    strings = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _docstring(node, api, docstrings)
        elif isinstance(node, ast.JoinedStr):
            strings.append(node)
            docstrings.update(id(each) for each in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            strings.append(node)
        elif isinstance(node, ast.keyword) and node.arg in ("dolibarr", "help"):
            within = {id(each) for each in ast.walk(node.value)}
            (quoted if node.arg == "dolibarr" else helps).update(within)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            # A docstring of an attribute, or nothing that is read
            docstrings.add(id(node.value))
    for node in strings:
        if isinstance(node, ast.Constant | ast.JoinedStr):
            _span(node, spans)
            if id(node) not in docstrings and id(node) not in quoted:
                text = _literal(node)
                if " " in text.strip() and not _CODE_LIKE.search(text):
                    kind = "help" if id(node) in helps else "messages"
                    yield Text(kind, plain(" ".join(text.split())), lines=[node.lineno])
    yield from _comments(source, spans)


def _docstring(node, api, seen):
    first = node.body[0] if node.body else None
    if not (isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)):
        return
    constant = first.value
    if not isinstance(constant.value, str):
        return
    seen.add(id(constant))
    kind = "docstrings"
    if isinstance(node, ast.FunctionDef) and any(_is_command(each) for each in node.decorator_list):
        kind = "help"
    elif api and not isinstance(node, ast.Module) and not node.name.startswith("_"):
        kind = "api"
    block, code = _Block(kind), False
    for number, line in enumerate(constant.value.splitlines(), constant.lineno):
        if not line.strip():
            yield from block.end()
        elif line.lstrip().startswith((">>>", "...", "|")) or _FENCE.match(line):
            code = not code if _FENCE.match(line) else code
            yield from block.end()
        elif code:
            continue
        elif _FIELD.match(line) or _BULLET.match(line):
            yield from block.end()
            block.add(number, _FIELD.sub("", _BULLET.sub("", line)))
        else:
            block.add(number, line)
    yield from block.end()


def _is_command(decorator):
    """Return whether a decorator makes a command of click: `@group.command()`, `@click.group()`."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Attribute) and called.attr in ("command", "group")


def _literal(node):
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in node.values)


def _span(node, spans):
    """Note the columns, in bytes, that a string takes on each of its lines."""
    last = node.end_lineno or node.lineno
    for line in range(node.lineno, last + 1):
        begin = node.col_offset if line == node.lineno else 0
        end = (node.end_col_offset or 0) if line == last else 1 << 30
        spans.setdefault(line, []).append((begin, end))


_TOOL = re.compile(r"^(?:!|noqa|type:|pragma|fmt:|ruff:|mypy:)")


def _comments(source, spans):
    """Yield the comments: lines of comments that follow each other are one text."""
    block, last = _Block("comments"), -1
    for number, line in enumerate(source.splitlines(), 1):
        at = _comment_column(line, spans.get(number, [])) if "#" in line else -1
        text = line[at:].lstrip("#: ") if at >= 0 else ""
        if not text or _TOOL.match(text):
            continue
        if number != last + 1 or line[:at].strip():
            yield from block.end()
        block.add(number, text)
        last = number if not line[:at].strip() else -1
    yield from block.end()


def _comment_column(line, spans):
    at = line.find("#")
    while at >= 0:
        place = len(line[:at].encode())
        if not any(begin <= place < end for begin, end in spans):
            return at
        at = line.find("#", at + 1)
    return -1


# JavaScript, templates


def _script(_, source):
    for kind, number, text in read_javascript(source):
        words = " ".join(text.split())
        if kind == "comment":
            yield Text("comments", plain(words), lines=[number])
        elif " " in words and not _CODE_LIKE.search(words):
            yield Text("script", plain(words), lines=[number])


_JINJA = re.compile(r"\{[%#].*?[%#]\}", re.S)
_HOLE = re.compile(r"\{\{.*?\}\}", re.S)
_TAG = re.compile(r"<(script|style)\b.*?</\1>|<!--.*?-->|</?(?!code\b|b\b|a\b|em\b|span\b)[a-z][^>]*>", re.S)
_INLINE = re.compile(r"</?[a-z][^>]*>")
_SHOWN = re.compile(r'(?:placeholder|title|alt|aria-label|content)="([^"]*)"')


def _template(_, source):
    def blank(found):
        return "\n" * found[0].count("\n")

    source = _HOLE.sub("{}", _JINJA.sub(blank, source))
    for found in _SHOWN.finditer(source):
        if " " in found[1]:
            yield Text("templates", found[1], lines=[source.count("\n", 0, found.start()) + 1])
    parted = _TAG.sub(lambda found: "\0" + blank(found), source)
    number = 1
    for piece in parted.split("\0"):
        text = " ".join(_INLINE.sub("", re.sub(r"<code>.*?</code>", "`x`", piece, flags=re.S)).split())
        if text:
            skipped = len(piece) - len(piece.lstrip())
            yield Text("templates", text, lines=[number + piece.count("\n", 0, skipped)])
        number += piece.count("\n")


_READERS = {".md": _markdown, ".py": _python, ".js": _script, ".html": _template}
