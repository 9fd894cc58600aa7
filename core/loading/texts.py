"""Reading the translated texts of a module: ``texts/<language>.po``, as gettext's tools write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from io import BytesIO
from pathlib import Path

from babel import Locale, UnknownLocaleError
from babel.messages.pofile import PoFileError, read_po

from .importing import LoadError
from .module_files import read_source

#: a line of such a file; Babel reads over what is not one
_LINE = re.compile(r'#.*|((msgctxt|msgid|msgid_plural|msgstr(\[\d+\])?)\s*)?"([^"\\]|\\.)*"|')


def read_texts(file: Path) -> Mapping[tuple[str, str], str]:
    """The texts of a file: context and English text → translation. What is not translated yet is left out.

    :raises LoadError: it is not named like a language, or is not what gettext's tools would read; says where
    """
    try:
        Locale(file.stem)
    except UnknownLocaleError as error:
        raise LoadError(
            f"expected the file to be named after a known language code, such as sv.po; got {file.name}"
        ) from error
    # The same bytes are read again and again: by each worker's reloads, by every server that a test starts
    return _read(read_source(file), file.stem)


@lru_cache(maxsize=256)
def _read(content: bytes, language: str) -> Mapping[tuple[str, str], str]:
    try:
        lines = content.decode().splitlines()
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise LoadError(f"line {number} is not UTF-8") from error
    for number, line in enumerate(lines, 1):
        if not _LINE.fullmatch(line.strip()):
            raise LoadError(f"line {number}: expected a keyword such as msgid and text in quotes, got {line:.60}")
    try:
        messages = read_po(BytesIO(content), locale=language, abort_invalid=True)
    except PoFileError as error:
        raise LoadError(f"line {error.lineno + 1}: {str(error).removesuffix(f' on {error.lineno}')}") from error
    except (LookupError, ValueError) as error:
        raise LoadError(str(error)) from error
    return {
        (message.context or "", message.id): message.string
        for message in messages
        if isinstance(message.id, str) and isinstance(message.string, str) and message.id and message.string
    }
