"""The store of the setting ``COMPTOIR_DOCUMENTS``. A path in it is ``<type of record>/<record>/<file>``.

It must not overlap a folder of modules: an upload would become code.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from core import ApiError, Refused
from core.for_natives import settings

from .local_folder import LocalFolder
from .remote_folder import RemoteFolder
from .store import Store, failures_named


def store() -> Store:
    """Return the store of the current settings.

    :raises Refused: it overlaps a folder of modules
    :raises 503: it can't be opened
    """
    return _open(settings().documents, settings().module_folders, os.getpid())


def require_folder() -> None:
    """Raise an error unless the folder of the store exists: `store` would create it.

    :raises 503: the folder doesn't exist
    """
    location = settings().documents
    if not _is_remote(location) and not _folder(location).is_dir():
        raise ApiError(
            f"COMPTOIR_DOCUMENTS: the folder {_folder(location)} does not exist, but the index lists files in it; "
            "nothing was changed. Mount or restore the folder first",
            status=503,
        )


def _is_remote(location: str) -> bool:
    return "://" in location and not location.startswith(("file://", "local://"))


def _folder(location: str) -> Path:
    return Path(os.path.realpath(Path(location.removeprefix("file://").removeprefix("local://")).expanduser()))


@lru_cache(maxsize=8)
def _open(location: str, module_folders: tuple[Path, ...], process: int) -> Store:
    """Return the store of this process; per process, because the S3 client's thread doesn't survive a fork."""
    if _is_remote(location):
        import fsspec.core

        with failures_named():
            files, root = fsspec.core.url_to_fs(location)
            return RemoteFolder(files, root)
    root = _folder(location)
    for folder in module_folders:
        modules = Path(os.path.realpath(folder))
        if root.is_relative_to(modules) or modules.is_relative_to(root):
            # The message omits the paths of the folders, because callers see it
            raise Refused(
                "COMPTOIR_DOCUMENTS overlaps a modules folder; nothing was stored. Set it to a separate folder",
                reason="not_configured",
            )
    with failures_named():
        root.mkdir(parents=True, exist_ok=True, mode=0o750)
    opened = LocalFolder(root)
    with suppress(ApiError):
        # Once per process, at its first use of the store
        opened.sweep()
    return opened
