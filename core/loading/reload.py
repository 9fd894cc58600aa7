"""Following the disk: a new catalogue is made beside the old one and put in force by one assignment.

Each worker has one thread that waits for the operating system to tell of a change; a request that finds no service, or
opens the explorer, has a look at once. Requests that come meanwhile are answered by the old catalogue.
"""

from __future__ import annotations

import logging
import threading
import time

from watchfiles import Change, PythonFilter, watch

from ..access.keys import write_last_use
from ..common.profiles import use_points
from ..contract.catalogue import use_catalogue
from ..records.events import use_handlers
from ..records.row_rules import use_rules
from ..storage.database import close
from .folders import glance, look
from .loader import Loader

_log = logging.getLogger("comptoir.reload")

#: seconds a request waits for a reload it asked for, so that a slow one does not keep a worker's threads
PATIENCE = 2.0
#: milliseconds of quiet after which a change is taken up, and after which it is in any case
QUIET, AT_LAST = 50, 250
#: milliseconds between two short looks of one's own: a folder may be filled before it is watched
ROUND = 1000
#: seconds for which a look at every file serves all who ask, and how many times as long as it took: the explorer's open
#: pages ask every second, a thousand modules take 60 ms, and the thread follows the disk besides
LATELY, SHARE = 0.25, 10
#: short looks after which every file is looked at, and the last use of keys is written
LONG_ROUND = 5


class _Filter(PythonFilter):
    def __init__(self) -> None:
        super().__init__(extra_extensions=(".class", ".po"))

    def __call__(self, change: Change, path: str) -> bool:
        """Python files, texts, and folders: a new one may hold files already."""
        return super().__call__(change, path) or "." not in path.rpartition("/")[2]


class Reloader:
    """Keeps the catalogue in force the one of the disk."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader
        #: seconds a request waits for a reload it asked for
        self.patience = PATIENCE
        self._turn = threading.Lock()
        self._glanced: tuple[tuple[str, int], ...] = ()
        self._glance_turn = threading.Lock()
        self._stop = threading.Event()
        self._prints: dict[str, object] = {}
        self._thread: threading.Thread | None = None
        #: when every file was looked at last, and the seconds that took
        self._looked = self._took = 0.0

    def load(self) -> None:
        """Load everything and put it in force."""
        with self._turn:
            made = self.loader.load()
            use_handlers(made.handlers)
            use_rules(made.rules)
            use_points(made.points)
            use_catalogue(made)
            self._prints = dict(made.fingerprint)

    def check(self) -> bool:
        """Look at every file and load what has changed; answers whether anything had."""
        began = time.monotonic()
        self._glanced = glance(self.loader.folders)
        found, _ = look(self.loader.folders)
        self._looked, self._took = began, time.monotonic() - began
        prints = {file: seen for folder in found for file, seen in folder.prints.items()}
        if prints == self._prints and not self.loader.retries:
            return False
        started = time.perf_counter()
        try:
            self.load()
        finally:
            close()
        _log.info("modules reloaded in %.0f ms", (time.perf_counter() - started) * 1000)
        return True

    def look_again(self, *, thoroughly: bool = False) -> bool:
        """For a request that finds no service: whether a look at the disk made another catalogue.

        The look is cheap (one `stat` for each module), and only one request at a time has it; loading goes on in a
        thread of its own when it takes longer than a request should wait.

        :param thoroughly: look at every file, as the explorer does
        """
        asked = time.monotonic()
        if not self._glance_turn.acquire(timeout=self.patience):
            return False
        try:
            # A look that began while this request waited for its turn serves it as well as a look of its own
            enough = max(LATELY, SHARE * self._took) if self._thread is not None else 0.0
            if thoroughly and self._looked > asked - enough:
                return False
            if not thoroughly and glance(self.loader.folders) == self._glanced:
                return False
            done = threading.Event()
            changed: list[bool] = []

            def work() -> None:
                try:
                    changed.append(self.check())
                finally:
                    done.set()

            threading.Thread(target=work, name="comptoir-look", daemon=True).start()
            done.wait(self.patience)
            return bool(changed and changed[0])
        finally:
            self._glance_turn.release()

    def start(self) -> None:
        """Follow the disk in a thread of this process; call it after the process has been forked."""
        self._stop.clear()
        self._thread = threading.Thread(target=self._follow, name="comptoir-watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop following."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=ROUND / 1000 + 1)

    def _follow(self) -> None:
        rounds = 0
        while not self._stop.is_set():
            try:
                self._check_safely()
                folders = [folder for folder in self.loader.folders if folder.is_dir()]
                for changes in watch(
                    *folders,
                    watch_filter=_Filter(),
                    debounce=AT_LAST,
                    step=QUIET,
                    rust_timeout=ROUND,
                    yield_on_timeout=True,
                    stop_event=self._stop,
                    raise_interrupt=False,
                    ignore_permission_denied=True,
                ):
                    rounds += 1
                    if changes or rounds % LONG_ROUND == 0 or glance(self.loader.folders) != self._glanced:
                        self._check_safely()
                    if rounds % LONG_ROUND == 0:
                        self._beside()
                    if [folder for folder in self.loader.folders if folder.is_dir()] != folders:
                        break
            except Exception:  # noqa: BLE001 - following must never end
                # A folder that vanishes while it is watched, or too many watches: look again in a moment
                _log.exception("cannot follow the module folders, looking every few seconds")
                self._stop.wait(ROUND / 1000)

    def _check_safely(self) -> None:
        try:
            self.check()
        except Exception:  # noqa: BLE001 - a worker without its new modules still serves
            _log.exception("reloading failed, the modules stay as they are")

    def _beside(self) -> None:
        try:
            write_last_use()
        except Exception:  # noqa: BLE001 - a convenience must not end the thread
            _log.exception("the last use of keys could not be written")
        finally:
            close()
