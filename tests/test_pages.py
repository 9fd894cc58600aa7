"""The pages for users: their commands, options, settings, targets and links exist."""

import re
from dataclasses import fields
from pathlib import Path

import click
import pytest

from core.__main__ import main
from core.common.settings import Settings, variable_name

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    *sorted(each for each in (ROOT / "core").glob("*.md") if each.stem.isupper()),
    *sorted((ROOT / "modules").glob("*.md")),
    *sorted((ROOT / "explorer/guide").glob("*.md")),
    *sorted((ROOT / "modules").glob("*/guide.md")),
]
#: a command that the guide for authors adds
ADDED = {"cards"}
#: these end a call in a shell
_END = re.compile(r"[|;&)>#]|\\?\n")

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def code(text):
    """Return the blocks for a shell, and what is in backticks."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return [*re.findall(r"^```(?:sh)?\n(.*?)^```$", text, re.M | re.S), *re.findall(r"`([^`\n]+)`", prose)]


def calls(text):
    """Return the words of each call of the program."""
    found = []
    for part in code(text):
        # Elsewhere it is the name of a user, a database or a container
        for call in re.split(r"(?:^|(?<=bin/)|(?<=\$\()|(?<=exec comptoir ))comptoir (?=[a-z-])", part, flags=re.M)[1:]:
            found.append(_END.split(call.replace("\\\n", " "))[0].split())
    return found


def wrong(words):
    """Return why a call can't be made; None if it can."""
    command = main
    options = {"--help", "--version"}
    for word in words:
        if word.startswith("-"):
            options |= {name for each in command.params for name in [*each.opts, *each.secondary_opts]}
            # A module's command has its options once it is imported
            if command.params and word.partition("=")[0] not in options:
                return f"{' '.join(words)}: {word}"
        elif isinstance(command, click.Group):
            if word in ADDED:
                return None
            named = command.get_command(click.Context(command), word)
            if named is None and not command.invoke_without_command:
                return f"{' '.join(words)}: {word}"
            command = named or command
    return None


@each_page
def test_commands_and_their_options_exist(page):
    assert [each for each in map(wrong, calls(page.read_text())) if each] == []


def test_the_pages_show_commands():
    found = {tuple(words[:2]) for page in PAGES for words in calls(page.read_text())}
    assert {("jobs", "again"), ("user", "list"), ("new", "loyalty")} <= found
    assert wrong(["user", "list", "--fast"])
    assert wrong(["user", "lists"])
    assert wrong(["users"])


@each_page
def test_settings_exist(page):
    known = {variable_name(each.name) for each in fields(Settings)}
    assert set(re.findall(r"\bCOMPTOIR_(?!TEST_)[A-Z_]+\b", page.read_text())) <= known


@each_page
def test_targets_of_make_exist(page):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    assert {each for part in code(page.read_text()) for each in re.findall(r"^make ([a-z-]+)", part, re.M)} <= targets


def anchors(page):
    """Return the anchors of a page's headings, as GitHub makes them."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    heads = re.findall(r"^#+ (.*)$", prose, re.M)
    return {re.sub(r"[^\w -]", "", re.sub(r"\]\(.*?\)", "", head).lower()).replace(" ", "-") for head in heads}


@each_page
def test_links_lead_to_files_and_headings(page):
    prose = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(), flags=re.M | re.S)
    missing = []
    for link in re.findall(r"\]\(([^)\s]+)\)", prose):
        # Those of the guide lead into the explorer, whose tests follow them
        if "://" in link or link.startswith("#/"):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            missing.append(link)
    assert missing == []
