"""The guide: pages for authors of clients, from the Markdown files in `guide/`, for the current profile and limits.

A module's file `guide.md` is also a page; it is read when the module is loaded.

A page begins with lines between two `---`: its `place` among the others, a `summary`, and the `words` for the search.
Then comes its title. A line that begins with a profile's name in braces appears only in that profile. `{{max_page}}` is
the value of a setting in `SETTINGS`. On a module's page, `{{settings}}` is the table of its settings,
`{{settings points}}` that of another module.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path

from core.common.profiles import PROFILE_NAMES
from core.common.reasons import REASONS
from core.common.settings import Settings
from core.contract.catalogue import Catalogue
from core.records.module_settings import Setting

from .descriptions import Content
from .field_schemas import Schema
from .module_files import folders_of, read_file

#: the file of a module's page, beside its folder `class`
MODULE_PAGE = "guide.md"

_FOLDER = Path(__file__).parent / "guide"
_PAGE = re.compile(r"---\n(?P<front>.*?)\n---\n(?P<text># (?P<title>.+?)\n.*)", re.S)
_ONLY = re.compile(rf"\{{({'|'.join(PROFILE_NAMES)})\}} (.*)")

#: settings that a page can show: name in double braces → text
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
_DECLARED = re.compile(r"\{\{settings(?: (\w+))?\}\}")


@dataclass(frozen=True)
class GuidePage:
    """A page as read from its file."""

    name: str
    title: str
    place: int
    summary: str
    words: str
    text: str

    def told(self, held: Settings, declared: Iterable[Setting]) -> str:
        """Return the text.

        :param held: the settings of the server
        :param declared: those of modules
        """
        lines = [_told_in(line, held.profile.name) for line in self.text.splitlines()]
        text = "\n".join(line for line in lines if line is not None) + "\n"
        text = _SETTING.sub(lambda found: SETTINGS[found[1]](held), text)
        return _DECLARED.sub(lambda found: _table(declared, found[1] or self.name), text)


def _told_in(line: str, profile: str) -> str | None:
    """Return a line for a profile; None if it belongs to the other one."""
    only = _ONLY.fullmatch(line)
    if only is None:
        return line
    return only[2] if only[1] == profile else None


def _table(declared: Iterable[Setting], module: str) -> str:
    """Return the table of a module's settings."""
    rows = (
        f"| `{each.name}` | {each.describe_values()} | {_default(each)} | {each.help} |"
        for each in declared
        if each.module == module
    )
    return "\n".join(("| name | values | default | meaning |", "|---|---|---|---|", *rows))


def _default(setting: Setting) -> str:
    # The default of another text may hold a password
    is_shown = setting.choices if setting.type == "text" else not setting.is_secret
    return f"`{setting.write(setting.default)}`" if is_shown else ""


@cache
def guide_pages() -> tuple[GuidePage, ...]:
    """The pages of the explorer, in their order."""
    pages = (parse_page(file.stem, file.read_text(encoding="utf-8")) for file in _FOLDER.glob("*.md"))
    return tuple(sorted(pages, key=lambda page: page.place))


def module_pages(served: Catalogue) -> tuple[GuidePage, ...]:
    """The pages of modules, by their titles; a name that is taken stays the explorer's."""
    taken = {page.name for page in guide_pages()}
    folders = {name: folder for folder, name in folders_of(served.services.values()).items()}
    names = (name for name in folders if name.lower() not in taken)
    pages = (read_file(folders[name] / MODULE_PAGE, partial(parse_page, name)) for name in names)
    return tuple(sorted((page for page in pages if page is not None), key=lambda page: page.title))


def parse_page(name: str, text: str) -> GuidePage:
    """Return the page in the text of a file.

    :raises ValueError: its beginning isn't that of a page
    """
    found = _PAGE.fullmatch(text.replace("\r\n", "\n"))
    front = dict(line.partition(": ")[::2] for line in found["front"].splitlines()) if found else {}
    if found is None or not {"summary", "words"} <= {*front}:
        raise ValueError("expected `summary: …` and `words: …` between two lines of --- at the start, then a title")
    return GuidePage(
        name, found["title"], int(front.get("place", "0")), front["summary"], front["words"], found["text"]
    )


def guide_content(
    name: str, held: Settings, pages: Iterable[GuidePage], declared: Iterable[Setting] = ()
) -> Content | None:
    """Return the text of a page for the current settings; None if it doesn't exist.

    :param declared: the settings of modules
    """
    page = next((each for each in pages if each.name.lower() == name), None)
    return _content(page.told(held, declared)) if page else None


@lru_cache(maxsize=64)
def _content(text: str) -> Content:
    """Return the content of a page, cached with its compressed form."""
    return Content(text.encode())


def guide_index(served: Catalogue, held: Settings) -> list[Schema]:
    """Return the entry of each page: its title, its words for the search, the tag of its text.

    A module's page has `services`: those with operations of the module.
    """
    services: defaultdict[str, set[str]] = defaultdict(set)
    for each in served.operations:
        services[served.services[each.origin].module].add(each.service)
    declared = served.settings.values()
    return [
        *(_entry(each, held, ()) for each in guide_pages()),
        *(_entry(each, held, declared) | {"services": sorted(services[each.name])} for each in module_pages(served)),
    ]


def _entry(page: GuidePage, held: Settings, declared: Iterable[Setting]) -> Schema:
    shown = {name: getattr(page, name) for name in ("name", "title", "summary", "words")}
    return shown | {"tag": _content(page.told(held, declared)).tag}
