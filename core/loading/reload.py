"""Reloading changed modules: a new catalogue is made beside the old one and activated by one assignment.

Each worker has a thread that asks the operating system twice a second when the folders of modules, and the folders and
files of outside modules, were changed. Once a minute it checks all files: a native module that has changed is only
reported. A request for an unknown service, or for the explorer, checks at once. During a reload, requests use the old
catalogue.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from pathlib import Path

from ..access.keys import write_last_use
from ..access.limits import limiter
from ..common.process_state import running
from ..common.profiles import current_profiles
from ..contract.catalogue import current_catalogue
from ..storage.cache_version import has_newer_tables, loaded_generation, raised, read_generation
from ..storage.claims import forget_old_claims, release_left
from ..storage.database import close, database, ensure_connected, is_temporary, is_unreachable
from .folders import Look, fingerprint, list_paths, times_of
from .import_guard import ImportGuard, environment
from .loader import Loader

_log = logging.getLogger("comptoir.reload")

#: maximum seconds that a request waits for a reload, so that a slow reload doesn't hold the threads of a worker
PATIENCE = 2.0
#: name of the threads that check the files, and load them, for a request
LOOK_THREAD = "comptoir-look"
#: seconds between two quick checks
ROUND_SECONDS = 0.5
#: seconds for which the result of a full check is reused, because each open page of the explorer asks every second
LATELY = 1.0
#: numbers of quick checks after which the last use of keys is written (and every file is checked, while one has
#: failed), every file is checked, the generation of the tables is queried, and expired responses are removed
TASK_ROUNDS, FILE_ROUNDS, TABLE_ROUNDS, TIDY_ROUNDS = 10, 120, 600, 7200


def _is_behind() -> bool:
    """Return whether another process has changed tables since the active models were loaded."""
    mine = database.is_closed()
    try:
        ensure_connected()
        return loaded_generation.value != read_generation()
    except Exception as error:
        if not is_unreachable(error):
            raise
        return False
    finally:
        if mine:
            close()


def run_tasks(*tasks: Callable[[], object]) -> None:
    """Run background tasks; one that fails is logged, and runs again in its next turn."""
    for task in tasks:
        try:
            task()
        except Exception as error:  # noqa: BLE001 - a convenience must not end the thread
            # A lock passes. An unreachable database is logged only once, elsewhere
            if not is_temporary(error):
                _log.exception("the background task %s failed and will be tried again", task.__name__)
        finally:
            close()


class Reloader:
    """Keeps the active catalogue the one of the disk.

    :param guard: has files tried before they are loaded; None: the process imports them untried
    """

    def __init__(self, loader: Loader, guard: ImportGuard | None = None) -> None:
        self.loader = loader
        self._guard = guard
        #: seconds a request waits for a reload it asked for
        self.patience = PATIENCE
        self._turn = threading.Lock()
        #: when the known folders and files were last changed, apart from those of native modules
        self._folder_times: dict[str, int] = {}
        self._file_times: dict[str, int] = {}
        #: the folders with modules that couldn't be read at the last check
        self._lost = set[Path]()
        #: True if the next quick check finds a change in any case
        self._is_due = True
        self._stop = threading.Event()
        self._environment = environment()
        self._thread: threading.Thread | None = None
        #: when the load or check that has the turn began, and when the last check of every file began
        self._turn_began = self._checked_at = 0.0

    def load(self) -> None:
        """Load everything and activate it."""
        with self._turn:
            self._turn_began = time.monotonic()
            looked = None
            while looked is None:
                looked = self._guard.settle(self.loader) if self._guard else self.loader.look()
            self._load(looked)
            if self._guard:
                self._guard.note_natives(looked[0])

    def _load(self, looked: Look) -> None:
        # The next request detects a change of tables during the loading
        before, raised_before = read_generation(), raised.value
        made = self.loader.load(looked)
        # First, because an operation must find the points of its module
        current_profiles.value = made.profiles
        current_catalogue.value = made
        if made.first_data:
            # Its records are served, so they can be created
            current_catalogue.value = self.loader.with_first_data(made)
        # Last, because a request with this number must find these models
        loaded_generation.value = before + raised.value - raised_before

    def check(self, *, tries: bool = True, tables: bool = False, asked: float = math.inf) -> bool:
        """Check every file and load what has changed; return whether anything was loaded.

        :param tries: try files that no process has tried; otherwise they are left for the next check
        :param tables: also query whether another process has changed tables
        :param asked: a check that has begun since this time (`time.monotonic`) is sufficient
        """
        if not self._turn.acquire(timeout=self.patience):
            return False
        self._turn_began = time.monotonic()
        try:
            return self._checked_at <= asked and self._check(tries=tries, tables=tables)
        finally:
            self._turn.release()

    def _check(self, *, tries: bool, tables: bool) -> bool:
        looked = self._look()
        if self._environment != (now := environment()):
            self._environment = now
            # A package that an import missed may be installed now
            failed = {each.module for each in current_catalogue.value.failures if not each.stays}
            self.loader.retries |= {folder / name for folder in self.loader.folders for name in failed}
        has_changed = fingerprint(looked[0]) != current_catalogue.value.fingerprint
        is_due = self.loader.retries or (self._guard is not None and self._guard.is_due())
        if not has_changed and not is_due and not (tables and _is_behind()):
            return False
        if self._guard is not None and not self._guard.knows(looked[0]):
            tried = self._guard.settle(self.loader) if tries else None
            if tried is None:
                self._is_due = True
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
        folders = self.loader.folders
        # Drafts are looked into only for their file DRAFT
        drafts = [path for folder in folders for path in list_paths(folder)]
        folder_times, file_times = times_of([*map(str, folders), *drafts]), dict[str, int]()
        looked = self.loader.look()
        for found in looked[0]:
            if found.is_native:
                continue
            folder_times |= times_of(found.folder_times) if found.lost else found.folder_times
            file_times |= times_of(found.file_times) if found.lost else found.file_times
        self._folder_times, self._file_times = folder_times, file_times
        self._lost = {found.path.parent for found in looked[0] if found.lost}
        self._checked_at, self._is_due = began, False
        return looked

    def _has_changed(self, times: dict[str, int]) -> bool:
        return self._is_due or times_of(times) != times

    def look_again(self, *, thoroughly: bool = False) -> bool:
        """Return whether the catalogue has changed after a check of the files, for a request of an unknown service.

        The check is cheap (one `stat` for each folder). A load that takes longer than a request waits continues.

        :param thoroughly: check every file, as the explorer does
        """
        asked, before = time.monotonic(), current_catalogue.value
        enough = LATELY if self._thread is not None else 0.0
        if thoroughly:
            is_due = self._checked_at <= asked - enough
        else:
            # Wait for a load that is running
            is_due = self._turn.locked() or self._has_changed(self._folder_times)
        if is_due:
            self._check_in_thread(asked)
        return current_catalogue.value is not before

    def _check_in_thread(self, asked: float) -> None:
        left = self.patience
        if self._turn.locked():
            # Otherwise, requests would wait for a long load one after the other, until all threads are used
            left -= time.monotonic() - self._turn_began
            if left <= 0:
                return
        thread = threading.Thread(target=self._check_safely, kwargs={"asked": asked}, name=LOOK_THREAD, daemon=True)
        thread.start()
        thread.join(left)

    def begin(self) -> None:
        """Check the files of a process that has just been forked, and watch them.

        :raises SystemExit: the process has older modules than others had, and can't read the newer ones; their guards
            would be missing
        """
        try:
            # The catalogue of the master may be old. Trying files takes longer than a worker may take to start
            self.check(tries=False)
        except Exception:  # noqa: BLE001 - a worker that can't start ends the whole server
            _log.exception("reloading failed; the modules stay as they are")
        if self._lost and self._guard is not None and self._guard.is_newer(self.loader.look()[0]):
            _log.error(
                "a new process can't serve: %s has changed since the server started, and can't be read now; "
                "another process is tried until it can",
                ", ".join(map(str, self._lost)),
            )
            raise SystemExit(1)
        self.start()

    def start(self) -> None:
        """Watch the files in a thread of this process; call it after the process has been forked."""
        self._stop.clear()
        self._thread = threading.Thread(target=self._follow, name="comptoir-watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop watching."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=ROUND_SECONDS + 1)

    def _follow(self) -> None:
        rounds = 0
        while not self._stop.wait(ROUND_SECONDS):
            rounds += 1
            running.compare()
            is_due = not rounds % (TASK_ROUNDS if current_catalogue.value.failures else FILE_ROUNDS)
            # Cleared before the check, so that newer tables than those it finds cause another one
            tables = has_newer_tables.is_set() or not rounds % TABLE_ROUNDS
            has_newer_tables.clear()
            if is_due or tables or self._has_changed(self._folder_times) or self._has_changed(self._file_times):
                self._check_safely(tables=tables)
            if not rounds % TASK_ROUNDS:
                run_tasks(write_last_use, limiter.value.forget_old_windows, release_left)
            if not rounds % TIDY_ROUNDS:
                run_tasks(forget_old_claims)

    def _check_safely(self, *, tables: bool = False, asked: float = math.inf) -> None:
        try:
            self.check(tables=tables, asked=asked)
        except Exception as error:  # noqa: BLE001 - a worker without its new modules still serves
            if not is_unreachable(error):
                _log.exception("reloading failed; the modules stay as they are")
