"""Settings: the environment, read once into one frozen object.

Every setting is a variable ``COMPTOIR_<NAME>``. The fields below are the only place for its name, default and meaning:
`comptoir settings` prints them, and `make docs` writes them into `core/SETTINGS.md`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from . import setting_checks as checks
from .client_addresses import read_networks
from .errors import near_name
from .masks import hide_password, masked
from .process import ProcessValue
from .profiles import PROFILE_NAMES, Profile, current_profiles
from .readers import READERS

PREFIX = "COMPTOIR_"

LOG_LEVELS = ("debug", "info", "warning", "error")
LOG_FORMATS = ("text", "json")


#: variables with the prefix that are not settings: those of the tests, and those that Kubernetes sets in each container
#: for a service of this name
_OTHERS = re.compile(rf"{PREFIX}(TEST_.*|SERVICE_(HOST|PORT).*|PORT(_.*)?)")


class SettingError(ValueError):
    """Environment variables that are invalid.

    :param wrong: one line for each: what was expected, and what it is
    """

    def __init__(self, wrong: Sequence[str]) -> None:
        super().__init__("\n".join(wrong))
        self.wrong = tuple(wrong)


def _setting(
    group: str,
    default: Any,
    meaning: str,
    check: checks.Check = checks.anything,
    *,
    ready: checks.Check = checks.anything,
    default_text: str = "",
    secret: bool = False,
) -> Any:
    """A setting.

    :param group: heading under which it is listed
    :param meaning: the only description of it: `comptoir settings` and `core/SETTINGS.md` show this text
    :param check: what its value must be, anywhere and always
    :param ready: what must be true of it on this machine when a server starts
    :param default_text: shown as the default, if that depends on the machine
    :param secret: its value is never shown
    """
    shown = {"group": group, "meaning": meaning, "default_text": default_text, "secret": secret}
    return field(default=default, metadata=shown | {"check": check, "ready": ready})


@dataclass(frozen=True)
class Settings:
    """One configuration of the server."""

    database: str = _setting(
        "Database",
        "sqlite:///data/comptoir.db",
        "URL of the database: `sqlite:///path`, `postgresql://user:password@host/name` or "
        "`mysql://user:password@host/name`. With PostgreSQL, libpq chooses among several hosts: "
        "`postgresql://user:password@a,b/name?target_session_attrs=read-write`.",
    )
    statement_timeout: int = _setting(
        "Database",
        10,
        "Seconds that one database statement may take, including waiting for locks.",
        checks.between(1, 86400),
    )
    documents: str = _setting(
        "Files and modules",
        "data/documents",
        "Location of generated PDFs and uploads: a folder, or a URL that fsspec can open, such as "
        "`s3://bucket/folder`. S3 needs `FSSPEC_S3_ENDPOINT_URL`, `FSSPEC_S3_KEY` and `FSSPEC_S3_SECRET`.",
        checks.store_url,
        ready=checks.store_folder,
    )
    modules: str = _setting(
        "Files and modules",
        "",
        "Additional module folders, separated by `:`. Empty: only the modules that come with Comptoir.",
        ready=checks.module_folders,
    )
    writable_modules: bool = _setting(
        "Files and modules",
        False,
        "1: also load modules from folders that other users of this machine can write to.",
    )
    bind: str = _setting(
        "Server",
        "127.0.0.1:8000",
        "Address and port to listen on. Separate several with commas. Unix socket: `unix:/run/comptoir.sock`.",
        checks.addresses,
    )
    workers: int = _setting(
        "Server",
        os.cpu_count() or 1,
        "Number of worker processes.",
        checks.between(1, 512),
        default_text="number of processors",
    )
    threads: int = _setting("Server", 8, "Requests that each worker handles at the same time.", checks.between(1, 1000))
    timeout: int = _setting(
        "Server",
        30,
        "Seconds that a request may take. The server replaces a worker whose request takes longer.",
        checks.between(1, 86400),
    )
    client_timeout: int = _setting(
        "Server",
        20,
        "Seconds that a client may take to send a request or to receive a response, plus one second per 32 KiB.",
        checks.between(1, 86400),
    )
    jobs: int = _setting(
        "Server",
        4,
        "Background jobs that this server runs at the same time. 0: this server runs none.",
        checks.between(0, 100),
    )
    proxies: str = _setting(
        "Server",
        "127.0.0.1,::1",
        "Addresses and networks of the proxies in front of the server, separated by commas. "
        "The server ignores forwarding headers from any other address.",
        read_networks,
    )
    client_header: str = _setting(
        "Server",
        "X-Forwarded-For",
        "Header in which the proxies list the client's address. The server reads it from the right, "
        "skipping the proxies' own addresses. Empty: no header is read.",
        checks.client_header,
    )
    max_page: int = _setting(
        "Limits", 1000, "Maximum number of rows on a page of a list.", checks.between(1, 1_000_000)
    )
    max_body: int = _setting("Limits", 10485760, "Maximum size of a request body, in bytes.", checks.between(1, 2**40))
    batch_entries: int = _setting("Limits", 1000, "Maximum number of entries in a batch.", checks.between(1, 100_000))
    batch_seconds: int = _setting(
        "Limits",
        0,
        "Seconds after which a batch starts no further entry; 0 means 8, or 2 on SQLite, where a batch blocks "
        "all other writers. `COMPTOIR_TIMEOUT` still applies to the whole batch.",
        checks.between(0, 86400),
    )
    rate: int = _setting(
        "Limits",
        0,
        "Requests per minute for each key. A key's own `rate` takes precedence. 0: unlimited.",
        checks.between(0, 1_000_000),
    )
    cache: str = _setting(
        "Limits",
        "",
        "URL of a Redis server that counts the requests of all workers and hosts, such as `redis://host:6379/0`. "
        "Empty: the database counts them.",
        checks.redis_url,
    )
    admin_key: str = _setting(
        "Access",
        "",
        "API key of the first administrator, used only when the database is created. Empty: the server generates one.",
        checks.key,
        secret=True,
    )
    login: bool = _setting(
        "Access", True, "1: `POST /login` returns a key for a login and a password. 0: `POST /login` is disabled."
    )
    login_days: int = _setting(
        "Access", 30, "Days that a key from `POST /login` stays valid.", checks.between(1, 36500)
    )
    origins: str = _setting(
        "Access",
        "",
        "Origins that may call the API from a browser (CORS), separated by spaces, or `*` for all. Empty: none.",
        checks.origins,
    )
    fetch_http: bool = _setting(
        "Access", False, "1: modules may also send requests to `http://` URLs. 0: only to `https://` URLs."
    )
    fetch_addresses: str = _setting(
        "Access",
        "",
        "Addresses and networks that modules may send requests to although they aren't public, separated by commas, "
        "such as `10.0.0.5,192.168.1.0/24`. Empty: none. Certificates are checked against those of the "
        "system, or of the file in `SSL_CERT_FILE`.",
        read_networks,
    )
    redirect_hosts: str = _setting(
        "Access",
        "",
        "Hosts to which a method may redirect callers, separated by spaces, such as `pay.example.com`; with the port "
        "if it isn't 443. Some clients also send their key there. Empty: none.",
        checks.hosts,
    )
    docs: str = _setting(
        "Access",
        "key",
        "Access to the OpenAPI and Swagger documents: `key` (callers with a key) or `public` (everyone). "
        "The documents describe the API and contain no records.",
        checks.one_of(("key", "public")),
    )
    audit_days: int = _setting(
        "Access",
        0,
        "Days of the audit trail that `comptoir audit prune` keeps. 0: `audit prune` needs `--before`.",
        checks.between(0, 36500),
    )
    profile_name: str = _setting(
        "API and explorer",
        "specification",
        "`specification`, or `dolibarr16` to behave like Dolibarr 16 for its clients.",
        checks.one_of(PROFILE_NAMES),
    )
    strict: bool = _setting(
        "API and explorer",
        False,
        "1: reject unknown fields of a body and unknown query parameters, as with `Prefer: handling=strict`. "
        "0: they are ignored, and a `Warning` lists them.",
    )
    timezone: str = _setting(
        "API and explorer",
        "UTC",
        "The company's time zone, such as `Europe/Paris`: it decides which day is today. "
        "In the profile `dolibarr16`, dates are sent as midnight in this zone.",
        checks.zone,
    )
    explorer: str = _setting(
        "API and explorer",
        "explorer",
        "Python package that serves the explorer and the OpenAPI documents. Empty: the server has neither.",
        ready=checks.package,
    )
    confirm: bool = _setting(
        "API and explorer", False, "1: the explorer asks for confirmation before each call that can change data."
    )
    log: str = _setting(
        "Logs and metrics",
        "info",
        "Lowest level of messages to log: `debug`, `info`, `warning` or `error`.",
        checks.one_of(LOG_LEVELS),
    )
    log_format: str = _setting(
        "Logs and metrics", "text", "`text`, or `json` for one JSON object per line.", checks.one_of(LOG_FORMATS)
    )
    log_file: str = _setting(
        "Logs and metrics",
        "",
        "File for all log messages. The server reopens it on SIGUSR1. Empty: standard output and standard error.",
        ready=checks.log_file,
    )
    access_log: bool = _setting(
        "Logs and metrics", False, "1: log each request, without its query, its key and the values in its path."
    )
    slow: float = _setting(
        "Logs and metrics",
        1.0,
        "Log each request that takes at least this many seconds. 0: log none.",
        checks.between(0, 86400),
    )
    metrics: str = _setting(
        "Logs and metrics",
        "",
        "Separate address for `/metrics` without a key, such as `127.0.0.1:9180`. Empty: `/metrics` needs a key.",
        checks.optional(checks.address),
    )
    debug: bool = _setting(
        "Development", False, "1: responses to unexpected errors contain the traceback. Don't use it in production."
    )

    @property
    def profile(self) -> Profile:
        """The profile that is on."""
        return current_profiles.value[self.profile_name]

    @property
    def zone(self) -> ZoneInfo:
        """The company's time zone."""
        return ZoneInfo(self.timezone)

    @property
    def module_folders(self) -> tuple[Path, ...]:
        """Every folder that holds modules, each once; the native one first."""
        outside = (Path(folder).expanduser() for folder in self.modules.split(":") if folder)
        # Links are followed at each look
        found: dict[str, Path] = {}
        for folder in (NATIVE_MODULES, *outside):
            found.setdefault(os.path.realpath(folder), folder.absolute())
        return tuple(found.values())

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ, *, ready: bool = False) -> Settings:
        """Read the variables.

        :param ready: also check that this machine matches them: folders exist and are writable
        :raises SettingError: variables are invalid or unknown; lists every problem
        """
        values: dict[str, Any] = {}
        wrong = list(unknown_settings(environment))
        for each in fields(cls):
            try:
                values[each.name] = _value_of(each, environment, ready=ready)
            except ValueError as error:
                wrong.append(f"{variable_name(each.name)}: {error}")
        # A method that changes the working folder must not move them
        for name in values.keys() & {"database", "documents", "log_file"}:
            values[name] = _absolute(values[name])
        if "modules" in values:
            values["modules"] = ":".join(map(_absolute, values["modules"].split(":")))
        settings = cls(**values)
        if ready and settings.documents.startswith("memory://") and settings.workers > 1:
            wrong.append(
                f"{PREFIX}DOCUMENTS: with memory://, each of the {settings.workers} workers has its own files; "
                f"set a folder, or {PREFIX}WORKERS=1"
            )
        if wrong:
            raise SettingError(wrong)
        return settings


