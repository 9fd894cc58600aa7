"""A method that changes its process changes nothing for others; relative settings stay those of the start."""

import os

import pytest

from tests.serving.running import ROOT, wait_until

MOVES = """
import locale
import logging
import os
import socket
import sys
import time
from core import Api, job


class Moves(Api):
    '''Change the process.

    :access: public
    '''

    def post(self, how: str, seconds: float = 0) -> str:
        '''Change it.'''
        if how == "folder":
            os.makedirs({elsewhere!r}, exist_ok=True)
            os.chdir({elsewhere!r})
        elif how == "locale":
            locale.setlocale(locale.LC_ALL, "C")
        elif how == "logging":
            logging.disable(logging.CRITICAL)
        elif how == "recursion":
            sys.setrecursionlimit(3000)
        time.sleep(seconds)
        return os.getcwd()

    def index(self) -> list:
        '''Return the state.'''
        return [os.getcwd(), locale.setlocale(locale.LC_ALL), logging.root.manager.disable, sys.getrecursionlimit()]
"""


@pytest.mark.fault(
    "A method changes the working folder, the locale, logging or the recursion limit",
    "other requests and files are unaffected; it is put back, and the log has the file",
)
def test_what_a_method_changes_of_its_process_is_put_back(start, tmp_path, seen):
    elsewhere = tmp_path / "elsewhere"
    relative = os.path.relpath(tmp_path, ROOT)
    server = start(
        workers=1,
        database=f"sqlite:///{relative}/data/test.db",
        documents=f"{relative}/data/documents",
        modules=f"{relative}/modules",
    )
    file = server.write("moves/class/api_moves.py", MOVES.format(elsewhere=str(elsewhere)))
    server.everywhere("/moves")
    before = server.ask("/moves").json
    assert before[0] == str(ROOT)
    key = server.key
    product = server.ask("/products", "POST", {"ref": "moved", "label": "x"}, key)
    assert product.status in (200, 201), product.body
    for number, how in enumerate(("folder", "locale", "logging", "recursion")):
        server.ask("/moves", "POST", {"how": how})
        # Before anything is put back, and on connections to the database that are new
        upload = {"filename": f"{how}.txt", "modulepart": "product", "ref": "moved", "filecontent": "x"}
        answer = server.ask("/documents/upload", "POST", upload, key)
        assert answer.status == 200, answer.body
        wait_until(lambda: server.ask("/moves").json == before)
        wait_until(lambda number=number: server.output.count("a method has changed") == number + 1)
    lines = [line for line in server.output.splitlines() if "a method has changed" in line]
    assert all(str(file.relative_to(tmp_path)) in line for line in lines)
    assert sorted(each.name for each in (tmp_path / "data/documents").rglob("*.txt")) == [
        "folder.txt", "locale.txt", "logging.txt", "recursion.txt",
    ]  # fmt: skip
    assert list(elsewhere.iterdir()) == []
    # A new file is found, and a worker that starts later has the same folders
    server.write("moves/class/api_moves.py", MOVES.format(elsewhere=str(elsewhere)) + "\n# edited\n")
    os.kill(next(iter(server.workers)), 9)
    wait_until(lambda: len(server.workers) == 1)
    server.everywhere("/moves")
    seen(f"{len(lines)} changes put back; {len(lines)} uploads in the right folder")
