"""Which records may be expanded: of each table the service that reads them, and who may."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..access.callers import ANONYMOUS, Caller, Permission
from ..common.errors import NotLoadable, Unauthorized
from ..common.settings import NATIVE_MODULES
from ..contract.catalogue import Catalogue, Operation, Service, cached_per_catalogue
from ..contract.relations import Shape, relations_of
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

    def insist(self, path: str, caller: Caller) -> None:
        """Go on only if a caller may read them.

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
    if operation.verb != "GET" or operation.is_guest or len(operation.segments) > 1:
        return None
    shape = operation.shape
    if shape is None or meta_of(shape.model).table_name != table or shape.is_list == bool(operation.segments):
        return None
    name = operation.segments[0][1:-1] if operation.segments else ""
    by_number = any(each.name == name and each.place == "path" and each.type is int for each in operation.inputs)
    return shape if shape.is_list or by_number else None
