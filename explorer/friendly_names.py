"""Friendly operation IDs, such as ``validate_order``, made from titles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from .operations import Described, DescribedService
from .titles import service_title

#: words that a name does without
_LEFT_OUT = {"a", "an", "the", "s"}
_WORD = re.compile(r"[a-z0-9]+")
_GENERIC = re.compile(r"\brecords?\b")
_VARIABLE = re.compile(r"\{(\w+)\}")


def name_friendly(services: Sequence[DescribedService], native: int) -> dict[str, str]:
    """Return the friendly name of each operation by its identifier.

    A name is made from the title. If several operations have the same title, the service, the variables of the path and
    the method are appended, and finally a number.

    :param native: the number of native services, which come first; other services can't change their names
    """
    titles = Counter(title for each in services[:native] for title in {*map(_title, each.operations)})
    taken: set[str] = set()
    names: dict[str, str] = {}
    for service in services:
        own = Counter(map(_title, service.operations))
        for each in service.operations:
            title = _title(each)
            hints = _names(each, service, own[title] > 1, titles[title] > 1)
            numbered = (f"{hints[-1]}_{number}" for number in range(2, len(taken) + 3))
            names[each.id] = next(name for name in (*hints, *numbered) if name not in taken)
            taken.add(names[each.id])
    return names


def _title(each: Described) -> str:
    return str(each.said.get("summary") or each.operation.name).lower()


def _names(each: Described, service: DescribedService, is_repeated: bool, is_general: bool) -> list[str]:
    """Return the possible names of an operation, the best first.

    :param is_repeated: whether its service has another operation with this title
    :param is_general: whether several services have this title
    """
    title, words = _title(each), service_title(service.service).lower()
    if is_general and _GENERIC.search(title):
        plain = _snake(_GENERIC.sub(words, title))
    else:
        plain = _snake(f"{title} {words}" if is_general else title)
    variables = " ".join(_VARIABLE.findall(each.path))
    by = f"{plain}_by_{_snake(variables)}" if variables else plain
    verb = f"{each.operation.verb.lower()}_{by}"
    longer = [f"{name}_{_snake(words)}" for name in (plain, by, verb)]
    return [by, verb, *longer[1:]] if is_repeated else [plain, *longer]


def _snake(words: str) -> str:
    """Words as a Python name; one that would begin with a digit begins with an underscore."""
    name = "_".join(word for word in _WORD.findall(words.replace("\u2019", "'").lower()) if word not in _LEFT_OUT)
    return f"_{name}" if name[:1].isdigit() or not name else name
