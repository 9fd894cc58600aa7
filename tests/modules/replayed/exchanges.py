"""What a server of release 16.0.3 was asked, and what it answered, in the order in which that happened.

`recorded/` holds a file for each chapter, an exchange a line:

- ``n`` its place in the chapter, ``call`` verb, path and query, ``by`` who asked (nobody, wrong, restricted, external;
  absent: an administrator), ``headers``, ``body`` (or ``raw`` with its ``type``);
- ``status``, and ``answer``: keys, types and values. Where an answer resembles that of an exchange before, it is what that
  one was (``like``) with some keys other (``with``) and some gone (``without``);
- ``from``: the state the record was put into before, by the database;
- ``cut``: of the answer only the beginning was written down, so lists may be longer and what is not there says nothing.

`routing` asks a class that was made for it (`served/`). In `states` and `values` not the answers were written down but rows, which here are read over HTTP; the bodies of the lines in
`values` are ours, their values are the recorded ones. Texts of databases and pages of errors were left out, as were long contents of files.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parent / "recorded"

#: the chapters, as one installation went through them; then those of another one
CHAPTERS = (
    "people", "offers", "sales", "bills", "pdfs", "lists", "refusals", "debugging",
    "rights", "files", "additions", "states", "values", "routing",
)  # fmt: skip

#: of an exchange whose answer is not known
UNKNOWN = object()


@dataclass(frozen=True)
class Exchange:
    """One request and what was answered."""

    chapter: str
    n: int
    verb: str
    path: str
    query: str
    by: str
    headers: dict[str, str]
    body: Any
    raw: str | None
    kind: str | None
    status: int
    answer: Any
    is_cut: bool
    state: int | None = None

    @property
    def place(self):
        """Where it stands, which the tables name: ``sales 12 POST /orders/20/reopen``."""
        return f"{self.chapter} {self.n} {self.verb} {self.path}" + (f"?{self.query}" if self.query else "")


@dataclass
class _Answers:
    """The answers of a chapter so far."""

    known: dict[int, Any] = field(default_factory=dict)

    def read(self, row):
        if "like" not in row:
            answer = row.get("answer", UNKNOWN)
        else:
            answer = {**self.known[row["like"]], **row.get("with", {})}
            for key in row.get("without", ()):
                del answer[key]
        self.known[row["n"]] = answer
        return answer


def exchanges(chapter):
    """Those of a chapter."""
    answers = _Answers()
    found = []
    for line in (RECORDED / f"{chapter}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        verb, _, target = row["call"].partition(" ")
        path, _, query = target.partition("?")
        found.append(
            Exchange(
                chapter, row["n"], verb, path, query, row.get("by", ""), row.get("headers", {}), row.get("body"),
                row.get("raw"), row.get("type"), row["status"], answers.read(row), row.get("cut", False),
                row.get("from"),
            )
        )  # fmt: skip
    return found
