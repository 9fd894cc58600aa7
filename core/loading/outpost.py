"""A process of one thread beside the workers: before any of them imports a changed file, it sends a scout to try it.

Workers have threads and connections, so that they cannot be forked; the master must not import what changes. Between
them stands this one, forked from the master. A worker hands it the end of a line; the answer is which state of the
disk has been tried. Where nobody answers, the worker goes on alone.
"""

from __future__ import annotations

import logging
import os
import select
import socket
from typing import NoReturn

from ..storage.database import close
from .folders import digest_of_prints, look
from .kept_process import KeptProcess
from .loader import Loader
from .scout import LIMIT, Scout, call_this_process, listen_to_signals

#: what the system shows of this process
NAME = "comptoir-outpost"
#: how often a disk that changes meanwhile is tried again before an answer
ROUNDS = 5

_log = logging.getLogger("comptoir.serve")


class Outpost(KeptProcess):
    """The process, and the line to it.

    :param loader: what the server was loaded with
    :param seconds: how long the import of a file may take
    """

    def __init__(self, loader: Loader, seconds: float = LIMIT) -> None:
        super().__init__()
        self._loader = loader
        self._seconds = seconds
        # Whole messages, kept while nobody takes them
        self._asking, self._asked = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)

    # In a worker

    def ask(self, patience: float) -> str:
        """Have the files tried; answers `digest_of_prints` of what has been tried, empty when nobody answers.

        :param patience: seconds
        """
        here, there = socket.socketpair()
        with here:
            with there:
                try:
                    socket.send_fds(self._asking, [b"?"], [there.fileno()], socket.MSG_DONTWAIT)
                except OSError:
                    return ""
            here.settimeout(patience)
            try:
                return here.recv(100).decode()
            except OSError:
                return ""

    # In the process itself

    def _stand(self, master: int, end: int) -> NoReturn:
        try:
            call_this_process(NAME)
            listen_to_signals()
            self._let_signals_in()
            # What modules print, or say of their failures, is written by the workers
            nothing = os.open(os.devnull, os.O_RDWR)
            for number in range(2):
                os.dup2(nothing, number)
            logging.getLogger("comptoir.loader").disabled = True
            self._loader.tables = False
            scout = Scout(self._loader, _log.error, seconds=self._seconds, leave=lambda: os.close(end))
            while os.getppid() == master:
                if select.select([self._asked], [], [], 1)[0]:
                    self._answer(scout)
        except Exception:  # noqa: BLE001 - the master starts another one
            _log.exception("the process for testing module imports failed; a new one replaces it")
        finally:
            os._exit(0)

    def _answer(self, scout: Scout) -> None:
        _, lines, _, _ = socket.recv_fds(self._asked, 1, 1)
        for line in lines:
            with socket.socket(fileno=line) as worker:
                answer = self._try_out(scout)
                try:
                    worker.sendall(answer.encode())
                except OSError:
                    # It has ended, or waits no longer
                    continue

    def _try_out(self, scout: Scout) -> str:
        for _ in range(ROUNDS):
            wanted = digest_of_prints(look(self._loader.folders)[0])
            if wanted == self._loader.digest:
                return wanted
            scout.try_out()
            # The next scout needs to load what changes then, and nothing else
            self._loader.load()
            close()
        return ""
