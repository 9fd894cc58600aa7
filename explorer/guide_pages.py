"""The guide: pages for authors of clients, made from the Markdown files in `guide/` for the current profile and limits.

A module's file `guide.md` is also a page; it is read when the module is loaded.

A page begins with lines between two `---`: its `place` among the others, a `summary`, and the `words` for the search.
Then comes its title. A line that begins with a profile's name in braces appears only in that profile. `{{max_page}}` is
the value of a setting in `SETTINGS`.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from core import REASONS, Catalogue
from core.common.profiles import PROFILE_NAMES
from core.common.settings import Settings

from .descriptions import Content
from .field_schemas import Schema

_log = logging.getLogger("comptoir")

#: the file of a module's page, beside its folder `class`, and how many bytes it may have
MODULE_PAGE, LARGEST = "guide.md", 100_000

_FOLDER = Path(__file__).parent / "guide"
_PAGE = re.compile(r"---\n(?P<front>.*?)\n---\n(?P<text># (?P<title>.+?)\n.*)", re.S)
_ONLY = re.compile(rf"\{{({'|'.join(PROFILE_NAMES)})\}} (.*)")

#: what a page may say of the settings: name in double braces → words
SETTINGS: dict[str, Callable[[Settings], str]] = {
    "max_page": lambda held: f"{held.max_page:,}",
    "max_body": lambda held: f"{held.max_body:,}",
    "batch_entries": lambda held: f"{held.batch_entries:,}",
    "login_days": lambda held: f"{held.login_days:,}",
    "rate": lambda held: f"{held.rate:,} requests per minute" if held.rate else "any number of requests",
    "profile": lambda held: f"`{held.profile.name}`",
    "reasons": lambda _: "\n".join(f"| `{word}` | {meaning} |" for word, meaning in REASONS.items()),
}
_SETTING = re.compile(rf"\{{\{{({'|'.join(SETTINGS)})\}}\}}")


@dataclass(frozen=True)
class GuidePage:
    """A page as its file says it."""

    name: str
    title: str
    place: int
    summary: str
    words: str
    text: str

    def told(self, held: Settings) -> str:
        """The text for some settings."""
        lines = [_told_in(line, held.profile.name) for line in self.text.splitlines()]
        text = "\n".join(line for line in lines if line is not None) + "\n"
        return _SETTING.sub(lambda found: SETTINGS[found[1]](held), text)


def _told_in(line: str, profile: str) -> str | None:
    """A line as one profile has it; None where it belongs to the other."""
    only = _ONLY.fullmatch(line)
    if only is None:
        return line
    return only[2] if only[1] == profile else None


@cache
def guide_pages() -> tuple[GuidePage, ...]:
    """The pages of the explorer, in their order."""
    return tuple(sorted((_read(file, file.stem) for file in _FOLDER.glob("*.md")), key=lambda page: page.place))


def module_pages(served: Catalogue) -> tuple[GuidePage, ...]:
    """The pages of modules, by their titles; a name that is taken stays the explorer's."""
    folders = {
        each.module: each.file.parent.parent for each in served.services.values() if each.file.parent.name == "class"
    }
    taken = {page.name for page in guide_pages()}
    pages = (_read_module(folder / MODULE_PAGE, name) for name, folder in folders.items() if name.lower() not in taken)
    return tuple(sorted((page for page in pages if page is not None), key=lambda page: page.title))


def _read_module(file: Path, name: str) -> GuidePage | None:
    """The page of a module; None where it has none, or none that can be read: that costs the module nothing else."""
    try:
        return _read(file, name) if file.stat().st_size <= LARGEST else None
    except (OSError, ValueError, KeyError) as error:
        if not isinstance(error, FileNotFoundError):
            _log.warning("the guide page %s is left out: %s", file, error)
        return None


def _read(file: Path, name: str) -> GuidePage:
    found = _PAGE.fullmatch(file.read_text(encoding="utf-8"))
    if found is None:
        raise ValueError("expected a block between two lines of --- at the start, then a title")
    front = dict(line.split(": ", 1) for line in found["front"].splitlines())
    text, place = found["text"], int(front.get("place", "0"))
    return GuidePage(name, found["title"], place, front["summary"], front["words"], text)


def guide_content(name: str, held: Settings, pages: Iterable[GuidePage]) -> Content | None:
    """The text of one of some pages for some settings; None where there is no such page."""
    page = next((each for each in pages if each.name.lower() == name), None)
    return _content(page, held) if page else None


@lru_cache(maxsize=64)
def _content(page: GuidePage, held: Settings) -> Content:
    """Kept, with its compressed form."""
    return Content(page.told(held).encode())


def guide_index(served: Catalogue, held: Settings) -> list[Schema]:
    """What the page lists of the guide, what the search finds a page by, and the tag of its text."""
    return [
        {
            "name": each.name,
            "title": each.title,
            "summary": each.summary,
            "words": each.words,
            "tag": _content(each, held).tag,
        }
        for each in (*guide_pages(), *module_pages(served))
    ]
