"""What files say: names of files that are there, also after some have moved; wrong fields named in one way."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TREE = [
    str(file.relative_to(ROOT))
    for folder in ("core", "modules", "explorer", "tests")
    for file in (ROOT / folder).rglob("*.*")
    if file.is_file() and "__pycache__" not in file.parts
] + [file.name for file in ROOT.iterdir()]
PAGES = (
    "README.md",
    "CHANGELOG.md",
    "core/README.md",
    "core/UPGRADE.md",
    "core/GROWING.md",
    "modules/README.md",
    "modules/BEHAVIOUR.md",
)
#: modules whose comments name no page that a reader does not have
MODULES = ("dictionaries", "login", "numbering", "products", "setup", "status", "thirdparties", "users")
#: what a page tells its reader to write
EXAMPLES = ("migrations/NNNN_what_it_does.py", "guide.md")

NAMED = re.compile(r"[\w./<>-]*\w\.(?:py|md)\b")


def sources(*folders: str) -> list[str]:
    return [file for file in TREE if file.endswith(".py") and file.startswith(folders)]


def is_there(name: str) -> bool:
    plain = name.lstrip("./")
    return any(file == plain or file.endswith(f"/{plain}") for file in TREE)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_files_that_are_there(page: str) -> None:
    text = (ROOT / page).read_text()
    written = re.findall(r"^# (\S+\.py)$", text, re.M)
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    named = [
        name for quoted in re.findall(r"`([^`\n]+)`|\]\(([^)#\s]+)", prose) for name in NAMED.findall(" ".join(quoted))
    ]
    assert len(named) > 1 or page in ("modules/BEHAVIOUR.md", "CHANGELOG.md", "core/UPGRADE.md", "core/GROWING.md")
    gone = {
        name for name in named if not is_there(name) and not any(each.endswith(name) for each in (*written, *EXAMPLES))
    }
    assert {name for name in gone if "<" not in name} == set()


def test_comments_and_docstrings_name_files_that_are_there() -> None:
    gone = []
    for file in sources("core/", "explorer/", "modules/"):
        text = (ROOT / file).read_text()
        gone += [(file, name) for name in re.findall(r"[\w./]*[a-z_]\.py\b", text) if not is_there(name)]
    assert gone == []


def test_reasons_stand_in_the_repository() -> None:
    folders = ("core/", "explorer/", *(f"modules/{name}/" for name in MODULES))
    named = [
        (file, name)
        for file in sources(*folders)
        for name in re.findall(r"[\w./]*\w\.md\b", (ROOT / file).read_text())
        if not is_there(name) and name not in EXAMPLES
    ]
    assert named == []


def test_wrong_fields_are_named_in_one_way() -> None:
    """By `wrong_fields`, so that all messages about a field look alike."""
    by_hand = []
    for file in sources("core/", *(f"modules/{name}/" for name in MODULES)):
        calls = [node for node in ast.walk(ast.parse((ROOT / file).read_text())) if isinstance(node, ast.Call)]
        named = [call for call in calls if getattr(call.func, "id", "") == "BadRequest"]
        by_hand += [file for call in named if any(keyword.arg == "errors" for keyword in call.keywords)]
    assert by_hand == ["core/common/errors.py"]