#: a relative path, with what precedes it in a URL
_RELATIVE = re.compile(r"(sqlite:///|file://|local://|)(?![A-Za-z][\w+.-]*://)([^/~].*)", re.DOTALL)


def _absolute(value: str) -> str:
    """Return a path or URL with an absolute path; a path in the home folder, and any other URL, unchanged."""
    found = _RELATIVE.fullmatch(value)
    return f"{found[1]}{Path(found[2]).absolute()}" if found else value


def _value_of(setting: Field[Any], environment: Mapping[str, str], *, ready: bool) -> Any:
    """:raises ValueError: the value is invalid"""
    name = variable_name(setting.name)
    text = environment.get(name)
    value = setting.default if text is None else _read(type(setting.default), text.strip())
    check, check_ready = _added_checks.get(setting.name, (setting.metadata["check"], setting.metadata["ready"]))
    check(value)
    if ready:
        check_ready(value)
    return value


#: setting → checks that a room above this one has added
_added_checks: dict[str, tuple[checks.Check, checks.Check]] = {}


def add_checks(setting: str, check: checks.Check, ready: checks.Check) -> None:
    """Have a setting checked by a room above this one, which knows what the value must be.

    :param check: what the value must be, anywhere and always
    :param ready: what must be true of it on this machine when a server starts
    """
    _added_checks[setting] = check, ready


