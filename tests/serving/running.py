"""A real server: `comptoir serve` in a process of its own, with several workers."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import MappingProxyType

from core.commands.first_administrator import key_file
from core.common.settings import Settings
from core.loading.folders import look
from core.loading.import_guard import ImportGuard, module_states
from core.wsgi import data_folder

ROOT = Path(__file__).parents[2]

#: seconds after which every worker must have taken up a change, on a machine that has nothing else to do
PROMISE = 2.0
#: seconds within which every worker takes up a change on any machine: a busy one takes longer than the promise
LATEST = 20.0
#: seconds after which a server that does not start, stop or answer is a failure of the test
PATIENCE = 60.0

#: a public service whose answer tells the workers apart
WHO = '''
import os


class Who:
    """Tell the worker that answers.

    :access: public
    """

    def index(self) -> int:
        """Its process."""
        return os.getpid()
'''


@dataclass(frozen=True)
class Answer:
    """What was answered, and by which worker where that is known."""

    status: int
    body: bytes
    headers: dict[str, str]
    worker: int = 0

    @property
    def json(self):
        return json.loads(self.body)


def _note_as_tried(database, documents, modules):
    """Let a start find that this machine came through these modules before, so that it has none tried again."""
    settings = Settings(database=database, documents=documents, modules=modules)
    found = look(settings.module_folders)[0]
    ImportGuard(data_folder(settings) / "importing", 0).record(found, module_states(found), {})


class Running:
    """A server over a folder: its database, its module folder and its output live there.

    :param known: start as a machine does that has started before, if there is no module but the samples
    """

    def __init__(
        self,
        folder,
        *,
        workers=3,
        arguments=(),
        program=(sys.executable, "-m", "core"),
        tree=ROOT,
        variables=MappingProxyType({}),
        log_to=None,
        port=0,
        known=False,
        **settings,
    ):
        self.folder = folder
        self.wanted = workers
        self._runs_jobs = settings.get("jobs") != 0
        self.modules = folder / "modules"
        if not (self.modules / "who/class/api_who.py").exists():
            self.write("who/class/api_who.py", WHO)
        self.port = port or free_port()
        self.log = log_to or folder / f"output-{self.port}.txt"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("COMPTOIR_")}
        own = {
            "database": f"sqlite:///{folder}/data/test.db",
            "documents": folder / "data" / "documents",
            "modules": f"{self.modules}:{ROOT}/tests/samples/modules",
            "bind": f"127.0.0.1:{self.port}",
            "workers": workers,
            **settings,
        }
        self._key_file = key_file(Settings(database=str(own["database"]), documents=str(own["documents"])))
        if known and tree == ROOT and {*self.modules.iterdir()} == {self.modules / "who"}:
            _note_as_tried(str(own["database"]), str(own["documents"]), str(own["modules"]))
        environment |= {f"COMPTOIR_{name.upper()}": str(value) for name, value in own.items()} | dict(variables)
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [*program, "serve", *arguments],
                cwd=tree,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        #: the process whose children answer; after an upgrade it is another one than the one that was started
        self.master = self.process.pid

    # Files

    def write(self, path, text):
        """Put a file into the module folder in one step."""
        file = self.modules / path
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_name(file.name + ".part")
        part.write_text(text)
        part.chmod(0o644)
        part.replace(file)
        return file

    # Start and end

    def started(self):
        """Wait until every worker answers, and the process that runs jobs is there: the master starts it after them."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            assert self.process.poll() is None, f"the server ended with {self.process.returncode}\n{self.output}"
            try:
                complete = len(self.workers) == self.wanted and bool(self.job_processes) == self._runs_jobs
                if complete and self.ask("/who").status == 200:
                    self.everywhere("/who", lambda answer: answer.status == 200, within=PATIENCE)
                    return self
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.05)
        raise AssertionError(f"the server did not start within {PATIENCE} s\n{self.output}")

    def stop(self, how=signal.SIGINT):
        """End it as Ctrl-C does; whatever is left of it is killed."""
        try:
            if self.process.poll() is None:
                self.process.send_signal(how)
            return self.process.wait(PATIENCE)
        finally:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait(PATIENCE)

    @property
    def output(self):
        """Everything it has printed."""
        return self.log.read_text(errors="replace") if self.log.is_file() else ""

    @property
    def key(self):
        """The key that it wrote into a file, as it does where its output is no terminal."""
        assert self._key_file.is_file(), self.output
        return self._key_file.read_text().strip()

    @property
    def workers(self):
        """The processes that respond to requests."""
        return {process for process in children(self.master) if name_of(process) == "comptoir: worke"}

    @property
    def job_processes(self):
        """The process that runs jobs; two or none for a moment, when it is replaced."""
        return {process for process in children(self.master) if name_of(process) == "comptoir: jobs"}

    # Requests, each on a connection of its own

    def ask(self, path, verb="GET", body=None, key=""):
        """One request."""
        return self._on_one_connection([(verb, path, body, key)])[0]

    def ask_known(self, path):
        """One request, and which worker answers it: the same connection asked it who it is."""
        who, answer = self._on_one_connection([("GET", "/who", None, ""), ("GET", path, None, "")])
        return Answer(answer.status, answer.body, answer.headers, who.json)

    def _on_one_connection(self, requests):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        answers = []
        try:
            for verb, path, body, key in requests:
                headers = {"DOLAPIKEY": key} if key else {}
                if body is not None:
                    headers["Content-Type"] = "application/json"
                connection.request(verb, path, None if body is None else json.dumps(body), headers)
                answer = connection.getresponse()
                answers.append(Answer(answer.status, answer.read(), {k.lower(): v for k, v in answer.getheaders()}))
        finally:
            connection.close()
        return answers

    def everywhere(self, path, right, *, within=LATEST):
        """Wait until every worker gives the right answer; answers how many seconds that took.

        :param within: seconds it may take
        """
        started = time.monotonic()
        convinced = set()
        last = []
        with ThreadPoolExecutor(8) as pool:
            while True:
                last = [each for each in pool.map(self._try, [path] * 8) if each is not None]
                took = time.monotonic() - started
                convinced |= {each.worker for each in last if right(each)}
                if len(workers := self.workers) == self.wanted and workers <= convinced:
                    break
                if took > PATIENCE:
                    said = [(each.worker, each.status, each.body[:200]) for each in last]
                    raise AssertionError(f"{path}: {convinced} of {self.workers} are right, {said}\n{self.output}")
        assert took <= within, f"{path}: after {took:.2f} s rather than {within:.2f} s"
        return took

    def _try(self, path):
        try:
            return self.ask_known(path)
        except (OSError, http.client.HTTPException, ValueError, TypeError):
            # a worker that goes away
            return None


