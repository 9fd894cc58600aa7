"""Comparison of the installed files with the list in the wheel of the release.

An installed wheel has the list in its `RECORD`, with the SHA-256 of each file. A checkout has no list; use
`git status` there.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Annotated, TypedDict

from core import NotFound
from core.for_natives import VERSION

PACKAGES = ("core", "explorer", "modules")
#: the folder of the packages
ROOT = Path(__file__).resolve().parents[2]
#: files that Python and the system create
_LEFT = ("__pycache__",)


class Integrity(TypedDict):
    """What became of the files of the release."""

    resultcode: Annotated[str, "ok: all files match the release; ko: some differ"]
    resultcomment: Annotated[str, "the result in words"]
    version: Annotated[str, "release of the server"]
    expectedchecksum: Annotated[str, "SHA-256 over names and sums of the files of the release"]
    currentchecksum: Annotated[str, "the same checksum of the installed files"]
    files: Annotated[int, "number of files in the release"]
    changed: Annotated[list[str], "files whose content differs from the release"]
    missing: Annotated[list[str], "files that do not exist or can't be read"]
    unexpected: Annotated[list[str], "files that are not in the release"]
    added_modules: Annotated[list[str], "modules that were added to the built-in ones; not an error"]


def check_integrity(expected: Mapping[str, str] | None = None, root: Path = ROOT) -> Integrity:
    """Compare the installed files with those of the release.

    :param expected: path below the root → SHA-256; None: the release's own list
    :raises NotFound: the release has no list of files, as in a checkout
    """
    expected = release_files(root) if expected is None else expected
    present = dict(_present(root))
    native = {_module(path) for path in expected}
    added = sorted({name for path in present if (name := _module(path)) and name not in native})
    current = {path: sum for path, sum in present.items() if _module(path) not in added}
    changed = sorted(path for path, sum in expected.items() if path in current and current[path] != sum)
    missing = sorted(expected.keys() - current.keys())
    unexpected = sorted(current.keys() - expected.keys())
    faults = len(changed) + len(missing) + len(unexpected)
    told = f"{len(changed)} changed, {len(missing)} missing, {len(unexpected)} unexpected"
    return {
        "resultcode": "ko" if faults else "ok",
        "resultcomment": told if faults else f"all {len(expected)} files match the release",
        "version": VERSION,
        "expectedchecksum": _sum_of(expected),
        "currentchecksum": _sum_of(current),
        "files": len(expected),
        "changed": changed,
        "missing": missing,
        "unexpected": unexpected,
        "added_modules": added,
    }


def release_files(root: Path = ROOT) -> dict[str, str]:
    """Return path below the root → SHA-256 of each file of the release.

    :raises NotFound: the release has no list of files
    """
    try:
        installed = metadata.distribution("comptoir")
    except metadata.PackageNotFoundError:
        files = []
    else:
        files = (installed.files or []) if Path(str(installed.locate_file(""))).resolve() == root else []
    known = {
        file.as_posix(): _as_hex(file.hash.value)
        for file in files
        if file.hash is not None and file.hash.mode == "sha256" and _belongs(file.parts)
    }
    if not known:
        raise NotFound(
            "the list of released files is missing because this is not an installed package; use git status instead"
        )
    return known


def _present(root: Path) -> Iterator[tuple[str, str]]:
    for package in PACKAGES:
        for file in sorted((root / package).rglob("*")):
            parts = file.relative_to(root).parts
            if _belongs(parts) and file.is_file():
                try:
                    yield "/".join(parts), hashlib.sha256(file.read_bytes()).hexdigest()
                except OSError:
                    continue


def _belongs(parts: tuple[str, ...]) -> bool:
    return parts[0] in PACKAGES and not {*parts} & {*_LEFT}


def _module(path: str) -> str:
    """Return the name of the module that contains a path; empty for other files."""
    first, _, rest = path.partition("/")
    name, _, inside = rest.partition("/")
    return name if first == "modules" and inside else ""


def _as_hex(encoded: str) -> str:
    """Convert a checksum from RECORD, which is Base64 without padding, to hexadecimal."""
    return base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).hex()


def _sum_of(files: Mapping[str, str]) -> str:
    text = "\n".join(f"{path} {sum}" for path, sum in sorted(files.items()))
    return hashlib.sha256(text.encode()).hexdigest()
