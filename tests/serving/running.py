"""A real server: `comptoir serve` in a process of its own, with several workers."""

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
from pathlib import Path
from types import MappingProxyType

from core.commands.first_administrator import key_file
from core.common.settings import Settings
from core.loading.folders import look
from core.loading.import_guard import ImportGuard
from core.wsgi import data_folder

ROOT = Path(__file__).parents[2]

#: seconds after which a condition that does not hold, or a request without a response, is a failure of the test
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
    ImportGuard(data_folder(settings) / "importing", 0).record(found, {})


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
        self.port = port or own_port()
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
        self.settings = own
        environment |= {f"COMPTOIR_{name.upper()}": str(value) for name, value in own.items()} | dict(variables)
        #: what commands need that are about the same installation
        self.environment = environment
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
        wait_until(self._is_complete, lambda: self.output)
        self.everywhere("/who")
        return self

    def _is_complete(self):
        assert self.process.poll() is None, f"the server ended with {self.process.returncode}\n{self.output}"
        return len(self.workers) == self.wanted and bool(self.job_processes) == self._runs_jobs

    def __enter__(self):
        try:
            return self.started()
        except BaseException:
            self.stop()
            raise

    def __exit__(self, *_):
        self.stop()

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

    def ask(self, path, verb="GET", body=None, key="", headers=MappingProxyType({})):
        """One request."""
        return self._on_one_connection([(verb, path, body, {"DOLAPIKEY": key, **headers} if key else headers)])[0]

    def try_to_ask(self, *request, **headers):
        """The same; None if the connection ends without an answer."""
        with suppress(OSError, http.client.HTTPException):
            return self.ask(*request, **headers)

    def ask_known(self, path):
        """One request, and which worker answers it: the same connection asked it who it is."""
        who, answer = self._on_one_connection([("GET", "/who", None, {}), ("GET", path, None, {})])
        return Answer(answer.status, answer.body, answer.headers, who.json)

    def _on_one_connection(self, requests):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        answers = []
        try:
            for verb, path, body, headers in requests:
                if body is not None:
                    headers = {"Content-Type": "application/json", **headers}
                connection.request(verb, path, None if body is None else json.dumps(body), headers)
                answer = connection.getresponse()
                answers.append(Answer(answer.status, answer.read(), {k.lower(): v for k, v in answer.getheaders()}))
        finally:
            connection.close()
        return answers

    def everywhere(self, path, right=None, *, status=200):
        """Wait until every worker gives the right answer; return how many seconds that took.

        :param right: whether an answer is right; None: it has the status
        """
        right = right or (lambda answer: answer.status == status)
        started, convinced, last = time.monotonic(), set(), []

        def all_are_right():
            last[:] = [each for each in pool.map(self._try, [path] * 8) if each is not None]
            convinced.update(each.worker for each in last if right(each))
            return len(workers := self.workers) == self.wanted and workers <= convinced

        def told():
            said = [(each.worker, each.status, each.body[:200]) for each in last]
            return f"{path}: {convinced} of {self.workers} are right, {said}\n{self.output}"

        with ThreadPoolExecutor(8) as pool:
            wait_until(all_are_right, told)
        return time.monotonic() - started

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

    #: requests that were answered
    answered = 0

    def go_on(self, more=50):
        """Wait until some more requests have been answered."""
        goal = self.answered + more
        wait_until(lambda: self.answered >= goal)

    def _run(self, number):
        """What one of them does as long as `_stop` is not set."""
        raise NotImplementedError


class Steady(Hands):
    """Requests to services that nobody touches, at a steady pace, while something else goes on."""

    def __init__(self, server, *, rate=50, key=""):
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


#: sockets that keep the ports of this process
_kept = []


def own_port(host="127.0.0.1"):
    """Return a port that no other program is given while this process lives, another one each time.

    A socket is bound to it that doesn't listen. A server that sets SO_REUSEADDR, as each does, can bind to it as well.
    """
    kept = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    kept.bind((host, 0))
    _kept.append(kept)
    return kept.getsockname()[1]


def wait_until(holds, told=lambda: ""):
    """Wait until a condition holds.

    :param told: what a failure says
    """
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"not within {PATIENCE} s\n{told()}"
        time.sleep(0.05)
