"""What has become of all that was answered: nothing may be lost, no number may be missing or used twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from .load import ask

_PAGE = 500


@dataclass(frozen=True)
class Counts:
    """What is counted in the end.

    :ivar answered: requests that were answered as done
    :ivar not_done: answers that it could not be done now, such as 503; the writer sent it again
    :ivar unanswered: requests without an answer; so, too
    :ivar longest: seconds until the request was done that waited longest
    :ivar refused: requests refused for good: there is no reason for one
    :ivar faults: answers such as 500, which no killed part is a reason for
    :ivar lost: invoices that were answered and are not there, or have another reference
    :ivar doubled: invoices that are there twice although they were asked for once
    :ivar gaps: references that nobody has, before the last one
    :ivar twice: references that two invoices have
    """

    answered: int
    not_done: dict[int, int]
    unanswered: int
    repeated: int
    longest: float
    refused: list[str]
    faults: list[str]
    validated: int
    lost: list[str]
    doubled: int
    gaps: int
    twice: int

    @property
    def wrong(self):
        """What must be nothing, and is not."""
        return [name for name in ("refused", "faults", "lost", "doubled", "gaps", "twice") if getattr(self, name)]


def count(load):
    """Compare what was answered with what there is."""
    rows = _invoices(load)
    by_id = {int(row["id"]): row for row in rows}
    validated = {int(row["id"]): str(row["ref"]) for row in rows if int(row["statut"] or 0) >= 1}
    marks = Counter(row["ref_ext"] for row in rows)
    references = Counter(validated.values())
    numbers = {int(each.rpartition("-")[2]) for each in references}
    statuses = load.statuses()
    return Counts(
        answered=statuses.pop(200, 0),
        unanswered=statuses.pop(0, 0),
        not_done=dict(sorted(statuses.items())),
        repeated=load.repeated,
        longest=load.longest(),
        refused=load.refused,
        faults=load.faults,
        validated=len(load.validated),
        lost=[
            *(
                f"{each} validated as {ref}, is {by_id.get(each)}"
                for each, ref in load.validated.items()
                if validated.get(each) != ref
            ),
            *(
                f"{each} made with {mark}, is {by_id.get(each)}"
                for each, mark in load.marks.items()
                if by_id.get(each, {}).get("ref_ext") != mark
            ),
        ],
        doubled=sum(times - 1 for times in marks.values()),
        gaps=max(numbers, default=0) - len(numbers),
        twice=sum(times - 1 for times in references.values()),
    )


def _invoices(load):
    found = []
    while True:
        path = f"/invoices?limit={_PAGE}&page={len(found) // _PAGE}&properties=id,ref,ref_ext,statut&sortfield=t.rowid"
        page = ask(load.address, load.port, "GET", path)
        found += page
        if len(page) < _PAGE:
            return found
