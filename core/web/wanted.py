"""What a request names in `expand` and `properties`, read into what is wanted of the records at each place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..access.callers import Caller
from ..common.errors import BadRequest, unknown_fields, wrong_fields
from ..contract.relations import Shape
from .related import DEEPEST, Relations, Target, relations

EXPAND, PROPERTIES = "expand", "properties"
#: names in `expand` or `properties`
MOST_NAMES = 1_000


@dataclass
class Wanted:
    """What is wanted of the records at one place.

    :param named: keys to answer, in this order; where there are none, all
    :param below: what is wanted below a relation or a part
    :param relation: what the place is, as a relation; None: it is a part, or where all begins
    :param leads: the field that names the record
    :param holder: the model of the records that a part is of
    :param whole: all keys are answered, whatever is named
    :param path: the names that lead here
    """

    shape: Shape
    named: dict[str, None] = field(default_factory=dict)
    below: dict[str, Wanted] = field(default_factory=dict)
    relation: Target | None = None
    leads: str = ""
    holder: Any = None
    whole: bool = False
    path: str = ""

    @property
    def is_limited(self) -> bool:
        """Whether only some keys are answered."""
        return bool(self.named) and not self.whole

    def step(self, name: str, known: Relations) -> Wanted | None:
        """What is wanted below one name; None where no relation and no part is called so."""
        there = self.below.get(name)
        if there is None:
            there = self._made(name, known)
            if there is not None:
                self.below[name] = there
        return there

    def _made(self, name: str, known: Relations) -> Wanted | None:
        path = f"{self.path}.{name}".removeprefix(".")
        if name in self.shape.parts:
            return Wanted(Shape(self.shape.parts[name]), holder=self.shape.model, path=path)
        found = known.below(self.shape, self.holder).get(name)
        if found is None:
            return None
        leads, target = found
        return Wanted(target.shape or Shape(leads.target()), relation=target, leads=leads.name, path=path)

    @property
    def needed(self) -> str:
        """The fields of the records themselves that are needed for it, as `properties` names them; empty: all."""
        if not self.is_limited:
            return ""
        leads = {name: below.leads or name for name, below in self.below.items()}
        return ",".join(dict.fromkeys(leads.get(name, name) for name in self.named))


class Paths:
    """The paths that one request names, as what is wanted of each place.

    :param shape: the records that the operation answers
    :param expand: paths of relations
    :param properties: paths of fields; none: all
    :raises BadRequest: a name that nothing is called by
    :raises NotLoadable: a service that is named cannot be loaded
    :raises Unauthorized: the caller may not read what is named
    """

    def __init__(self, shape: Shape, expand: Iterable[str], properties: Iterable[str], caller: Caller) -> None:
        self._known = relations()
        self._caller = caller
        self.wanted = Wanted(shape)
        for path in properties:
            self._name(path)
        for path in expand:
            self._expand(path)

    def _expand(self, path: str) -> None:
        place = self.wanted
        for number, name in enumerate(path.split(".")):
            step = self._step(place, name, number)
            if step is None:
                raise self._unknown(path)
            if place.is_limited:
                place.named[name] = None
            place = step
        if place.relation is None:
            raise self._unknown(path)

    def _step(self, place: Wanted, name: str, number: int) -> Wanted | None:
        """What is wanted below one name, once it is sure that the caller may read that; None: there is no such name."""
        step = place.step(name, self._known) if number < DEEPEST else None
        if step is not None and step.relation is not None:
            step.relation.insist(step.path, self._caller)
        return step

    def _unknown(self, path: str) -> BadRequest:
        """The error that tells which names there are."""
        wrong = unknown_fields([path], list(self._known.paths(self.wanted.shape)))
        return wrong_fields([(EXPAND, reason) for _, reason in wrong])

    def _name(self, path: str) -> None:
        """Note a path of `properties`: relations and parts, and at its end whatever they hold."""
        *steps, last = path.split(".")
        place = self.wanted
        for number, name in enumerate(steps):
            step = self._step(place, name, number)
            if step is None:
                raise unknown_property(path)
            place.named[name] = None
            place = step
        place.named[last] = None
        end = self._step(place, last, len(steps))
        if end is not None:
            end.whole = True


def unknown_property(path: str) -> BadRequest:
    """The error that names a field that nothing is called by."""
    return wrong_fields([(PROPERTIES, f"unknown field {path!r:.80}")])


def names_in(query: Mapping[str, Any], parameter: str) -> list[str]:
    """What a parameter of the query names, separated by commas; it may come several times.

    :raises BadRequest: too many names
    """
    value = query.get(parameter, "")
    texts = value if isinstance(value, list) else [value]
    names = dict.fromkeys(name.strip() for text in texts for name in text.split(",") if name.strip())
    if len(names) > MOST_NAMES:
        raise wrong_fields([(parameter, f"expected at most {MOST_NAMES} names, got {len(names)}")])
    return list(names)
