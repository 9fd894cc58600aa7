"""The file ``module.toml``: version and description of a module, the modules and packages it needs, its settings."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache, partial
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion, Version

from ..common.errors import BadRequest, NotLoadable, joined, meant
from ..records.extra_field_definitions import DeclaredField, read_definition
from ..records.module_settings import DEFAULTS, TYPES, Setting
from ..version import VERSION
from .failures import line_of_text
from .importing import LoadError, named_function, told_as_reason
from .module_files import ModuleFolder, read_text

NAME = "module.toml"
#: names of settings, and of the modules in `requires`
_NAME = re.compile(r"[a-z][a-z0-9_]{0,79}")
_CONSTANT = re.compile(r"(?=.*[A-Z]{2})[A-Z*][A-Z0-9_*]{0,179}")
_MODULE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_OPERATION = re.compile(r"(GET|POST|PUT|PATCH|DELETE) /\S*")
_FUNCTION = re.compile(r"[A-Za-z]\w*(\.\w+)*:[A-Za-z_]\w*")


@dataclass(frozen=True)
class Manifest:
    """The contents of a ``module.toml``.

    :param version: such as ``1.2``
    :param description: in one sentence
    :param server: the oldest version of the server that it works with
    :param requires: the modules that it needs; they are loaded before it, and their handlers run before its own
    :param packages: the Python packages that it needs, such as ``qrcode>=7``
    :param first_data: the function that creates its first data, such as ``first:create``; empty: none
    :param wraps: operation → function, such as ``POST /orders/{id}/validate`` → ``approval:approve``
    :param settings: full name → setting
    :param extra_fields: those of other records
    :param permissions: name → what it permits, such as ``orders.approve``
    :param wrong: what is wrong with single ones of them
    """

    version: str = ""
    description: str = ""
    server: str = ""
    requires: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    first_data: str = ""
    wraps: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Setting] = field(default_factory=dict)
    extra_fields: tuple[DeclaredField, ...] = ()
    permissions: Mapping[str, str] = field(default_factory=dict)
    wrong: tuple[LoadError, ...] = ()


def read_manifest(file: Path, module: str) -> Manifest:
    """Return the contents of a module's file.

    :raises LoadError: it isn't valid, or something that it needs is missing; with the key, and the line
    """
    try:
        return _parse(module, read_text(file))
    except (ValueError, OSError) as error:
        found = re.search(r"line (\d+)", str(error))
        raise LoadError(f"{NAME}: {error}", int(found[1]) if found else None) from None
    except RecursionError:
        raise LoadError(f"{NAME}: the values are nested too deeply") from None


# A load asks several times for the same
@lru_cache(maxsize=256)
def _parse(module: str, text: str) -> Manifest:
    return _Reader(module, text).read(tomllib.loads(text))


def manifest_of(folder: ModuleFolder) -> Manifest:
    """Return the contents of a module's file; without one, or if it isn't valid, those of an empty file."""
    file = folder.path / NAME
    try:
        return read_manifest(file, folder.name) if str(file) in folder.prints else Manifest()
    except LoadError:
        return Manifest()


def with_functions(
    folder: ModuleFolder, before_import: Callable[[Path], None], settings: Mapping[str, Setting], first_data: str
) -> tuple[dict[str, Setting], Callable[[], object] | None, list[LoadError]]:
    """Return settings with the functions that check their values, the function of the first data, and what is wrong.

    :param before_import: called with each file before it is imported
    :param first_data: file and function; empty: none
    """
    found, errors = dict(settings), list[LoadError]()

    def function_of(key: str, target: str) -> Callable[..., Any] | None:
        try:
            return named_function(folder, target, before_import) if target else None
        except BaseException as wrong:  # noqa: BLE001 - a file may raise anything while it is imported
            errors.append(LoadError(f"{NAME}: {key}: {told_as_reason(wrong)}"))
            return None

    for name, each in settings.items():
        if each.check:
            function = function_of(f"settings.{name.removeprefix(f'{folder.name}.')}.check", each.check)
            found[name] = replace(each, function=function or partial(_refuse_value, folder.name))
    return found, function_of("first_data", first_data), errors


def _refuse_value(module: str, name: str, text: str) -> None:
    raise NotLoadable(f"the module {module} checks {name} but can't be loaded; an operator can run `comptoir check`")


class _Reader:
    """Reads the tables of a file.

    :param module: the module's name
    :param text: the file
    """

    def __init__(self, module: str, text: str) -> None:
        self.module, self.text = module, text
        self.wrong: list[LoadError] = []

    def fail(self, key: str, reason: str) -> LoadError:
        """Return the error of a key, such as ``settings.points.type``."""
        table, _, last = key.rpartition(".")
        header = line_of_text(rf"[ \t]*\[{re.escape(table)}\]", self.text) if table else 0
        above = "".join(self.text.splitlines(keepends=True)[: header or 0])
        line = line_of_text(rf"[ \t]*(\[[^\]\n]*\b)?[\"']?{re.escape(last)}\b", self.text[len(above) :])
        return LoadError(f"{NAME}: {key}: {reason}", (header or 0) + line if line else header or None)

    def keys(self, table: Mapping[str, Any], types: Mapping[str, tuple[type, ...]], place: str = "") -> dict[str, Any]:
        """Return the values of a table, after a check of their names and types."""
        for key, value in table.items():
            if key not in types:
                raise self.fail(f"{place}{key}", f"unknown key{meant(key, types)}; known: {joined(types)}")
            # A switch is a number to Python, and an instant a date
            if type(value) not in types[key]:
                expected = " or ".join(_WORDS[each] for each in types[key])
                raise self.fail(f"{place}{key}", f"expected {expected}, got {_WORDS.get(type(value), 'another type')}")
        return dict(table)

    def read(self, table: Mapping[str, Any]) -> Manifest:
        """Return the manifest."""
        values = self.keys(table, _KEYS)
        for key in ("version", "server"):
            try:
                found = Version(values.get(key) or "0")
            except InvalidVersion:
                raise self.fail(key, f"expected a version such as 1.2, got {values[key]!r:.40}") from None
            if key == "server" and found > Version(VERSION):
                raise self.fail(key, f"the module needs version {found} of the server or newer; this is {VERSION}")
        return Manifest(
            values.get("version", ""),
            values.get("description", ""),
            values.get("server", ""),
            self._names(values.get("requires", [])),
            self._packages(values.get("packages", [])),
            self._function("first_data", values.get("first_data", "")),
            self._wraps(values.get("wraps", {})),
            self._settings(values.get("settings", {})),
            tuple(self._extra_fields(values.get("fields", {}))),
            self._permissions(values.get("permissions", {})),
            tuple(self.wrong),
        )

    def _names(self, requires: list[Any]) -> tuple[str, ...]:
        for each in requires:
            if not isinstance(each, str) or not _MODULE.fullmatch(each):
                raise self.fail("requires", f"expected names of modules, got {each!r:.40}")
        return tuple(requires)

    def _packages(self, packages: list[Any]) -> tuple[str, ...]:
        for each in packages:
            try:
                wanted = Requirement(each)
                if wanted.marker and not wanted.marker.evaluate():
                    continue
                found = metadata.version(wanted.name)
            except (InvalidRequirement, TypeError):
                raise self.fail("packages", f"expected a package such as 'qrcode>=7', got {each!r:.40}") from None
            except metadata.PackageNotFoundError:
                reason = f"the Python package {each} is not installed; install it, then restart the server"
                raise self.fail("packages", reason) from None
            if not wanted.specifier.contains(found, prereleases=True):
                reason = f"the module needs {each}; installed is {found}. Install it, then restart the server"
                raise self.fail("packages", reason)
        return tuple(packages)

    def _function(self, key: str, target: str) -> str:
        if target and not _FUNCTION.fullmatch(target):
            raise self.fail(key, 'expected a file and a function such as "masks:check_mask"')
        return target

    def _wraps(self, table: Mapping[str, Any]) -> dict[str, str]:
        for name, target in table.items():
            if not _OPERATION.fullmatch(name):
                raise self.fail(f"wraps.{name}", 'expected an operation such as "POST /orders/{id}/validate"')
            if not isinstance(target, str) or not _FUNCTION.fullmatch(target):
                raise self.fail(f"wraps.{name}", 'expected a file and a function such as "approval:approve"')
        return dict(table)

    def _extra_fields(self, services: Mapping[str, Any]) -> Iterator[DeclaredField]:
        """Yield the extra fields; what is wrong with one doesn't concern the others."""
        for service, tables in services.items():
            if not isinstance(tables, dict):
                self.wrong.append(self.fail(f"fields.{service}", f"expected tables such as [fields.{service}.level]"))
                continue
            for name, table in tables.items():
                try:
                    yield self._extra_field(service, name, table)
                except LoadError as error:
                    self.wrong.append(error)

    def _extra_field(self, service: str, name: str, table: Any) -> DeclaredField:
        place = f"fields.{service}.{name}"
        if not isinstance(table, dict):
            raise self.fail(place, f"expected a table [{place}]")
        values = self.keys(table, _KEYS_OF_FIELD, f"{place}.")
        if options := values.pop("options", None):
            values["param"] = {"options": options}
        try:
            return DeclaredField(self.module, service, name, read_definition(name, values))
        except BadRequest as error:
            (key, reason), *_ = error.errors
            raise self.fail(f"{place}.{key}" if key in table else place, f"{reason}") from None

    def _permissions(self, services: Mapping[str, Any]) -> dict[str, str]:
        found: dict[str, str] = {}
        for service, table in services.items():
            place = f"permissions.{service}"
            if not isinstance(table, dict) or not _NAME.fullmatch(service):
                raise self.fail(place, 'expected permissions such as orders.approve = "approve large orders", unquoted')
            for verb, meaning in table.items():
                if not _NAME.fullmatch(verb) or not isinstance(meaning, str):
                    raise self.fail(f"{place}.{verb}", "expected a name in lower case, and what it permits as a text")
                found[f"{service}.{verb}"] = meaning
        return found

    def _settings(self, tables: Mapping[str, Any]) -> dict[str, Setting]:
        found = (self._setting(name, each) for name, each in tables.items())
        return {each.name: each for each in found}

    def _setting(self, name: str, table: Any) -> Setting:
        place = f"settings.{name}"
        if _CONSTANT.fullmatch(name):
            full_name = name
        elif _NAME.fullmatch(name):
            full_name = f"{self.module}.{name}"
        else:
            raise self.fail(place, "expected a name of lower-case letters, digits and _, such as points_per_euro")
        if not isinstance(table, dict):
            raise self.fail(place, f"expected a table [{place}]")
        kind = table.get("type", "text")
        if not isinstance(kind, str) or kind not in TYPES:
            raise self.fail(f"{place}.type", f"expected {joined(TYPES)}, got {kind!r:.40}")
        values = self.keys(table, _keys_of_setting(kind), f"{place}.")
        if "default" not in values and kind != "text":
            raise self.fail(place, "expected a default")
        is_secret = values.get("secret", False)
        limit = TYPES["integer" if kind == "text" else kind]
        least, most = (self._value(f"{place}.{each}", limit, values.get(each)) for each in ("min", "max"))
        if least is not None and most is not None and least > most:
            raise self.fail(f"{place}.max", f"expected at least {least}, which is `min`, got {most}")
        told = values.get("help", "")
        check = self._function(f"{place}.check", values.get("check", ""))
        made = Setting(full_name, kind, None, (), least, most, is_secret, told, self.module, check)
        for each in values.get("choices", ()):
            if type(each) not in DEFAULTS[kind]:
                raise self.fail(f"{place}.choices", f"expected values of the type {kind}")
        choosable = (self._value(f"{place}.choices", made.read, each, is_secret) for each in values.get("choices", ()))
        made = replace(made, choices=tuple(choosable))
        default = values.get("default", "")
        # An optional text may be empty, whatever its choices are
        if default != "":
            default = self._value(f"{place}.default", made.read, default, is_secret)
        return replace(made, default=default)

    def _value(self, key: str, read: Callable[[str], Any], value: Any, is_secret: bool = False) -> Any:
        try:
            return None if value is None else read(str(value))
        except ValueError as error:
            raise self.fail(key, f"{error}" if is_secret else f"{error}, got {value!r:.40}") from None