def children(process):
    """What a process has started; nothing when it is gone."""
    try:
        return {int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()}
    except FileNotFoundError:
        return set()


class Hands:
    """Clients that do something, each in a thread of its own, until the block is left.

    :param number: how many
    """

    def __init__(self, number):
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(each,)) for each in range(number)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _run(self, number):
        """What one of them does as long as `_stop` is not set."""
        raise NotImplementedError


class Steady(Hands):
    """Requests to services that nobody touches, at a steady pace, while something else goes on."""

    def __init__(self, server, *, rate=50, key=""):
        self.answered = 0
        self.wrong = []
        self._server = server
        self._pause = 1 / rate
        self._paths = ["/who", "/loyaltycards"] if key else ["/who"]
        self._key = key
        # Several, so that one slow answer does not slow the pace
        super().__init__(4)

    def _run(self, number):
        pause = self._pause * len(self._threads)
        due = time.monotonic() + number * self._pause
        while not self._stop.wait(max(0.0, due - time.monotonic())):
            due = max(due + pause, time.monotonic() - 1)
            path = self._paths[self.answered % len(self._paths)]
            try:
                answer = self._server.ask(path, key=self._key)
                if answer.status != 200:
                    self.wrong.append(f"{path} {answer.status} {answer.body[:200]!r}")
            except (OSError, http.client.HTTPException) as error:
                self.wrong.append(f"{path} {error!r}")
            self.answered += 1


def is_there(process):
    """Whether a process has not ended; nobody may have asked for its end."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def name_of(process):
    """What the system calls a process; empty when it has ended."""
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return ""


#: ports of this worker of pytest-xdist. The system gives programs that ask for any port none below 32,768, so none of
#: them takes one between its choice and the start of a server
_ports = count(20_000 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % 8 * 1_500)


def free_port():
    """Return a port that no program uses, another one each time."""
    for port in _ports:
        with socket.socket() as trial, suppress(OSError):
            trial.bind(("127.0.0.1", port))
            return port
    raise AssertionError("unreachable")


def until(holds):
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"not within {PATIENCE} s"
        time.sleep(0.05)
