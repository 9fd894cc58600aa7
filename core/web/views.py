"""What a request wants to see of the records that are answered: `expand` and `properties`.

``?expand=thirdparty,lines.product&properties=ref,thirdparty.name`` is read before the method is called (`Paths`),
so that what is unknown or not allowed costs nothing, and done with what it has returned: a statement for each relation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..access.callers import ANONYMOUS, Caller, Permission, is_internal
from ..common.errors import BadRequest, NotLoadable, Unauthorized, unknown_fields, wrong_fields
from ..common.settings import NATIVE_MODULES
from ..contract.annotations import ParameterNote
from ..contract.catalogue import Catalogue, Input, Operation, Service, cached_per_catalogue
from ..contract.relations import Shape, may_relate, relations_of
from ..records.lists import Page
from ..storage.fields import RecordField
from ..storage.model import meta_of

#: names in the path of an expansion, at the most
DEEPEST = 3
#: identifiers in one statement: SQLite binds 32,766 values, and an author's `complete` may bind them again
IDS_OF_A_STATEMENT = 5_000


@dataclass(frozen=True)
class Target:
    """The records of one table as a service has them.

    :param service: its name; of one that cannot be loaded its module's
    :param records: its `Records`; None: it cannot be loaded
    :param shape: what one of them is
    :param permissions: what a caller must meet: whoever may list them and read one of them by itself
    :param is_open: whether no key is needed
    """

    service: str
    records: Any = None
    shape: Shape | None = None
    permissions: tuple[Permission, ...] = ()
    is_open: bool = False

    def ensure_readable(self, path: str, caller: Caller) -> None:
        """Check that a caller may read them.

        :param path: how the request names them
        :raises NotLoadable: their service cannot be loaded
        :raises Unauthorized: a right is missing
        """
        if self.records is None:
            raise NotLoadable(f"expand={path}: a file of the module {self.service} can't be loaded")
        if caller is ANONYMOUS and not self.is_open:
            raise Unauthorized(f"expand={path}: an API key is required")
        for each in self.permissions:
            if not caller.may(each):
                raise Unauthorized(f"expand={path}: {each.missing}")

    def read(self, identifiers: list[int]) -> list[dict[str, Any]]:
        """Those of some records that the caller may see, as a list of the service has them."""
        key = meta_of(self.records.model).primary_key.name
        found: list[dict[str, Any]] = []
        for start in range(0, len(identifiers), IDS_OF_A_STATEMENT):
            found += self.records.every({key: identifiers[start : start + IDS_OF_A_STATEMENT]})
        return found


class Relations:
    """The relations of all records in one catalogue."""

    def __init__(self, served: Catalogue) -> None:
        #: table → what reads its records
        self.targets = read_targets(served)
        #: table → model of the records that are shown of it
        self.shown = {table: each.shape.model for table, each in self.targets.items() if each.shape is not None}
        self._named: dict[Any, Mapping[str, RecordField]] = {}

    def below(self, shape: Shape, holder: Any = None) -> dict[str, tuple[RecordField, Target]]:
        """The relations of records that can be expanded, by name.

        :param holder: the model of the record that they are parts of: to lead back to it is no relation
        """
        named = self._named.get(shape.model)
        if named is None:
            named = self._named[shape.model] = relations_of(shape.model)
        found = {}
        for name, each in named.items():
            table = meta_of(each.target()).table_name
            led_back = holder is not None and table == meta_of(holder).table_name
            if table in self.targets and name not in shape.parts and not led_back:
                found[name] = each, self.targets[table]
        return found

    def paths(self, shape: Shape, holder: Any = None, left: int = DEEPEST) -> Iterator[str]:
        """Every path that can be expanded: ``thirdparty``, ``lines.product``, ``order.thirdparty``."""
        if not left:
            return
        for name, (_, target) in self.below(shape, holder).items():
            if target.shape is not None:
                yield name
                yield from (f"{name}.{further}" for further in self.paths(target.shape, None, left - 1))
        for key, model in shape.parts.items():
            yield from (f"{key}.{further}" for further in self.paths(Shape(model), shape.model, left - 1))


relations = cached_per_catalogue(Relations)


def read_targets(served: Catalogue) -> dict[str, Target]:
    """Of each table what reads its records; native services come before those that are dropped in."""
    found: dict[str, Target] = {}
    for service in sorted(served.services.values(), key=lambda each: (not _is_native(each), each.name)):
        target = _target(service)
        if target is not None:
            found.setdefault(meta_of(target.records.model).table_name, target)
    # Of a module, and not of a service: which file would have served a table is not known
    broken = {each.module for each in served.failures if "/" not in each.name and not each.shadowed}
    for model in served.models if broken else ():
        module = model.__module__.split(".")[1:2]
        if module and module[0] in broken:
            found.setdefault(meta_of(model).table_name, Target(module[0]))
    return found


def _is_native(service: Service) -> bool:
    return service.file.is_relative_to(NATIVE_MODULES)


def _target(service: Service) -> Target | None:
    """What reads the records of a service; None: it says nowhere who may."""
    records = service.records
    if records is None or not records.expandable:
        return None
    table = meta_of(records.model).table_name
    asked = [(operation, shape) for operation in service.operations if (shape := _read_by(operation, table))]
    if not asked:
        return None
    # What a method checks by itself cannot be known here: what it states counts, and who states nothing opens nothing
    permissions = {each.permission.text: each.permission for each, _ in asked if each.permission is not None}
    is_open = not permissions and all(each.access != "protected" for each, _ in asked)
    if not permissions and not is_open:
        return None
    shape = next((each for _, each in asked if each.parts), asked[0][1])
    return Target(service.name, records, shape, tuple(permissions.values()), is_open)


def _read_by(operation: Operation, table: str) -> Shape | None:
    """What an operation answers that lists a service's records, or reads one by its identifier; None: it does not."""
    if operation.verb != "GET" or operation.is_mounted or len(operation.segments) > 1:
        return None
    shape = operation.shape
    if shape is None or meta_of(shape.model).table_name != table or shape.is_list == bool(operation.segments):
        return None
    name = operation.segments[0][1:-1] if operation.segments else ""
    by_number = any(each.name == name and each.place == "path" and each.type is int for each in operation.inputs)
    return shape if shape.is_list or by_number else None


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
            step.relation.ensure_readable(step.path, self._caller)
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