def unknown_settings(environment: Mapping[str, str]) -> Iterator[str]:
    """Report variables that look like settings: otherwise a misspelled one would be ignored silently."""
    known = tuple(variable_name(each.name).removeprefix(PREFIX) for each in fields(Settings))
    for name in sorted(environment):
        if name.startswith(PREFIX) and name.removeprefix(PREFIX) not in known and not _OTHERS.fullmatch(name):
            close = near_name(name.removeprefix(PREFIX), known)
            hint = f"did you mean {PREFIX}{close}?" if close else "run `comptoir settings` for the list"
            yield f"{name}: unknown setting; {hint}"


@dataclass(frozen=True)
class DescribedSetting:
    """A setting with its documentation, as text.

    :ivar value: the current value, or the rejected text; passwords and secrets are hidden
    :ivar is_set: whether the environment sets it
    :ivar problem: why the value is rejected; empty if it is valid
    """

    name: str
    group: str
    meaning: str
    default: str
    value: str
    is_set: bool
    problem: str


def describe_settings(environment: Mapping[str, str] = os.environ) -> list[DescribedSetting]:
    """Return every setting in the order of its group, including those with an invalid value."""
    described = []
    for each in fields(Settings):
        name, problem = variable_name(each.name), ""
        try:
            value = _as_text(_value_of(each, environment, ready=True))
        except ValueError as error:
            value, problem = environment.get(name, _as_text(each.default)), str(error)
        if each.metadata["secret"]:
            value = "(hidden)" if value else ""
        default = each.metadata["default_text"] or _as_text(each.default)
        described.append(
            DescribedSetting(
                name, each.metadata["group"], each.metadata["meaning"], default, _without_secrets(value),
                name in environment, problem,
            )
        )  # fmt: skip
    return described


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _without_secrets(text: str) -> str:
    return masked(text) if "password=" in text else hide_password(text)


