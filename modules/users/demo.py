"""Demonstration data: two users in two groups. They have no password; an administrator can make keys for them."""

from __future__ import annotations

from datetime import date
from random import Random

from core.for_natives import catalogue

from .groups import groups
from .rights import grant_group
from .users import users

#: group → the ends of the rights it gets
_GROUPS = {"Sales": (".read", ".write", ".validate"), "Accounting": (".read", ".pay", ".close", ".export")}
_BUSINESS = ("thirdparties", "contacts", "products", "proposals", "orders", "invoices", "documents")
_PEOPLE = (("camille", "Camille", "Martin", "Sales"), ("sacha", "Sacha", "Bernard", "Accounting"))


def make(random: Random, today: date) -> None:
    """Make two groups with rights, and a user in each."""
    made = {}
    for name, ends in _GROUPS.items():
        made[name] = groups.create({"name": name})
        rights = [right for right in catalogue().rights if right.startswith(_BUSINESS) and right.endswith(ends)]
        grant_group(made[name], [*rights, *({"thirdparties.all"} & set(catalogue().rights))])
    for login, firstname, lastname, group in _PEOPLE:
        person = users.create(
            {
                "login": login,
                "firstname": firstname,
                "lastname": lastname,
                "email": f"{login}@example.org",
                "job": group,
                "office_phone": f"+33 4 00 00 {random.randint(10, 99)} {random.randint(10, 99)}",
                "dateemployment": today.replace(year=today.year - random.randint(1, 9), day=1).isoformat(),
            }
        )
        groups.add(person, made[group])
