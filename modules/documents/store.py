"""The store: where files lie, as ``COMPTOIR_DOCUMENTS`` says. A path in it is ``<kind>/<record>/<file>``.

It never reaches into a folder of modules: what is uploaded must not become code.
"""

from __future__ import annotations

import os
from pathlib import Path

import fsspec

from core import Refused, settings

from .places import Folder, Remote, Store, answering

_opened: dict[str, Store] = {}


def store() -> Store:
    """The store of the configuration in force.

    :raises Refused: it would reach into a folder of modules
    :raises Unavailable: it cannot be opened
    """
    place = settings().documents
    known = _opened.get(place)
    if known is None:
        known = _opened[place] = _open(place)
    return known


def _open(place: str) -> Store:
    if "://" in place and not place.startswith(("file://", "local://")):
        with answering():
            files, root = fsspec.core.url_to_fs(place)
            return Remote(files, root)
    root = Path(os.path.realpath(Path(place.removeprefix("file://").removeprefix("local://")).expanduser()))
    for folder in settings().module_folders:
        modules = Path(os.path.realpath(folder))
        if root.is_relative_to(modules) or modules.is_relative_to(root):
            raise Refused("no file is stored: COMPTOIR_DOCUMENTS and a folder of modules lie in each other")
    with answering():
        root.mkdir(parents=True, exist_ok=True, mode=0o750)
    return Folder(root)
