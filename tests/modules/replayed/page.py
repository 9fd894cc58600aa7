"""The tables of `modules/DOLIBARR.md` that follow from the replayed exchanges and the recorded shapes.

`REWRITE_PAGE=1 python -m pytest tests/modules/replayed -m ""` writes them; without it, the test compares.
"""

import csv
import re
from collections import defaultdict
from pathlib import Path

PAGE = Path(__file__).parents[3] / "modules/DOLIBARR.md"
BEGIN, END = "<!-- begin: replayed differences -->\n", "<!-- end -->\n"
SHAPES = Path(__file__).parents[1] / "left_shapes.tsv"

#: of operations and of keys in a cell
MAX_SHOWN = 3
_KINDS = {
    str: "text",
    int: "number",
    float: "number",
    bool: "boolean",
    list: "list",
    dict: "object",
    type(None): "null",
}
_ID = re.compile(r"(?<=/)[0-9]+(?=/|$)")


def tables(differences, decided):
    """Return both tables as Markdown."""
    by_reason = {row[3]: [] for row in decided.rows}
    for each in differences:
        if (row := decided.row_of(each)) is not None:
            by_reason[row[3]].append(each)
    lines = ["| operation | key | Dolibarr 16 | Comptoir | why |", "|---|---|---|---|---|"]
    lines += [_line(reason, found) for reason, found in by_reason.items()]
    with SHAPES.open(newline="") as file:
        shapes = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    lines += ["", "| record | key | Comptoir | why |", "|---|---|---|---|"]
    lines += [f"| {row['kind']} | `{row['key']}` | {row['ours']} | {row['reason']} |" for row in shapes]
    return "\n".join(lines) + "\n"


def _line(reason, found):
    operations = {f"{each.exchange.verb} {_ID.sub('{id}', each.exchange.path)}" for each in found}
    keys = {each.key for each in found if each.key}
    theirs = {}
    ours = {}
    for each in found:
        one, other = _sides(each)
        theirs[one] = ours[other] = None
    cells = (_several(operations), _several(keys), ", ".join(sorted(theirs)), ", ".join(sorted(ours)), reason)
    return f"| {' | '.join(cells)} |"


def _sides(difference):
    """Return what Dolibarr and Comptoir return, in a word or two."""
    what = difference.what.split()
    if what[0] == "status":
        return what[1], what[2]
    if what[0] == "absent":
        return _KINDS[type(difference.recorded)], "no key"
    if what[0] in ("type", "empty"):
        return _KINDS[type(difference.recorded)], _KINDS[type(difference.ours)]
    return {
        "more": ("its text", "its text and more"),
        "length": ("its number of entries", "another number"),
    }.get(what[0], ("its value", "another value"))


def _several(texts):
    kept = defaultdict(list)
    for text in sorted(texts):
        kept["shown" if len(kept["shown"]) < MAX_SHOWN else "left"].append(f"`{text}`")
    return ", ".join(kept["shown"]) + (f" and {len(kept['left'])} more" if kept["left"] else "")


def written():
    """Return the tables that the page has."""
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]


def write(text):
    """Put the tables into the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + text + END + rest.partition(END)[2], encoding="utf-8")
