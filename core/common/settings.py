"""Settings: the environment, read once into one frozen object.

Every setting is a variable ``COMPTOIR_<NAME>``; the fields below give name, default, unit and meaning, and
the README's table is tested against them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from .in_force import InForce
from .profiles import PROFILE_NAMES, Profile, profile_named
from .readers import READERS

PREFIX = "COMPTOIR_"

LOG_LEVELS = ("debug", "info", "warning", "error")


class SettingError(ValueError):
    """A variable of the environment that cannot be used; says what was expected."""


def _setting(default: Any, meaning: str) -> Any:
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True)
class Settings:
    """One configuration of the server."""

    database: str = _setting("sqlite:///data/comptoir.db", "database URL: `sqlite:///`, `postgresql://` or `mysql://`")
    documents: str = _setting(
        "data/documents", "where generated and uploaded files are kept: a folder, or a URL that fsspec can open"
    )
    modules: str = _setting("", "further module folders, separated by `:`")
    bind: str = _setting("127.0.0.1:8000", "address and port to listen on")
    workers: int = _setting(os.cpu_count() or 1, "worker processes")
    threads: int = _setting(4, "threads of each worker")
    timeout: int = _setting(30, "seconds after which a worker that does not move is replaced")
    admin_key: str = _setting("", "key of the first administrator, taken when the database is created; empty: made up")
    timezone: str = _setting("UTC", 'what "today" is')
    max_page: int = _setting(1000, "rows of a list at the most")
    max_body: int = _setting(10485760, "bytes of a request's body at the most")
    profile_name: str = _setting("specification", "`specification`, or `dolibarr16` for clients of that release")
    login: bool = _setting(True, "whether `/login` answers keys")
    login_days: int = _setting(30, "days for which a key of `/login` is valid")
    origins: str = _setting("", "origins that browsers may call from (CORS), separated by spaces; empty: none")
    proxies: str = _setting("127.0.0.1", "addresses whose X-Forwarded-For is believed, separated by commas")
    confirm: bool = _setting(False, "whether the explorer asks before a call that may change something")
    debug: bool = _setting(False, "whether unexpected errors are answered with their traceback; never in production")
    log: str = _setting("info", "`debug`, `info`, `warning` or `error`")
    access_log: bool = _setting(False, "whether each request is logged, without its query and key")
    writable_modules: bool = _setting(False, "whether module files that everybody may write are loaded all the same")
    demo_date: str = _setting("", "the day the demonstration data is made for (YYYY-MM-DD); empty: today")

    @property
    def profile(self) -> Profile:
        """The profile that is on."""
        return profile_named(self.profile_name)

    @property
    def zone(self) -> ZoneInfo:
        """The company's time zone."""
        return ZoneInfo(self.timezone)

    @property
    def module_folders(self) -> tuple[Path, ...]:
        """Every folder that holds modules, each once; the native one first."""
        outside = (Path(folder).expanduser() for folder in self.modules.split(":") if folder)
        return tuple(dict.fromkeys((NATIVE_MODULES, *(folder.resolve() for folder in outside))))

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Read the variables; an unusable value raises `SettingError` with all that is wrong."""
        values: dict[str, Any] = {}
        wrong = []
        for each in fields(cls):
            name = variable_name(each.name)
            if name not in environment:
                continue
            try:
                values[each.name] = _read(type(each.default), environment[name].strip())
            except ValueError as error:
                wrong.append(f"{name}: {error}")
        settings = cls(**values)
        wrong += settings._check()
        if wrong:
            raise SettingError("; ".join(wrong))
        return settings

    def _check(self) -> list[str]:
        wrong = []
        if self.profile_name not in PROFILE_NAMES:
            wrong.append(f"{PREFIX}PROFILE: expected {' or '.join(PROFILE_NAMES)}, got {self.profile_name!r}")
        try:
            ZoneInfo(self.timezone)
        except (KeyError, ValueError, OSError):
            wrong.append(f"{PREFIX}TIMEZONE: expected a zone such as Europe/Paris, got {self.timezone!r}")
        if self.log not in LOG_LEVELS:
            wrong.append(f"{PREFIX}LOG: expected {', '.join(LOG_LEVELS)}, got {self.log!r}")
        try:
            date.fromisoformat(self.demo_date or "2000-01-01")
        except ValueError:
            wrong.append(f"{PREFIX}DEMO_DATE: expected a day such as 2026-01-31, got {self.demo_date!r}")
        wrong += [
            f"{variable_name(name)}: expected a number from 1, got {getattr(self, name)}"
            for name in ("workers", "threads", "timeout", "max_page", "max_body", "login_days")
            if getattr(self, name) < 1
        ]
        return wrong


NATIVE_MODULES = Path(__file__).resolve().parents[2] / "modules"


def variable_name(setting: str) -> str:
    """The variable of the environment that holds a setting."""
    return PREFIX + setting.removesuffix("_name").upper()


#: further words for flags, as people write them in files of variables
_WORDS = {"yes": "1", "on": "1", "no": "0", "off": "0"}
#: what a setting is → what is expected of its text
_EXPECTED = {bool: "1 or 0", int: "a whole number"}


def _read(kind: type, text: str) -> Any:
    if kind is str:
        return text
    try:
        return READERS[kind](_WORDS.get(text.lower(), text) if kind is bool else text)
    except ValueError:
        raise ValueError(f"expected {_EXPECTED[kind]}, got {text!r}") from None


_settings: InForce[Settings | None] = InForce(None)


def settings() -> Settings:
    """The configuration in force; that of the environment where none was put in force."""
    current = _settings.value
    if current is None:
        current = _settings.value = Settings.from_environment()
    return current


def configure(new: Settings) -> None:
    """Put another configuration in force: `build` in `core/wsgi.py` does it, once a process but for tests."""
    _settings.value = new