NATIVE_MODULES = Path(__file__).resolve().parents[2] / "modules"

#: the modules that the server ships; any other folder beside them is an outside module
NATIVE_NAMES = {
    "audit", "banks", "categories", "commercial", "dictionaries", "documents", "invoices", "jobs", "login",
    "mandates", "numbering", "orders", "prices", "products", "proposals", "recurring", "setup", "shipments",
    "stock", "thirdparties", "users", "variants", "webhooks",
}  # fmt: skip


def is_native(path: Path) -> bool:
    """Return whether a module, or a file of one, is shipped with the server."""
    # Called for each of a thousand services: comparing texts is faster than comparing paths
    above = f"{NATIVE_MODULES}{os.sep}"
    text = str(path)
    return text.startswith(above) and text[len(above) :].partition(os.sep)[0] in NATIVE_NAMES


def variable_name(setting: str) -> str:
    """The variable of the environment that holds a setting."""
    return PREFIX + setting.removesuffix("_name").upper()


#: other spellings of flags
_WORDS = {"yes": "1", "on": "1", "no": "0", "off": "0"}
#: type of a setting → the text expected for it
_EXPECTED = {bool: "1 or 0", int: "a whole number", float: "a number"}


def _read(kind: type, text: str) -> Any:
    if kind is str:
        return text
    try:
        return READERS[kind](_WORDS.get(text.lower(), text) if kind is bool else text)
    except ValueError:
        raise ValueError(f"expected {_EXPECTED[kind]}, got {text!r}") from None


#: None: they are read from the environment when they are first needed
current_settings: ProcessValue[Settings | None] = ProcessValue(None)


def profile() -> Profile:
    """Return the current profile, with a value for each point: ``profile().validity_days``."""
    return settings().profile


def settings() -> Settings:
    """Return the current configuration. The first call in a process reads it from the environment."""
    found = current_settings.value
    if found is None:
        found = current_settings.value = Settings.from_environment()
    return found
