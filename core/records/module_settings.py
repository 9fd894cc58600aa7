"""The settings of modules: declared in ``module.toml``, set by ``PUT /setup/conf/{name}``, read with `setting`.

A setting in capitals is a constant: its name begins with no module, as in a database of Dolibarr. One with ``*`` stands
for all constants with such a name, such as ``*_ADDON_PDF``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
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


def _read_switch(text: str) -> bool:
    try:
        return read_flag(text)
    except ValueError:
        raise ValueError("expected 0 or 1") from None


#: type in ``module.toml`` → function that reads a value from text; it raises a ValueError with what is expected
TYPES: Mapping[str, Callable[[str], Any]] = {
    "text": storable, "integer": read_integer, "number": read_decimal, "switch": _read_switch, "day": _read_day,
}  # fmt: skip
#: type → the Python types of a default in ``module.toml``
DEFAULTS: Mapping[str, tuple[type, ...]] = {
    "text": (str,), "integer": (int,), "number": (int, float), "switch": (bool,), "day": (date,),
}  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """A setting that a module declares.

    :param name: the module and its own name, such as ``loyalty.points_per_euro``, or a constant
    :param type: a key of `TYPES`
    :param default: its value while it isn't set, in Python's type
    :param choices: the only valid values; empty: any
    :param least: the smallest number; None: any
    :param most: the largest number, or number of characters; None: any
    :param is_secret: whether no response, log or history shows its value
    :param help: what it means, for people
    :param module: the module that declares it
    :param check: file and function that check a value, such as ``masks:check_mask``; empty: none
    :param function: the function; None in a read-only catalogue
    """

    name: str
    type: str
    default: Any
    choices: tuple[Any, ...] = ()
    least: Any = None
    most: Any = None
    is_secret: bool = False
    help: str = ""
    module: str = ""
    check: str = ""
    function: Callable[[str, str], None] | None = None

    @property
    def is_constant(self) -> bool:
        """True if no module precedes its name."""
        return "." not in self.name

    def is_unset_by(self, text: str) -> bool:
        """Return whether a value means that the default applies: an empty one of a constant does."""
        return self.is_constant and not text.strip()

    def read(self, text: str) -> Any:
        """Return a value that was sent or stored.

        :raises ValueError: it is invalid; with what was expected
        """
        value = TYPES[self.type](text.strip())
        if self.choices and value not in self.choices:
            raise ValueError(one_of(self.choices))
        size = len(value) if self.type == "text" else value
        is_small = self.least is not None and size < self.least
        if is_small or (self.most is not None and size > self.most):
            raise ValueError(f"expected {self._limits()}")
        return value

    def _limits(self) -> str:
        if self.type == "text":
            return f"at most {self.most} characters"
        if self.least is not None and self.most is not None:
            return f"a number from {self.least} to {self.most}"
        return f"a number of at most {self.most}" if self.least is None else f"a number of at least {self.least}"

    @staticmethod
    def write(value: Any) -> str:
        """Return a value as it is stored."""
        return str(int(value)) if isinstance(value, bool) else str(value)

    def in_one_form(self, text: str) -> str:
        """Return a valid value as it is stored: a switch as 0 or 1, whatever word was sent."""
        return self.write(self.read(text)) if self.type == "switch" and text.strip() else text

    def describe_values(self) -> str:
        """Return which values are valid, in words, such as ``0 or 1``; empty for any text."""
        if self.type == "switch":
            return "0 or 1"
        if self.choices:
            return "" if self.is_secret else ", ".join(self.write(each) for each in self.choices)
        if self.least is None and self.most is None:
            return {"text": "", "integer": "a whole number", "number": "a number", "day": "a date"}[self.type]
        return self._limits()

    def verify(self, name: str, text: str) -> None:
        """Check a value that was sent; an empty one unsets a constant.

        :param name: the setting's name, which differs from its own if that has ``*``
        :raises ValueError: it is invalid; with what was expected
        """
        text = text.strip()
        if self.is_unset_by(text):
            return
        self.read(text)
        if self.function is not None:
            self.function(name, text)


def declared_setting(name: str) -> Setting | None:
    """Return the setting with a name, or None if no loaded module declares it.

    If several with ``*`` fit, it is that of the module that is loaded first.
    """
    declared = current_catalogue.value.settings
    if name in declared:
        found: Setting = declared[name]
        return found
    return next((each for known, each in declared.items() if "*" in known and fnmatchcase(name, known)), None)


def setting(name: str) -> Any:
    """Return the value of a setting that a module declares in ``module.toml``, or its default.

    :param name: such as ``loyalty.points_per_euro``
    :raises NotLoadable: no loaded module declares it
    """
    declared = declared_setting(name)
    if declared is None:
        raise NotLoadable(
            f"no loaded module has the setting {name}{meant(name, sorted(current_catalogue.value.settings))}"
        )
    stored = stored_settings().get(name)
    if stored is None or declared.is_unset_by(stored):
        return declared.default
    try:
        return declared.read(stored)
    except ValueError:
        # It was valid for a former version of the module
        return declared.default


@cached
def stored_settings() -> Mapping[str, str]:
    """Return the settings that are set, as text."""
    if all(meta_of(each).table_name != _TABLE for each in current_catalogue.value.models):
        return {}
    return {name: value or "" for name, value in query(f"SELECT name, value FROM {_TABLE}")}
