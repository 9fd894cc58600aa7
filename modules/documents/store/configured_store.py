"""The store of the configuration, as ``COMPTOIR_DOCUMENTS`` says. A path in it is ``<type of record>/<record>/<file>``.

It never reaches into a folder of modules: what is uploaded must not become code.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from core import ApiError, Refused, Unavailable, settings

from .local_folder import LocalFolder
from .remote_folder import RemoteFolder
from .store import Store, failures_named


def store() -> Store:
    """The store of the current settings.

    :raises Refused: it would reach into a folder of modules
    :raises Unavailable: it cannot be opened
    """
    return _open(settings().documents, settings().module_folders, os.getpid())


def require_folder() -> None:
    """Go on only if the folder of the store exists: `store` would create it.

    :raises Unavailable: there is no such folder
    """
    location = settings().documents
    if not _is_remote(location) and not _folder(location).is_dir():
        raise Unavailable(
            f"COMPTOIR_DOCUMENTS: the folder {_folder(location)} does not exist, but the index lists files in it; "
            "nothing was changed. Mount or restore the folder first"
        )


def _is_remote(location: str) -> bool:
    return "://" in location and not location.startswith(("file://", "local://"))


def _folder(location: str) -> Path:
    return Path(os.path.realpath(Path(location.removeprefix("file://").removeprefix("local://")).expanduser()))


@lru_cache(maxsize=8)
def _open(location: str, module_folders: tuple[Path, ...], process: int) -> Store:
    """A store of this process: what speaks to S3 does so in a thread that a forked process does not have."""
    if _is_remote(location):
        import fsspec.core

        with failures_named():
            files, root = fsspec.core.url_to_fs(location)
            return RemoteFolder(files, root)
    root = _folder(location)
    for folder in module_folders:
        modules = Path(os.path.realpath(folder))
        if root.is_relative_to(modules) or modules.is_relative_to(root):
            # Without the folders: callers read it
            raise Refused(
                "COMPTOIR_DOCUMENTS overlaps a modules folder; nothing was stored. Set it to a separate folder",
                reason="not_configured",
            )
    with failures_named():
        root.mkdir(parents=True, exist_ok=True, mode=0o750)
    opened = LocalFolder(root)
    with suppress(ApiError):
        # Once a process, at its first use of the store
        opened.sweep()
    return opened
