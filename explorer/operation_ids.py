"""Operation IDs that read like functions, such as ``validateOrder``, made of titles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.crud import plural_of

from .operations import Described, DescribedService
from .titles import service_title, words_of

#: the words that begin the titles of standard operations → what clients call them
_VERBS = (
    (re.compile(r"^read\b"), "get"),
    (re.compile(r"^change some fields of\b"), "patch"),
    (re.compile(r"^delete an unused\b"), "delete"),
    (re.compile(r"^create, update and delete many\b"), "batch"),
)
#: keys of a document whose values are IDs of operations
_ID_KEYS = ("operationId", "x-reads")
_VARIABLE = re.compile(r"\{(\w+)\}")


def with_operation_ids(services: Sequence[DescribedService], native: int) -> tuple[DescribedService, ...]:
    """Return the services with operation IDs made of titles instead of path IDs.

    :param native: the number of native services, which come first; other services can't change their IDs
    """
    ids = _operation_ids(services, native)

    def renamed(value: Any) -> Any:
        if isinstance(value, list):
            return [renamed(each) for each in value]
        if not isinstance(value, dict):
            return value
        return {
            word: ids.get(each, each) if word in _ID_KEYS and isinstance(each, str) else renamed(each)
            for word, each in value.items()
        }

    return tuple(
        replace(
            service,
            operations=tuple(replace(each, id=ids[each.id], said=renamed(each.said)) for each in service.operations),
            schemas=renamed(service.schemas),
            parameters=renamed(service.parameters),
        )
        for service in services
    )


def _operation_ids(services: Sequence[DescribedService], native: int) -> dict[str, str]:
    """Return the ID of each operation by its path ID.

    If several operations have the same title, the service, the variables of the path and the method are added, and
    finally a number.
    """
    titles = Counter(title for each in services[:native] for title in {*map(_title, each.operations)})
    taken: set[str] = set()
    ids: dict[str, str] = {}
    for some, known in ((services[:native], services[:native]), (services[native:], services)):
        compounds = _compounds(known)
        for service in some:
            alike = _variables_by_title(service)
            for each in service.operations:
                possible = [_camel(words, compounds) for words in _possible_words(each, service, titles, alike)]
                numbered = (f"{possible[-1]}{number}" for number in range(2, len(taken) + 3))
                # Client generators ignore case
                ids[each.id] = next(name for name in (*possible, *numbered) if name.lower() not in taken)
                taken.add(ids[each.id].lower())
    return ids


def _title(each: Described) -> str:
    title = str(each.said.get("summary") or each.operation.name).lower()
    for words, verb in _VERBS:
        title = words.sub(verb, title)
    return title


def _variables_by_title(service: DescribedService) -> dict[str, tuple[int, set[str]]]:
    """Return the number of operations with each title of a service, and the variables that all their paths have."""
    found: dict[str, tuple[int, set[str]]] = {}
    for each in service.operations:
        variables = {*_VARIABLE.findall(each.path)}
        number, shared = found.get(_title(each), (0, variables))
        found[_title(each)] = number + 1, shared & variables
    return found


def _possible_words(
    each: Described,
    service: DescribedService,
    titles: Mapping[str, int],
    alike: Mapping[str, tuple[int, set[str]]],
) -> list[list[str]]:
    """Return the words of the possible IDs of an operation, the best first.

    :param titles: in how many services a title is
    :param alike: what `_variables_by_title` returns
    """
    title, named = _title(each), words_of(service_title(service.service))
    number, shared = alike[title]
    plain = words_of(title)
    if each.operation.entries:
        # A batch of a class without records is called "Create, update and delete many records"
        plain = [part for word in plain for part in (named if word == "records" else [word])]
    elif titles[title] > 1 or len(plain) == 1:
        plain += named
    variables = [name for name in _VARIABLE.findall(each.path) if name not in shared]
    by = [*plain, "by", *words_of(" ".join(variables))] if variables else plain
    verb = [each.operation.verb.lower(), *by]
    if number > 1:
        return [by, verb, [*by, *named], [*verb, *named]]
    return [plain, *([*words, *named] for words in (plain, by, verb))]


def _compounds(services: Iterable[DescribedService]) -> dict[str, str]:
    """Return the names of records that are one word but two in titles, in lower case → as in schemas: `Thirdparty`."""
    names = [each.record for each in services if each.record[1:].islower()]
    return {form.lower(): form for name in names for form in (name, plural_of(name))}


def _camel(words: Sequence[str], compounds: Mapping[str, str]) -> str:
    """Return words as an identifier; one that would begin with a digit begins with an underscore."""
    left, parts = list(words), []
    while left:
        both = compounds.get("".join(left[:2]).lower()) if len(left) > 1 else None
        parts.append(both or left[0])
        del left[: 2 if both else 1]
    name = "".join(part[:1].upper() + part[1:] for part in parts)
    return f"_{name}" if name[:1].isdigit() or not name else name[:1].lower() + name[1:]
