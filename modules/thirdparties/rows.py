"""Row rules of third parties, and of records of any module that belong to one."""

from __future__ import annotations

from core import Caller, Rows

#: the right to see every third party
ALL = "thirdparties.all"
REPRESENTED = "{thirdparty} IN (SELECT fk_soc FROM llx_societe_commerciaux WHERE fk_user = ?) OR {thirdparty} IS NULL"


def of_thirdparties(caller: Caller) -> Rows:
    """Return the third parties that a caller sees.

    External users see their own. Internal users without the right `ALL` see those they represent, and records that
    belong to no third party.
    """
    if caller.socid is not None:
        return Rows("{thirdparty} = ?", caller.socid, seen="those of the user's own third party")
    if caller.holds(ALL):
        return Rows.ALL
    seen = f"those of third parties that the user represents; the permission {ALL} shows all"
    return Rows(REPRESENTED, caller.id, seen=seen)


RULES = {"thirdparty": of_thirdparties}
