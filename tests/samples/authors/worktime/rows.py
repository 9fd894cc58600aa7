"""Who sees which entries."""

from core import Caller, Rows

from .models import Entry


def own(caller: Caller) -> Rows:
    """One's own; who approves sees all, unless they come from outside."""
    if caller.holds("worktime.approve") and caller.socid is None:
        return Rows.ALL
    return Rows("{user} = ?", caller.id)


RULES = {Entry: own}
