"""Reading the translated texts of a module: ``texts/<language>.po``, as gettext's tools write them."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from .importing import LoadError
from .module_files import read_text

_LINE = re.compile(r'#.*|(?:(msgctxt|msgid|msgid_plural|msgstr(?:\[\d+\])?)\s*)?"((?:[^"\\]|\\.)*)"|')
_ESCAPED = re.compile(r'\\([\\"ntr])')
_CHARACTERS = {"n": "\n", "t": "\t", "r": "\r"}


def read_texts(file: Path) -> Mapping[tuple[str, str], str]:
    """Return the texts of a file: context and English text → translation. Untranslated ones are left out.

    :raises ValueError: a line isn't UTF-8
    :raises LoadError: the file isn't named after a language, or has a line that gettext's tools would not accept
    """
    # The workers' reloads and the servers of tests read the same text again
    return _read(read_text(file), file.name)


@lru_cache(maxsize=256)
def _read(content: str, name: str) -> Mapping[tuple[str, str], str]:
    if not _is_language(name.removesuffix(".po")):
        raise LoadError(f"expected the file to be named after a known language code, such as sv.po; got {name}")
    found: dict[tuple[str, str], str] = {}
    for number, entry in _entries(content.splitlines()):
        if not any(keyword.startswith("msgstr") for keyword in entry):
            raise LoadError(f"line {number}: missing msgstr for msgid {entry['msgid']!r}")
        if "msgid_plural" not in entry:
            found.setdefault((entry.get("msgctxt", ""), entry["msgid"]), entry.get("msgstr", ""))
    charset = re.search(r"charset=(\S+)", found.pop(("", ""), ""))
    try:
        codecs.lookup(charset[1] if charset else "utf-8")
    except LookupError as error:
        raise LoadError(str(error)) from error
    return {texts: translation for texts, translation in found.items() if translation}


def _entries(lines: list[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each entry: the number of the line with its msgid, and keyword → text."""
    entry: dict[str, str] = {}
    begun, keyword = 0, ""
    for number, line in enumerate(map(str.strip, (*lines, "#")), 1):
        match = _LINE.fullmatch(line)
        starts = match is not None and (line.startswith("#") or match[1] in ("msgctxt", "msgid"))
        if starts and "msgid" in entry:
            yield begun, entry
            entry, keyword = {}, ""
        if not match or (line.startswith('"') and not keyword):
            raise LoadError(f"line {number}: expected a keyword such as msgid and text in quotes, got {line:.60}")
        keyword = match[1] or keyword
        begun = number if match[1] == "msgid" else begun
        if match[2] is not None:
            text = _ESCAPED.sub(lambda found: _CHARACTERS.get(found[1], found[1]), match[2])
            entry[keyword] = text if match[1] else entry[keyword] + text


def _is_language(code: str) -> bool:
    from babel import localedata

    return bool(localedata.exists(code))
