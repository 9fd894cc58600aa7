"""Settings: the environment, read once into one frozen object.

Every setting is a variable ``COMPTOIR_<NAME>``; the fields below give name, default, unit and meaning, and
the README's table is tested against them.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from . import setting_checks as checks
from .in_force import InForce
from .profiles import PROFILE_NAMES, Profile, profile_named
from .readers import READERS

PREFIX = "COMPTOIR_"

LOG_LEVELS = ("debug", "info", "warning", "error")
LOG_FORMATS = ("text", "json")


#: variables of that prefix which are no settings: those of the tests, and those that Kubernetes sets in every container
#: for a service of this name
_OTHERS = re.compile(rf"{PREFIX}(TEST_.*|SERVICE_(HOST|PORT).*|PORT(_.*)?)")


class SettingError(ValueError):
    """Variables of the environment that cannot be used; says of each what was expected.

    :param wrong: one line for each
    """

    def __init__(self, wrong: Sequence[str]) -> None:
        super().__init__("\n".join(wrong))
        self.wrong = tuple(wrong)


def _setting(
    default: Any, meaning: str, check: checks.Check = checks.anything, *, ready: checks.Check = checks.anything
) -> Any:
    """A setting.

    :param check: what its value must be, anywhere and always
    :param ready: what must be true of it on this machine when a server starts
    """
    return field(default=default, metadata={"meaning": meaning, "check": check, "ready": ready})


@dataclass(frozen=True)
class Settings:
    """One configuration of the server."""

    database: str = _setting(
        "sqlite:///data/comptoir.db",
        "database URL: `sqlite:///`, `postgresql://` or `mysql://`, of several hosts `postgresql://user@a:5432,b:5432/name`",
        checks.database_url,
        ready=checks.sqlite_file,
    )
    database_read: str = _setting(
        "",
        "URL of a standby that follows the database, for reads that may be some seconds old; empty: there is none",
        checks.standby_url,
    )
    read_age: int = _setting(
        0,
        "seconds that an answer from there may be old, unless the request says otherwise (`Cache-Control: max-age`)",
        checks.between(0, 3600),
    )
    documents: str = _setting(
        "data/documents",
        "where generated and uploaded files are kept: a folder, or a URL that fsspec can open",
        checks.store_url,
        ready=checks.store_folder,
    )
    modules: str = _setting("", "further module folders, separated by `:`", ready=checks.module_folders)
    bind: str = _setting("127.0.0.1:8000", "address and port to listen on", checks.addresses)
    workers: int = _setting(os.cpu_count() or 1, "worker processes", checks.between(1, 512))
    threads: int = _setting(8, "requests that a worker has in hand at once, at the most", checks.between(1, 1000))
    timeout: int = _setting(
        30, "seconds a request may take; a worker in which one takes longer is replaced", checks.between(1, 86400)
    )
    jobs: int = _setting(
        4,
        "jobs in the background that this server has in hand at once; 0: none, other hosts run them",
        checks.between(0, 100),
    )
    client_timeout: int = _setting(
        20,
        "seconds a client may take to send a request, and to take the answer; besides, one for each 32 KiB",
        checks.between(1, 86400),
    )
    statement_timeout: int = _setting(
        10, "seconds that one statement of the database may take, locks included", checks.between(1, 86400)
    )
    admin_key: str = _setting(
        "", "key of the first administrator, taken when the database is created; empty: made up", checks.key
    )
    timezone: str = _setting(
        "UTC", 'what "today" is; in the profile `dolibarr16` whose midnights days travel as', checks.zone
    )
    max_page: int = _setting(1000, "rows of a list at the most", checks.between(1, 1_000_000))
    max_body: int = _setting(10485760, "bytes of a request's body at the most", checks.between(1, 2**40))
    batch_entries: int = _setting(1000, "entries of a batch at the most", checks.between(1, 100_000))
    batch_seconds: int = _setting(
        8, "seconds after which no further entry of a batch is begun", checks.between(1, 86400)
    )
    profile_name: str = _setting(
        "specification",
        "`specification`, or `dolibarr16` for clients of that release",
        checks.one_of(PROFILE_NAMES),
    )
    login: bool = _setting(True, "whether `/login` answers keys")
    login_days: int = _setting(30, "days for which a key of `/login` is valid", checks.between(1, 36500))
    rate: int = _setting(
        0,
        "requests a minute of one key, unless the key says otherwise; 0: as many as one likes",
        checks.between(0, 1_000_000),
    )
    cache: str = _setting(
        "",
        "URL of a Redis in which they are counted, such as `redis://host:6379/0`; empty: the database",
        checks.redis_url,
    )
    audit_days: int = _setting(
        0, "days for which `audit prune` keeps the audit trail; 0: for ever", checks.between(0, 36500)
    )
    origins: str = _setting(
        "", "origins that browsers may call from (CORS), separated by spaces; empty: none", checks.origins
    )
    proxies: str = _setting(
        "127.0.0.1,::1",
        "addresses and networks of the proxies in front of the server, separated by commas",
        checks.networks,
    )
    client_header: str = _setting(
        "X-Forwarded-For",
        "header in which those proxies name the client; empty: none is read, nor is any other",
        checks.client_header,
    )
    docs: str = _setting(
        "key",
        "who reads the OpenAPI and Swagger documents: `key`, whoever has one, or `public`, everybody",
        checks.one_of(("key", "public")),
    )
    confirm: bool = _setting(False, "whether the explorer asks before a call that may change something")
    debug: bool = _setting(False, "whether unexpected errors are answered with their traceback; never in production")
    log: str = _setting("info", "`debug`, `info`, `warning` or `error`", checks.one_of(LOG_LEVELS))
    log_format: str = _setting("text", "`text`, or `json`: one object a line", checks.one_of(LOG_FORMATS))
    log_file: str = _setting(
        "",
        "where everything is logged, opened anew on SIGUSR1; empty: standard output, error",
        ready=checks.log_file,
    )
    access_log: bool = _setting(False, "whether each request is logged, without its query and key")
    slow: float = _setting(1.0, "seconds from which a request is named in the log; 0: none is", checks.seconds)
    metrics: str = _setting("", "address at which `/metrics` needs no key; empty: none", checks.address_or_none)
    writable_modules: bool = _setting(False, "whether module files that everybody may write are loaded all the same")
    demo_date: str = _setting("", "the day the demonstration data is made for (YYYY-MM-DD); empty: today", checks.day)

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
    def from_environment(cls, environment: Mapping[str, str] = os.environ, *, ready: bool = False) -> Settings:
        """Read the variables.

        :param ready: find out, too, whether this machine is as they say: folders are there and can be written
        :raises SettingError: some cannot be used, or are none; says all that is wrong
        """
        values: dict[str, Any] = {}
        wrong = list(_unknown(environment))
        for each in fields(cls):
            name = variable_name(each.name)
            try:
                value = _read(type(each.default), environment[name].strip()) if name in environment else each.default
                each.metadata["check"](value)
                if ready:
                    each.metadata["ready"](value)
                values[each.name] = value
            except ValueError as error:
                wrong.append(f"{name}: {error}")
        settings = cls(**values)
        if ready and settings.documents.startswith("memory://") and settings.workers > 1:
            wrong.append(
                f"{PREFIX}DOCUMENTS: each worker has a memory:// of its own, and there are {settings.workers}; "
                f"name a folder, or set {PREFIX}WORKERS=1"
            )
        if wrong:
            raise SettingError(wrong)
        return settings


def _unknown(environment: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with variables that look like settings: a misspelt one would be passed over in silence."""
    known = [variable_name(each.name).removeprefix(PREFIX) for each in fields(Settings)]
    for name in sorted(environment):
        if name.startswith(PREFIX) and name.removeprefix(PREFIX) not in known and not _OTHERS.fullmatch(name):
            close = difflib.get_close_matches(name.removeprefix(PREFIX), known, 1)
            hint = f"did you mean {PREFIX}{close[0]}?" if close else "the README lists those there are"
            yield f"{name}: there is no such setting; {hint}"


NATIVE_MODULES = Path(__file__).resolve().parents[2] / "modules"


def variable_name(setting: str) -> str:
    """The variable of the environment that holds a setting."""
    return PREFIX + setting.removesuffix("_name").upper()


#: further words for flags, as people write them in files of variables
_WORDS = {"yes": "1", "on": "1", "no": "0", "off": "0"}
#: what a setting is → what is expected of its text
_EXPECTED = {bool: "1 or 0", int: "a whole number", float: "a number"}


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
