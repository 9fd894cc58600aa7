"""A strict reading of HTTP/1.1 (RFC 9112), written from the grammar: which requests a string of bytes holds.

It knows nothing of limits, and takes only what the grammar says; so a server may refuse what it reads, and must not
read what it refuses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_LINE = re.compile(rb"(" + _TOKEN + rb") ([!-~]+) HTTP/1\.([0-9])")
_FIELD = re.compile(rb"(" + _TOKEN + rb"):[ \t]*((?:[\t -~\x80-\xff]*[!-~\x80-\xff])?)[ \t]*")
_QUOTED = rb'"(?:[\t !#-\[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"'
_CHUNK = re.compile(
    rb"([0-9A-Fa-f]+)(?:[ \t]*;[ \t]*" + _TOKEN + rb"(?:[ \t]*=[ \t]*(?:" + _TOKEN + rb"|" + _QUOTED + rb"))?)*"
)


@dataclass(frozen=True)
class Request:
    """One request; a body of None: it does not come to its end."""

    method: bytes
    target: bytes
    body: bytes | None


def requests_of(content):
    """The requests that the bytes begin with, up to the first that is not proper, or not there as a whole."""
    found = []
    at = 0
    while True:
        # One empty line before a request is passed over
        at += 2 if content.startswith(b"\r\n", at) else 0
        end = content.find(b"\r\n\r\n", at)
        if end < 0:
            return found
        read = _head(content[at:end].split(b"\r\n"))
        if read is None:
            return found
        method, target, length, closes = read
        body, at = _body(content, end + 4, length)
        found.append(Request(method, target, body))
        if body is None or closes:
            return found


def _head(lines):
    """Method, target, length of the body (-1: chunked) and whether it is the last request."""
    line = _LINE.fullmatch(lines[0])
    fields = [_FIELD.fullmatch(each) for each in lines[1:]]
    if line is None or not all(fields):
        return None
    values = {}
    for each in fields:
        assert each is not None
        values.setdefault(each[1].lower(), []).append(each[2])
    lengths, codings = values.get(b"content-length", []), values.get(b"transfer-encoding", [])
    hosts = values.get(b"host", [])
    old = line[3] == b"0"
    if len(hosts) > 1 or (lengths and codings) or len(lengths) > 1 or (codings and old):
        return None
    if lengths and not re.fullmatch(rb"[0-9]+", lengths[0]):
        return None
    names = [each.strip(b" \t").lower() for each in b",".join(codings).split(b",")] if codings else []
    if codings and (names[-1] != b"chunked" or names.count(b"chunked") != 1):
        return None
    options = [each.strip(b" \t").lower() for each in b",".join(values.get(b"connection", [])).split(b",")]
    closes = b"close" in options or (old and b"keep-alive" not in options)
    length = -1 if codings else int(lengths[0][-18:]) if lengths else 0
    return line[1], line[2], length, closes


def _body(content, at, length):
    """The body and where it ends; None: it is not proper, or not there as a whole."""
    if length >= 0:
        whole = len(content) >= at + length
        return (content[at : at + length], at + length) if whole else (None, at)
    parts = []
    while True:
        end = content.find(b"\r\n", at)
        chunk = _CHUNK.fullmatch(content[at:end]) if end >= 0 else None
        if chunk is None:
            return None, at
        size, at = int(chunk[1], 16), end + 2
        if size == 0:
            return _trailers(content, at, b"".join(parts))
        if content[at + size : at + size + 2] != b"\r\n":
            return None, at
        parts.append(content[at : at + size])
        at += size + 2


def _trailers(content, at, body):
    while (end := content.find(b"\r\n", at)) > at:
        if not _FIELD.fullmatch(content[at:end]):
            return None, at
        at = end + 2
    return (body, at + 2) if end == at else (None, at)
