"""Hosts of this server behind HAProxy, with a store of files and a Redis that all of them use.

The configurations are those that `core/GROWING.md` prints, with the addresses of the places.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from .load import KEY, send
from .places import Place, Places, Program, until

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "core" / "GROWING.md").read_text()

#: a place → its address in the page
ADDRESSES = {
    "balancer": "10.0.0.10",
    "one": "10.0.0.11",
    "two": "10.0.0.12",
    "first": "10.0.0.21",
    "second": "10.0.0.22",
    "third": "10.0.0.23",
    "store": "10.0.0.30",
}
BALANCER_PORT, PORT = 8080, 8000


def block(language: str, beginning: str, places: Places) -> str:
    """A block of the page, with the addresses of these places.

    :param beginning: the line that it begins with
    """
    found = re.search(rf"^```{language}\n({re.escape(beginning)}.*?)^```$", PAGE, re.M | re.S)
    assert found, f"core/GROWING.md has no block of {language} that begins with {beginning}"
    return readdress(found[1], places)


def readdress(text: str, places: Places) -> str:
    """A text with the addresses of these places instead of those of the page."""
    here = {place.name: place.address for place in places.all}
    for name, address in ADDRESSES.items():
        if name in here:
            text = re.sub(rf"{re.escape(address)}\b", here[name], text)
    return text


def settings_of(text: str) -> dict[str, str]:
    """The lines of a file of settings."""
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#"))


@dataclass
class Host:
    """A host: what runs there, and how it is started again."""

    place: Place
    settings: dict[str, str]
    program: Program | None = None

    def start(self) -> Host:
        """Start it, without waiting."""
        self.program = self.place.start(
            "comptoir", [sys.executable, "-m", "core", "serve"], more=self.settings, cwd=str(ROOT)
        )
        return self

    def ready(self) -> None:
        """Wait until it takes requests."""
        assert self.program is not None
        until(self.is_ready, lambda: f"{self.place.name} does not start: {self.program and self.program.said}")

    def is_ready(self) -> bool:
        """Whether it takes requests."""
        assert self.program is not None
        if self.program.process.poll() is not None:
            raise RuntimeError(f"{self.place.name} ended: {self.program.said}")
        try:
            return bool(send(self.place.address, PORT, "GET", "/health/ready")[0] == 200)
        except OSError:
            return False

    def drop_in(self, path: str, text: str) -> None:
        """Put a file into the modules of this host alone."""
        file = self.place.folder / "modules" / path
        file.parent.mkdir(parents=True)
        file.write_text(text)

    @property
    def notes(self) -> list[str]:
        """What it says of other hosts."""
        notes: list[str] = send(self.place.address, PORT, "GET", "/health/ready")[1].get("notes", [])
        return notes

    def kill(self) -> None:
        """End it as a power cut would."""
        assert self.program is not None
        self.program.kill()


@dataclass(frozen=True)
class Store:
    """What the hosts share besides the database.

    :ivar settings: those of a host that uses it
    :ivar missing: what is not there, and is done without
    """

    settings: dict[str, str]
    missing: list[str]


def store(places: Places, settings: dict[str, str]) -> Store:
    """Files on S3 and limits in Redis; where a program is missing, a folder that all reach, and the database.

    :param settings: those of the page
    """
    place, missing, used = places.named("store"), list[str](), dict(settings)
    if importlib.util.find_spec("moto") and importlib.util.find_spec("s3fs"):
        place.start("s3", [sys.executable, "-m", "moto.server", "-H", place.address, "-p", "9000"])
        until(lambda: _has_bucket(place.address), lambda: "the store of files does not answer")
    else:
        missing.append("S3 (pip install '.[cluster]'): the hosts share a folder")
        used = {name: value for name, value in used.items() if not name.startswith("FSSPEC_")}
        used["COMPTOIR_DOCUMENTS"] = str(place.folder / "files")
    if shutil.which("redis-server") and importlib.util.find_spec("redis"):
        words = ["--bind", place.address, "--protected-mode", "no", "--save", "", "--appendonly", "no"]
        place.start("redis", ["redis-server", *words, "--dir", str(place.folder)])
    else:
        missing.append("Redis: requests are counted in the database")
        used.pop("COMPTOIR_CACHE")
    return Store(used, missing)


def _has_bucket(address: str) -> bool:
    request = urllib.request.Request(f"http://{address}:9000/comptoir", method="PUT")
    try:
        with urllib.request.urlopen(request, timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def hosts(places: Places, shared: dict[str, str], *, workers: int = 2) -> list[Host]:
    """Two hosts, not started yet.

    :param shared: the settings that are the same on both
    """
    made = []
    for name in ("one", "two"):
        place = places.named(name)
        modules = place.folder / "modules"
        modules.mkdir()
        own = {
            "COMPTOIR_MODULES": str(modules),
            "COMPTOIR_BIND": f"{place.address}:{PORT}",
            "COMPTOIR_WORKERS": str(workers),
            "COMPTOIR_ADMIN_KEY": KEY,
            "COMPTOIR_LOG": "warning",
            # What a host notes for itself lies beside a database that is a file; of any other, here
            "TMPDIR": str(place.folder),
        }
        made.append(Host(place, shared | own))
    return made


def balancer(places: Places) -> Place:
    """HAProxy before the hosts, as the page configures it."""
    place = places.named("balancer")
    program = _start_haproxy(place, block("haproxy", "frontend comptoir", places))
    until(lambda: _listens(place.address), lambda: f"HAProxy does not start: {program.said}")
    return place


def choose_database(host: Host, places: Places) -> None:
    """Start HAProxy on a host, which leads to the database as the page configures it, and let the host use it."""
    address = host.place.address
    # A place need not have a loopback of its own
    text = block("haproxy", "frontend database", places).replace("127.0.0.1:3306", f"{address}:3306")
    _start_haproxy(host.place, text)
    host.settings["COMPTOIR_DATABASE"] = f"mysql://comptoir:the-password@{address}:3306/comptoir"


def _start_haproxy(place: Place, text: str) -> Program:
    file = place.folder / "haproxy.cfg"
    file.write_text(text)
    return place.start("haproxy", [shutil.which("haproxy") or "/usr/sbin/haproxy", "-db", "-f", str(file)])


def _listens(address: str) -> bool:
    try:
        return bool(send(address, BALANCER_PORT, "GET", "/health/live")[0] == 200)
    except OSError:
        return False
