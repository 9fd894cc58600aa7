"""Places that stand for machines: each a network namespace with an address, or, where none can be made, an address of
the loopback."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

#: seconds after which what does not start or stop is a failure
PATIENCE = 60.0

_BRIDGE, _NETWORK = "comptoir0", "10.77.0"
_LOOPBACK = "127.77.0"


class ClusterError(Exception):
    """Something of the cluster does not do what it is there for."""


@dataclass
class Program:
    """A program that runs in a place, with all that it starts."""

    process: subprocess.Popen[bytes]
    output: Path

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it and wait for that."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, how)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End it as a power cut would."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE)

    @property
    def said(self) -> str:
        """The end of what it has printed."""
        return self.output.read_text(errors="replace")[-2000:]


@dataclass
class Place:
    """A machine, as far as the others can tell.

    :ivar address: where the others reach it
    :ivar folder: what is its own
    """

    name: str
    address: str
    folder: Path
    inside: list[str]
    running: list[Program] = field(default_factory=list)

    def run(self, command: list[str], *, user: str = "", errors: bool = False) -> str:
        """Run a program to its end; answers what it printed.

        :param user: who runs it, where this is run by root
        :param errors: also what it printed as errors
        """
        try:
            done = subprocess.run(
                [*self.inside, *_as(user), *command],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, cwd="/", timeout=PATIENCE,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            said = (error.stderr or b"") + (error.stdout or b"")
            raise ClusterError(f"{command[0]} at {self.name} does not end: {said.decode()[-2000:]}") from None
        if done.returncode:
            raise ClusterError(f"{command[0]} at {self.name}: {(done.stdout + done.stderr)[-2000:]}")
        return done.stdout + (done.stderr if errors else "")

    def start(
        self, name: str, command: list[str], *, user: str = "", more: Mapping[str, str] | None = None, cwd: str = "/"
    ) -> Program:
        """Start a program.

        :param more: of its environment
        """
        output = self.folder / f"{name}.txt"
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("COMPTOIR_", "FSSPEC_"))}
        with output.open("ab") as file:
            process = subprocess.Popen(
                [*self.inside, *_as(user), *command],
                env=environment | dict(more or {}),
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        program = Program(process, output)
        self.running.append(program)
        return program


class Places:
    """The machines of a scene, which all reach each other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.apart = _can_be_apart()
        self.all: list[Place] = []

    def make(self, name: str, owner: str = "") -> Place:
        """One more.

        :param owner: whom its folder belongs to, where this is run by root
        """
        number = 11 + len(self.all)
        folder = self.folder / name
        folder.mkdir()
        if owner and os.geteuid() == 0:
            shutil.chown(folder, owner, owner)
        if not self.apart:
            place = Place(name, f"{_LOOPBACK}.{number}", folder, [])
        else:
            space, outside, within = f"comptoir-{name}", f"ct{number}", f"cu{number}"
            address = f"{_NETWORK}.{number}"
            for words in (
                f"netns add {space}",
                f"link add {outside} type veth peer name {within}",
                f"link set {within} netns {space}",
                f"link set {outside} master {_BRIDGE} up",
                f"-n {space} addr add {address}/24 dev {within}",
                f"-n {space} link set {within} up",
                f"-n {space} link set lo up",
            ):
                _ip(words)
            place = Place(name, address, folder, ["ip", "netns", "exec", space])
        self.all.append(place)
        return place

    def named(self, name: str) -> Place:
        """The one of a name."""
        return next(each for each in self.all if each.name == name)

    @property
    def network(self) -> str:
        """The addresses of all of them."""
        return f"{_NETWORK if self.apart else _LOOPBACK}.0/24"


@contextmanager
def places(folder: Path) -> Iterator[Places]:
    """Places meanwhile; afterwards nothing of them runs any more."""
    made = Places(folder)
    try:
        if made.apart:
            _take_away()
            _ip(f"link add {_BRIDGE} type bridge")
            _ip(f"addr add {_NETWORK}.1/24 dev {_BRIDGE}")
            _ip(f"link set {_BRIDGE} up")
        yield made
    finally:
        for place in reversed(made.all):
            for program in reversed(place.running):
                program.kill()
        if made.apart:
            _take_away()


def until(holds: Callable[[], bool], otherwise: Callable[[], str], *, within: float = PATIENCE) -> float:
    """Wait until something holds; answers how many seconds that took."""
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > within:
            raise ClusterError(otherwise())
        time.sleep(0.05)
    return time.monotonic() - began


def _as(user: str) -> list[str]:
    if not user or os.geteuid() != 0:
        return []
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]


def _can_be_apart() -> bool:
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return False
    try:
        _ip("netns add comptoir-trial")
        _ip("netns delete comptoir-trial")
    except ClusterError:
        return False
    return True


def _take_away() -> None:
    """Take away what there is of an earlier run, too."""
    spaces = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=False).stdout.split()
    for name in spaces:
        if name.startswith("comptoir-"):
            _ip(f"netns delete {name}")
    # A space that is deleted ends some time later, and its end of a link with it
    links = subprocess.run(["ip", "-o", "link", "show", "master", _BRIDGE], capture_output=True, text=True, check=False)
    for line in links.stdout.splitlines():
        with suppress(ClusterError):
            _ip(f"link delete {line.split()[1].partition('@')[0]}")
    with suppress(ClusterError):
        _ip(f"link delete {_BRIDGE}")


def _ip(words: str) -> None:
    done = subprocess.run(["ip", *words.split()], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ClusterError(f"ip {words}: {done.stderr.strip()}")