#: further records that one answer holds, those in others and their parts counted too: each may come many times
MOST_EXPANDED = 20_000

Record = dict[str, Any]

_EXPAND = Input(
    EXPAND,
    "query",
    list[str],
    "",
    ParameterNote(EXPAND, "referenced records to include; null if there is none, or you can't read it"),
    of_answer=True,
)
_PROPERTIES = Input(
    PROPERTIES,
    "query",
    str,
    "",
    ParameterNote(PROPERTIES, "fields to return, separated by commas; all if empty"),
    of_answer=True,
)


def view_inputs(verb: str, inputs: Iterable[Input], shape: Shape | None) -> tuple[Input, ...]:
    """What an operation takes besides its own parameters, so that a request can say what it wants to see.

    :param shape: the records that it answers
    """
    taken = {each.name for each in inputs}
    if verb != "GET" or shape is None or EXPAND in taken:
        return ()
    found = (_EXPAND,) if may_relate(shape) else ()
    return found if PROPERTIES in taken else (*found, _PROPERTIES)


class View:
    """What one request wants to see.

    :param wanted: what is wanted of the records that the operation answers
    """

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted

    def apply(self, result: Any) -> Any:
        """What a method has returned, as the request wants to see it. Nothing of it is changed in place.

        :raises BadRequest: a field that the records do not have; more records than one answer holds
        """
        if isinstance(result, dict):
            return self._seen([result])[0]
        if not isinstance(result, list):
            return result
        # An author's list may hold something else, too, and may be one that is kept
        seen = iter(self._seen([each for each in result if isinstance(each, dict)]))
        made = [next(seen) if isinstance(each, dict) else each for each in result]
        if isinstance(result, Page):
            result[:] = made
            return result
        return made

    def _seen(self, records: list[Record]) -> list[Record]:
        made, weights = self._expanded(records, self.wanted)
        if sum(weights) > MOST_EXPANDED:
            reason = f"expected at most {MOST_EXPANDED} referenced records, got {sum(weights)}"
            raise wrong_fields([(EXPAND, reason)])
        return made

    def _expanded(self, records: list[Record], wanted: Wanted) -> tuple[list[Record], list[int]]:
        """Records as they are wanted, and how many further records each of them holds."""
        made = [dict(record) for record in records]
        weights = [0] * len(made)
        for name, below in wanted.below.items():
            if below.relation is None:
                self._fill_parts(made, weights, name, below)
            else:
                self._fill_relation(made, weights, name, below)
        if wanted.is_limited:
            self._ensure_known(wanted, records, made)
            made = [{name: record[name] for name in wanted.named if name in record} for record in made]
        return made, weights

    def _fill_parts(self, made: list[Record], weights: list[int], key: str, below: Wanted) -> None:
        counts = [len(record[key]) if isinstance(record.get(key), list) else 0 for record in made]
        flat = [part for record, count in zip(made, counts, strict=True) for part in (record[key] if count else ())]
        parts, inner = self._expanded(flat, below)
        start = 0
        for place, count in enumerate(counts):
            if count:
                made[place][key] = parts[start : start + count]
                weights[place] += sum(inner[start : start + count])
                start += count

    def _fill_relation(self, made: list[Record], weights: list[int], key: str, below: Wanted) -> None:
        target: Any = below.relation
        named = [number_of(record.get(below.leads)) for record in made]
        found = target.read(sorted({each for each in named if each}))
        own = meta_of(target.records.model).primary_key.name
        numbers = [number_of(record.get(own)) for record in found]
        sizes = [1 + sum(len(record.get(part) or ()) for part in below.shape.parts) for record in found]
        records, inner = self._expanded(found, below)
        known = dict(zip(numbers, zip(records, sizes, inner, strict=True), strict=True))
        for place, number in enumerate(named):
            record, size, more = known.get(number, (None, 0, 0))
            made[place][key] = record
            weights[place] += size + more

    def _ensure_known(self, wanted: Wanted, records: list[Record], made: list[Record]) -> None:
        """Reject a requested field that no record has."""
        if not made:
            return
        meta = meta_of(wanted.shape.model)
        fields = {*meta.fields, *meta.aliases, "array_options"} - {*meta.secret}
        if not is_internal():
            fields -= {*meta.internal, *(alias for alias, name in meta.aliases.items() if name in meta.internal)}
        for name in wanted.named:
            if name not in fields and not any(name in record for record in made):
                raise unknown_property(f"{wanted.path}.{name}".removeprefix("."))

    @property
    def names_columns(self) -> bool:
        """Whether each record in another one is asked for by its fields, so that a sheet's columns are known."""
        return _names_columns(self.wanted)

    # Sheets ----------------------------------------------------------------------------------------------------------

    def flat(self, records: list[Record]) -> list[Record]:
        """Seen records as rows of a sheet: a record in another one becomes columns such as ``thirdparty.name``."""
        return [dict(self._cells(record, self.wanted, "")) for record in records]

    def _cells(self, record: Mapping[str, Any], wanted: Wanted, before: str) -> Iterator[tuple[str, Any]]:
        for name, value in record.items():
            below = wanted.below.get(name)
            if below is None or below.relation is None:
                yield before + name, value
            elif value is not None:
                yield from self._cells(value, below, f"{before}{name}.")
            elif below.is_limited:
                yield from self._cells(dict.fromkeys(below.named), below, f"{before}{name}.")


