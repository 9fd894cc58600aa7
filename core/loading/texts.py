"""Reading the translated texts of a module: ``texts/<language>.po``, as gettext's tools write them."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from .importing import LoadError
from .module_files import read_text

_LINE = re.compile(r'\s*(#.*|((msgctxt|msgid|msgid_plural|msgstr(\[\d+\])?)\s*)?"([^"\\]|\\.)*"\s*|)')


def read_texts(file: Path) -> Mapping[tuple[str, str], str]:
    """Return the texts of a file: context and English text → translation. Untranslated ones are left out.

    :raises ValueError: a line isn't UTF-8
    :raises LoadError: the file isn't named after a language, or has a line that gettext's tools would not accept
    """
    # The workers' reloads and the servers of tests read the same text again
    return _read(read_text(file), file.name)


@lru_cache(maxsize=256)
def _read(content: str, name: str) -> Mapping[tuple[str, str], str]:
    # Loaded only if it is needed
    from babel import localedata
    from babel.messages.pofile import PoFileError, read_po

    if not localedata.exists(name.removesuffix(".po")):
        raise LoadError(f"expected the file to be named after a known language code, such as sv.po; got {name}")
    lines = content.splitlines()
    for number, line in enumerate(lines, 1):
        # Babel would shorten a text without its last quote
        if not _LINE.fullmatch(line):
            raise LoadError(f"line {number}: expected a keyword such as msgid and text in quotes, got {line:.60}")
    try:
        read = read_po(lines, abort_invalid=True)
        codecs.lookup(read.charset or "utf-8")
    except PoFileError as error:
        raise LoadError(f"line {error.lineno + 1}: {str(error).rpartition(' on ')[0]}") from error
    except LookupError as error:
        raise LoadError(str(error)) from error
    # A text with a plural has a pair as its ID
    texts = [each for each in read if isinstance(each.id, str) and each.id and each.string]
    return {(each.context or "", each.id): each.string for each in texts}
