"""Following the disk: a new catalogue is made beside the old one and activated by one assignment.

Each worker has one thread that waits for the operating system to tell of a change; a request that finds no service, or
opens the explorer, has a look at once. Requests that come meanwhile are answered by the old catalogue.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable

from watchfiles import Change, PythonFilter, watch

from ..access.keys import write_last_use
from ..common.runtime import active
from ..storage.cache_version import read_generation
from ..storage.claims import forget_old_claims, release_left
from ..storage.database import close, database, ensure_connected
from ..storage.database_errors import is_temporary, is_unreachable
from .folders import TABLE, Look, digest_of_prints, fingerprint, glance, look
from .loader import Loader

_log = logging.getLogger("comptoir.reload")

#: seconds a request waits for a reload it asked for, so that a slow one does not keep a worker's threads
PATIENCE = 2.0
#: milliseconds of quiet after which a change is taken up, and after which it is in any case
QUIET, AT_LAST = 50, 250
#: milliseconds between two short looks of one's own: a folder may be filled before it is watched
ROUND = 1000
#: seconds for which a look at every file serves all who ask: the explorer's open pages ask every second, and the thread
#: follows the disk besides
LATELY = 1.0
#: seconds that a worker waits for the outpost to have tried what has changed, and how often it asks
OUTPOST, ASKED = 60.0, 3
#: short looks after which every file is looked at, and the last use of keys is written
LONG_ROUND = 5
#: seconds between two removals of answers that have been kept long enough
TIDYING = 600.0


def _is_behind() -> bool:
    """Whether another process has changed tables since the active models were loaded."""
    mine = database.is_closed()
    try:
        ensure_connected()
        return active.runtime.generation != read_generation()
    except Exception as error:
        if not is_unreachable(error):
            raise
        return False
    finally:
        if mine:
            close()


class _Filter(PythonFilter):
    def __init__(self) -> None:
        super().__init__(extra_extensions=(".class", ".po", TABLE))

    def __call__(self, change: Change, path: str) -> bool:
        """Python files, texts, and folders: a new one may hold files already."""
        return super().__call__(change, path) or "." not in path.rpartition("/")[2]


class Reloader:
    """Keeps the active catalogue the one of the disk."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader
        self._runtime = active.runtime
        #: seconds a request waits for a reload it asked for
        self.patience = PATIENCE
        #: has the files tried before they are loaded: `Outpost.ask`; None: nobody does
        self.ahead: Callable[[float], str] | None = None
        self._turn = threading.Lock()
        self._glanced: tuple[tuple[str, int], ...] = ()
        self._stop = threading.Event()
        self._prints: dict[str, object] = {}
        self._thread: threading.Thread | None = None
        #: when the look that has the turn began
        self._began = 0.0
        #: when every file was looked at last
        self._looked = 0.0
        #: when old answers were removed last
        self._tidied = time.monotonic()

    def load(self) -> None:
        """Load everything and activate it."""
        with self._turn:
            self._began = time.monotonic()
            self._load(look(self.loader.folders))

    def _load(self, looked: Look) -> None:
        # Whoever changes tables meanwhile is seen by the next request
        runtime = self._runtime
        before, raised = read_generation(), runtime.raised
        runtime.catalogue = made = self.loader.load(looked)
        # Last: a request that knows this number must find these models
        runtime.generation = before + runtime.raised - raised
        self._prints = dict(made.fingerprint)

    def check(self, *, patience: float = OUTPOST, tables: bool = False, asked: float = math.inf) -> bool:
        """Look at every file and load what has changed; answers whether anything was loaded.

        :param patience: seconds to wait for the outpost; behind `OUTPOST` seconds it is done without
        :param tables: ask the database, too, whether another process has changed tables
        :param asked: a look that has begun since then will do (`time.monotonic`)
        """
        if not self._turn.acquire(timeout=self.patience):
            return False
        self._began = time.monotonic()
        try:
            return self._looked <= asked and self._check(patience, tables=tables)
        finally:
            self._turn.release()

    def _check(self, patience: float, *, tables: bool) -> bool:
        looked = self._look()
        prints = fingerprint(looked[0])
        if prints == self._prints and not self.loader.retries and not (tables and _is_behind()):
            return False
        if prints != self._prints and self.ahead is not None:
            tried = self._tried(self.ahead, patience)
            if tried is None:
                # The next look, however short, must see that something is to be done
                self._glanced = ()
                return False
            looked = tried
        started = time.perf_counter()
        try:
            self._load(looked)
        finally:
            close()
        _log.info("modules reloaded in %.0f ms", (time.perf_counter() - started) * 1000)
        return True

    def _look(self) -> Look:
        began = time.monotonic()
        self._glanced = glance(self.loader.folders)
        looked = look(self.loader.folders)
        self._looked = began
        return looked

    def _tried(self, ahead: Callable[[float], str], patience: float) -> Look | None:
        """What lies in the folders, once the outpost has tried that very state; None: it may not be loaded yet."""
        end = time.monotonic() + patience
        for _ in range(ASKED):
            tried = ahead(max(0.0, end - time.monotonic()))
            looked = self._look()
            if tried == digest_of_prints(looked[0]):
                return looked
            if not tried and time.monotonic() > end:
                break
        # Without an outpost it is done as it was done before there was one
        return looked if not tried and patience >= OUTPOST else None

    def look_again(self, *, thoroughly: bool = False) -> bool:
        """For a request that finds no service: whether there is another catalogue after a look at the disk.

        The look is cheap (one `stat` for each module). Loading goes on when it takes longer than a request waits.

        :param thoroughly: look at every file, as the explorer does
        """
        asked, before = time.monotonic(), self._runtime.catalogue
        enough = LATELY if self._thread is not None else 0.0
        if thoroughly:
            is_due = self._looked <= asked - enough
        else:
            # A load that is running is waited for
            is_due = self._turn.locked() or glance(self.loader.folders) != self._glanced
        if is_due:
            self._check_beside(asked=asked)
        return self._runtime.catalogue is not before

    def _check_beside(self, *, asked: float = math.inf, tables: bool = False, waits: bool = True) -> None:
        left = self.patience
        if self._turn.locked():
            # A load that takes longer than a request waits would keep all threads, one request after the other
            left -= time.monotonic() - self._began
            if left <= 0 or not waits:
                return
        more = {"asked": asked, "tables": tables}
        thread = threading.Thread(target=self._check_safely, kwargs=more, name="comptoir-look", daemon=True)
        thread.start()
        if waits:
            thread.join(left)

    def catch_up(self) -> None:
        """Load newer models in the background, for a request that finds newer tables."""
        self._check_beside(tables=True, waits=False)

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
                    long = rounds % LONG_ROUND == 0
                    if changes or long or glance(self.loader.folders) != self._glanced:
                        self._check_safely(tables=long)
                    if rounds % LONG_ROUND == 0:
                        self._beside()
                    if [folder for folder in self.loader.folders if folder.is_dir()] != folders:
                        break
            except Exception:  # noqa: BLE001 - following must never end
                # A folder that vanishes while it is watched, or too many watches: look again in a moment
                _log.exception("can't watch the module folders; checking them every few seconds instead")
                self._stop.wait(ROUND / 1000)

    def _check_safely(self, *, tables: bool = False, asked: float = math.inf) -> None:
        try:
            self.check(tables=tables, asked=asked)
        except Exception as error:  # noqa: BLE001 - a worker without its new modules still serves
            if not is_unreachable(error):
                _log.exception("reloading failed; the modules stay as they are")

    def _beside(self) -> None:
        for work in (write_last_use, self._runtime.limiter.forget_old_windows, release_left, self._forget_old_claims):
            try:
                work()
            except Exception as error:  # noqa: BLE001 - a convenience must not end the thread
                # A lock that somebody holds for long is gone by the next round, when this is done again; that the
                # database is away is said once, by whoever finds out first
                if not is_temporary(error):
                    _log.exception("the background task %s failed and will be tried again", work.__name__)
            finally:
                close()

    def _forget_old_claims(self) -> None:
        if time.monotonic() - self._tidied > TIDYING:
            self._tidied = time.monotonic()
            forget_old_claims()