def _names_columns(wanted: Wanted) -> bool:
    return all(
        below.relation is None or (below.is_limited and _names_columns(below)) for below in wanted.below.values()
    )


def number_of(value: Any) -> int:
    """The identifier that a field holds, whatever the form of the profile; 0: it names no record."""
    try:
        return max(int(value), 0) if type(value) in (int, str) else 0
    except ValueError:
        return 0


class ViewReader:
    """Reads of each request to an operation what it wants to see.

    :param inputs: all that the operation takes
    """

    def __init__(self, shape: Shape, inputs: Iterable[Input]) -> None:
        self._shape = shape
        minded = {each.name: each.of_answer for each in inputs if each.of_answer or each.group}
        self._expands = minded.get(EXPAND, False)
        self._limits = PROPERTIES in minded
        #: whether the method is told which fields a list is to have
        self.tells = self._limits and not minded[PROPERTIES]

    def read(self, query: Mapping[str, Any], caller: Caller) -> View | None:
        """What a request wants to see; None: what the method answers."""
        if EXPAND not in query and PROPERTIES not in query:
            return None
        expand = names_in(query, EXPAND) if self._expands else []
        properties = names_in(query, PROPERTIES) if self._limits else []
        if not expand and (not properties or (self.tells and not self._reaches(properties))):
            return None
        return View(Paths(self._shape, expand, properties, caller).wanted)

    def _reaches(self, properties: list[str]) -> bool:
        """Whether fields of other records are asked for, or of parts."""
        return any("." in name for name in properties) or bool({*relations().below(self._shape)} & {*properties})
