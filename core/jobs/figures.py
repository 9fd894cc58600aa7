"""How many jobs wait, run and were given up, for whoever watches over the server."""

from __future__ import annotations

import peewee

from ..storage.database import close, database, query
from .table import DONE, STATUS_NAMES


def count_jobs() -> dict[str, int]:
    """The number of jobs in each state but done; none while the database does not answer."""
    opened = database.obj
    if opened is None:
        return {}
    # A thread that has no connection of its own keeps none
    borrowed = opened.is_closed()
    try:
        # Each state by itself: an index answers it, whatever number of them is done
        asked = [(number, name) for number, name in STATUS_NAMES.items() if number != DONE]
        counted = {name: query("SELECT COUNT(*) FROM comptoir_job WHERE status = ?", (state,)) for state, name in asked}
        return {name: int(number) for name, ((number,),) in counted.items()}
    except peewee.PeeweeException:
        return {}
    finally:
        if borrowed:
            close()
