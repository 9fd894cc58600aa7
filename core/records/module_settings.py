"""The settings of modules: declared in ``module.toml``, set by ``PUT /setup/conf/{name}``, read with `setting`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from ..common.errors import NotLoadable, meant
from ..common.readers import one_of, read_decimal, read_flag, read_integer, storable, written_day
from ..contract.catalogue import current_catalogue
from ..storage.cache_version import cached
from ..storage.database import query
from ..storage.model import meta_of

#: the module `setup` owns it
_TABLE = "llx_const"


def _read_day(text: str) -> date:
    found = written_day(text)
    if found is None:
        raise ValueError("expected a date such as 2026-11-21")
    return found


#: type in ``module.toml`` → function that reads a value from text; it raises a ValueError with what is expected
TYPES: Mapping[str, Callable[[str], Any]] = {
    "text": storable, "integer": read_integer, "number": read_decimal, "switch": read_flag, "day": _read_day,
}  # fmt: skip
#: type → the Python types of a default in ``module.toml``
DEFAULTS: Mapping[str, tuple[type, ...]] = {
    "text": (str,), "integer": (int,), "number": (int, float), "switch": (bool,), "day": (date,),
}  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """A setting that a module declares.

    :param name: the module and its own name, such as ``loyalty.points_per_euro``
    :param type: a key of `TYPES`
    :param default: its value while it isn't set, in Python's type
    :param choices: the only valid values; empty: any
    :param least: the smallest number; None: any
    :param most: the largest number; None: any
    :param is_secret: whether no response, log or history shows its value
    :param help: what it means, for people
    """

    name: str
    type: str
    default: Any
    choices: tuple[Any, ...] = ()
    least: Any = None
    most: Any = None
    is_secret: bool = False
    help: str = ""

    def read(self, text: str) -> Any:
        """Return a value that was sent or stored.

        :raises ValueError: it is invalid; with what was expected
        """
        value = TYPES[self.type](text.strip())
        if self.choices and value not in self.choices:
            raise ValueError(one_of(self.choices))
        if self.least is not None and value < self.least:
            raise ValueError(f"expected a number of at least {self.least}")
        if self.most is not None and value > self.most:
            raise ValueError(f"expected a number of at most {self.most}")
        return value


def setting(name: str) -> Any:
    """Return the value of a setting that a module declares in ``module.toml``, or its default.

    :param name: such as ``loyalty.points_per_euro``
    :raises NotLoadable: no loaded module declares it
    """
    declared = current_catalogue.value.settings
    if name not in declared:
        raise NotLoadable(f"no loaded module has the setting {name}{meant(name, sorted(declared))}")
    stored = stored_settings().get(name)
    try:
        return declared[name].default if stored is None else declared[name].read(stored)
    except ValueError:
        # It was valid for a former version of the module
        return declared[name].default


@cached
def stored_settings() -> Mapping[str, str]:
    """Return the settings that are set, as text."""
    if all(meta_of(each).table_name != _TABLE for each in current_catalogue.value.models):
        return {}
    return {name: value or "" for name, value in query(f"SELECT name, value FROM {_TABLE} WHERE name LIKE '%.%'")}
