"""Who sees which third parties, and the records of any module that belong to one."""

from __future__ import annotations

from core import ALL_ROWS, Caller, Rows

#: the right to see every third party
ALL = "thirdparties.all"
REPRESENTED = "{thirdparty} IN (SELECT fk_soc FROM llx_societe_commerciaux WHERE fk_user = ?) OR {thirdparty} IS NULL"


def of_thirdparties(caller: Caller) -> Rows:
    """An external user sees their own; an internal one without the right those they represent, and what has none."""
    if caller.socid is not None:
        return Rows("{thirdparty} = ?", caller.socid)
    if caller.holds(ALL):
        return ALL_ROWS
    return Rows(REPRESENTED, caller.id)


RULES = {"thirdparty": of_thirdparties}
