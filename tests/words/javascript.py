"""The strings and comments of JavaScript."""

import re

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)"""
    r"""|(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
    r"""|(?P<tick>`)"""
    r"""|(?P<regex>(?<=[(,=:\[!&|?{};\n])(?<!\*/)\s*/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*)"""
    r"""|(?P<open>\{)|(?P<close>\})""",
    re.S,
)
_COMMENT = re.compile(r"^\s*(?://+|/\*+|\*+/?)|\*/\s*$", re.M)
_ESCAPE = re.compile(r"\\(.)", re.S)


def read_javascript(source):
    """Yield ("comment" or "string", line, text); a hole of a template literal becomes ``{}``."""
    yield from _read(source, 0, [])


def _read(source, position, ends):
    """Read code from a position, to the brace that closes it if `ends` is to hold where it ends."""
    depth, inner = 0, bool(ends)
    comment = (0, [])
    while found := _TOKEN.search(source, position):
        position = found.end()
        line = source.count("\n", 0, found.start()) + 1
        kind = found.lastgroup
        if kind == "comment":
            text = _COMMENT.sub("", found[0]).strip()
            first, lines = comment
            if lines and line == first + len(lines) and found[0].startswith("//"):
                lines.append(text)
            else:
                if lines:
                    yield "comment", first, " ".join(lines)
                comment = (line, [text])
        elif kind == "string":
            yield "string", line, _ESCAPE.sub(r"\1", found[0][1:-1])
        elif kind == "tick":
            position, nested = _template(source, position)
            yield from nested
        elif kind == "open":
            depth += 1
        elif kind == "close":
            if inner and not depth:
                ends.append(position)
                break
            depth -= 1
    if comment[1]:
        yield "comment", comment[0], " ".join(comment[1])


def _template(source, position):
    """Return where a template literal ends, its text, and the strings in its holes."""
    line, pieces, nested = source.count("\n", 0, position) + 1, [], []
    while position < len(source) and source[position] != "`":
        if source.startswith("${", position):
            ends = [position]
            nested += _read(source, position + 2, ends)
            position = ends[-1] if len(ends) > 1 else len(source)
            pieces.append("{}")
        elif source[position] == "\\":
            pieces.append(source[position + 1 : position + 2])
            position += 2
        else:
            pieces.append(source[position])
            position += 1
    return position + 1, [("string", line, "".join(pieces)), *nested]
