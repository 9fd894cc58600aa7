"""The numbers of `budget.tsv` may only fall; the expressions of `core/WRITING.md` find what they are for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from .counting import count, lower, read_budget
from .patterns import read_patterns
from .reading import plain, read_texts


def test_the_numbers_only_fall() -> None:
    counts, budget = count(read_patterns()), read_budget()
    above = [f"{' '.join(key)}: {counts[key]} of {budget[key]}" for key in counts if counts[key] > budget[key]]
    assert not above, f"more banned phrases than before; list them: python -m tests.words [path ...]: {above}"
    below = [f"{' '.join(key)}: {counts[key]} of {budget[key]}" for key in budget if counts[key] < budget[key]]
    assert not below, f"lower it: python -m tests.words --lower: {below}"


def test_each_expression_finds_its_own_example() -> None:
    patterns = read_patterns()
    assert len(patterns) > 30
    for pattern in patterns:
        missed = [example for example in pattern.wrong.split("; ") if not pattern.expression.search(plain(example))]
        assert not missed, pattern.expression.pattern
        found = [example for example in pattern.better.split("; ") if pattern.expression.search(plain(example))]
        assert not found, pattern.expression.pattern


def test_lowering_writes_no_larger_number(tmp_path: Path) -> None:
    file = tmp_path / "budget.tsv"
    file.write_text("folder\tkind\tnumber\ncore\thelp\t3\ncore\tpages\t5\nmodules\tpages\t2\n")
    counts = Counter({("core", "pages"): 4, ("modules", "pages"): 7, ("explorer", "pages"): 1})
    assert lower(counts, file) == ["explorer pages: 1, allowed 0", "modules pages: 7, allowed 2"]
    assert read_budget(file) == Counter({("core", "pages"): 4, ("modules", "pages"): 2})


PAGE = """---
place: 1
summary: A summary.
words: word, word
---
# A heading
A line that
goes on, with `code` and a [link](to/somewhere).

```
no text
```

    nor this

- an item | not a cell

| cell | `x\\|y` another |
|---|---|
"""

PYTHON = '''"""A module."""
#: a comment
#: of two lines
TEXT = "a # b"  # behind code


@group.command()
@click.option("--x", help="Days to keep.")
def run(x):
    """Run it."""
    raise Wrong(f"expected {x}, got " "nothing", dolibarr="Expecting it")
    execute("SELECT a FROM b")
'''

SCRIPT = """// A comment
// of two lines
const a = "two words", b = /no "string here"/g;
make(`a ${open ? "inner words" : "x"} hole`); /* another one */
"""


def _read(folder: Path, name: str, text: str) -> list[tuple[str, int, str]]:
    file = folder / name
    file.write_text(text)
    return sorted((each.kind, each.line(0), each.text) for each in read_texts(file))


def test_pages_are_read_without_code(tmp_path: Path) -> None:
    assert _read(tmp_path, "page.md", PAGE) == [
        ("pages", 3, "A summary."),
        ("pages", 6, "A heading"),
        ("pages", 7, "A line that goes on, with `x` and a link."),
        ("pages", 16, "an item | not a cell"),
        ("pages", 18, "`x` another"),
        ("pages", 18, "cell"),
    ]


def test_python_is_read_by_kind(tmp_path: Path) -> None:
    assert _read(tmp_path, "words.py", PYTHON) == [
        ("comments", 2, "a comment of two lines"),
        ("comments", 4, "behind code"),
        ("docstrings", 1, "A module."),
        ("help", 8, "Days to keep."),
        ("help", 10, "Run it."),
        ("messages", 4, "a # b"),
        ("messages", 11, "expected {}, got nothing"),
    ]


def test_scripts_and_templates_are_read(tmp_path: Path) -> None:
    assert _read(tmp_path, "start.js", SCRIPT) == [
        ("comments", 1, "A comment of two lines"),
        ("comments", 4, "another one"),
        ("script", 3, "two words"),
        ("script", 4, "a {} hole"),
        ("script", 4, "inner words"),
    ]
    page = '<p title="a title">Some <b>bold</b> text{% if a %}\n</p>\n<p>{{ name }} is it</p>'
    assert _read(tmp_path, "page.html", page) == [
        ("templates", 1, "Some bold text"),
        ("templates", 1, "a title"),
        ("templates", 3, "{} is it"),
    ]
