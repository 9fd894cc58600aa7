"""Servers over demonstration data, which is made once a run of the tests and copied for whoever needs it.

Workers of pytest-xdist share what is made: the first one that asks makes it, the others wait for it. SQLite only.

served = filled(tmp_path_factory, demonstration)
served = filled(tmp_path_factory, demonstration, profile_name="dolibarr16", modules=str(FOLDER))

A function that fills another server further, by way of what a filled one holds, is handed on likewise:
``filled(tmp_path_factory, demonstration, add_keys)``.
"""

import fcntl
import os
import shutil
import sqlite3
from datetime import UTC, date, datetime
from pathlib import Path

from core.commands.demo import make_demonstration
from core.common.clock import as_if
from core.storage.database import ensure_connected
from core.testing import Served, make_settings

#: the day that demonstration data is made for
DAY = date(2026, 11, 21)
_DATABASE, _DOCUMENTS, _WHOLE = "filled.db", "documents", "whole"


def demonstration(served):
    """The demonstration data of every native module, with its PDFs."""
    # References contain the month, and examples name some of them
    with as_if(datetime(DAY.year, DAY.month, DAY.day, 12, tzinfo=UTC).timestamp()):
        assert make_demonstration(served.settings, today=DAY) == []
        assert served.run_jobs() > 0


def filled(factory, *fillers, **options):
    """A server over a copy of what was made by some functions, one after the other.

    :param options: settings of the server; the data is made with none of them
    """
    source = _made(factory, fillers)
    folder = factory.mktemp("filled")
    return _copied(source, folder, **options)


def _made(factory, fillers):
    """The folder of what some functions have made; made now, unless it is there."""
    name = "+".join(f"{each.__module__}.{each.__name__}" for each in fillers)
    folder = _shared(factory) / name
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / _WHOLE).exists():
            _make(factory, folder, fillers)
            (folder / _WHOLE).touch()
    return folder


def _shared(factory):
    """The folder that all workers of a run have in common."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def _make(factory, folder, fillers):
    work = factory.mktemp("filling")
    *first, last = fillers
    served = _copied(_made(factory, tuple(first)), work) if first else Served(make_settings(work))
    try:
        ensure_connected()
        last(served)
    finally:
        served.close()
    # A copy of the file alone might miss what SQLite still holds beside it
    source = sqlite3.connect(served.settings.database.removeprefix("sqlite:///"))
    target = sqlite3.connect(folder / _DATABASE)
    source.backup(target)
    target.close()
    source.close()
    documents = Path(served.settings.documents)
    if documents.exists():
        shutil.copytree(documents, folder / _DOCUMENTS, dirs_exist_ok=True)


def _copied(source, folder, **options):
    configuration = make_settings(folder, **options)
    shutil.copyfile(source / _DATABASE, configuration.database.removeprefix("sqlite:///"))
    if (source / _DOCUMENTS).exists():
        shutil.copytree(source / _DOCUMENTS, configuration.documents, dirs_exist_ok=True)
    return Served(configuration)