def _keys_of_setting(kind: str) -> dict[str, tuple[type, ...]]:
    """Return the keys that a setting of a type may have, with their types."""
    found: dict[str, tuple[type, ...]] = {
        "type": (str,), "default": DEFAULTS[kind], "secret": (bool,), "help": (str,), "check": (str,),
    }  # fmt: skip
    if kind in ("integer", "number"):
        found |= {"min": DEFAULTS[kind], "max": DEFAULTS[kind]}
    elif kind == "text":
        found["max"] = (int,)
    return found if kind == "switch" else found | {"choices": (list,)}


#: type → its word in messages
_WORDS = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
    date: "a date",
}
_KEYS: Mapping[str, tuple[type, ...]] = {
    "version": (str,), "description": (str,), "server": (str,), "requires": (list,), "packages": (list,),
    "first_data": (str,), "wraps": (dict,), "settings": (dict,), "fields": (dict,), "permissions": (dict,),
}  # fmt: skip

_KEYS_OF_FIELD: Mapping[str, tuple[type, ...]] = {
    "type": (str,), "label": (str,), "size": (int,), "default": (str, int, float, bool), "required": (bool,),
    "unique": (bool,), "pos": (int,), "options": (dict,),
}  # fmt: skip


def in_order(found: Iterable[ModuleFolder]) -> tuple[list[ModuleFolder], dict[Path, LoadError]]:
    """Return modules so that each comes after those that it requires, and why some can't be loaded."""
    found = list(found)
    folders = {each.name: each for each in found if not each.is_second}
    wrong: dict[Path, LoadError] = {}
    requires: dict[str, tuple[str, ...]] = {}
    for name, folder in folders.items():
        try:
            file = folder.path / NAME
            requires[name] = read_manifest(file, name).requires if str(file) in folder.prints else ()
        except LoadError as error:
            wrong[folder.path], requires[name] = error, ()
    ordered: dict[str, ModuleFolder] = {}

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            circle = " → ".join((*path[path.index(name) :], name))
            for each in path[path.index(name) :]:
                wrong[folders[each].path] = LoadError(f"{NAME}: requires: the modules need each other: {circle}")
        elif name not in ordered:
            for each in requires[name]:
                if each in folders:
                    visit(each, (*path, name))
                else:
                    told = f"{NAME}: requires: there is no module {each}{meant(each, folders)}"
                    wrong[folders[name].path] = LoadError(told)
            ordered[name] = folders[name]

    for name in folders:
        visit(name, ())
    return [*ordered.values(), *(each for each in found if each.is_second)], wrong
