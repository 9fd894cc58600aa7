"""The manifest of a backup: `manifest.json`, written last, and `SHA256SUMS`, which `sha256sum -c` can check."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .endpoint import TransferError
from .tables import Totals

MANIFEST, SUMS, DATABASE, FILES = "manifest.json", "SHA256SUMS", "database.db", "files"

#: version of the folder's format; programs reject any other
FORMAT = 2


@dataclass(frozen=True)
class Manifest:
    """The contents of a backup.

    :param made: its instant, in UTC
    :param kind: the kind of the source database
    :param tables: table → its totals
    :param missing: files that rows reference and that don't exist
    """

    version: str
    made: str
    kind: str
    tables: dict[str, Totals]
    files: int
    bytes: int
    missing: list[str] = field(default_factory=list)
    format: int = FORMAT


def write_manifest(folder: Path, manifest: Manifest, digests: Mapping[str, str]) -> None:
    """Finish a backup.

    :param digests: path in the folder → SHA-256
    """
    _write(folder / SUMS, "".join(f"{_line(digest, path)}\n" for path, digest in sorted(digests.items())))
    _write(folder / MANIFEST, json.dumps(asdict(manifest), indent=1, ensure_ascii=False, default=str) + "\n")


def _write(file: Path, text: str) -> None:
    part = file.with_suffix(".part")
    with part.open("w", encoding="utf-8") as written:
        written.write(text)
        written.flush()
        os.fsync(written.fileno())
    part.replace(file)


def _line(digest: str, path: str) -> str:
    """A line as `sha256sum` writes it."""
    escaped = path.replace("\\", "\\\\").replace("\n", "\\n")
    return f"{'' if escaped == path else chr(92)}{digest}  {escaped}"


def read_manifest(folder: Path) -> tuple[Manifest, dict[str, str]]:
    """Return a backup's manifest and its digests.

    :raises TransferError: the folder isn't a complete backup, or a later version made it
    """
    try:
        told = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        lines = (folder / SUMS).read_text(encoding="utf-8").split("\n")[:-1]
    except FileNotFoundError as error:
        raise TransferError(
            f"{folder} is not a complete backup: {Path(str(error.filename)).name} is missing"
        ) from error
    except ValueError as error:
        raise TransferError(f"{folder}: {MANIFEST} can't be read: {error}") from error
    if not isinstance(told, dict) or not isinstance(told.get("format"), int):
        raise TransferError(f"{folder}: {MANIFEST} is not the manifest of a backup")
    if told["format"] != FORMAT:
        version = "a newer version of Comptoir" if told["format"] > FORMAT else "the version that made it"
        raise TransferError(f"{folder}: expected backup format {FORMAT}, got {told['format']}; use {version}")
    tables = {name: Totals(**each) for name, each in told["tables"].items()}
    return Manifest(**{**told, "tables": tables}), dict(map(_parse, lines))


def _parse(line: str) -> tuple[str, str]:
    digest, _, path = line.removeprefix("\\").partition("  ")
    if line.startswith("\\"):
        path = path.replace("\\n", "\n").replace("\\\\", "\\")
    return path, digest
