"""What this host serves besides the server's own modules: noted for the other hosts of its database."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ..common.settings import NATIVE_MODULES, settings
from ..storage import host_notes
from ..version import VERSION
from .folders import ModuleFolder, digest_of_prints, look


def note_host() -> None:
    """Note what this host serves, where other hosts may ask for it."""
    host_notes.note_host(VERSION, served_modules())


def served_modules() -> dict[str, str]:
    """Module → a digest of its files, of those that are not the server's own."""
    folders = [each for each in look(settings().module_folders)[0] if not each.is_second]
    own = [each for each in folders if not each.path.is_relative_to(NATIVE_MODULES)]
    prints = digest_of_prints(own)
    served = _served.get(prints)
    if served is None:
        served = {each.name: _digest(each) for each in own}
        _served.clear()
        _served[prints] = served
    return served


#: what was answered last, by what stood on the disk then: every few seconds nothing else does
_served: dict[str, dict[str, str]] = {}


def _digest(folder: ModuleFolder) -> str:
    found = hashlib.sha256()
    for name in sorted(folder.prints):
        file = Path(name)
        try:
            content = file.read_bytes()
        except OSError:
            # It is just being changed, and looked at again then
            content = b""
        relative = str(file.relative_to(folder.path)) if file.is_relative_to(folder.path) else file.name
        found.update(f"{relative}\0{len(content)}\0".encode(errors="surrogatepass") + content)
    return found.hexdigest()[:16]
