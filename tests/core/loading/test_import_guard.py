"""The import guard: what files do to a child process, who is refused, and for how long."""

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.loading import import_guard
from core.loading.import_guard import ImportGuard, ImportsFailed
from core.loading.loader import Loader
from tests.serving.running import is_there

pytestmark = [pytest.mark.usefixtures("without_natives"), pytest.mark.slow]

GOOD = "class Good:\n    ''':access: public'''\n    def index(self): return 1\n"


def fork(monkeypatch):
    monkeypatch.setattr(threading, "active_count", lambda: 1)


def new_process(monkeypatch):
    monkeypatch.setattr(threading, "active_count", lambda: 2)


@pytest.fixture(params=[fork, new_process])
def way(request, monkeypatch):
    """Both ways to have files tried."""
    request.param(monkeypatch)


@pytest.fixture
def guarded(folder, tmp_path):
    """Load the modules of the folder as another process of the same installation does."""

    def load(seconds=60.0):
        guard = ImportGuard(tmp_path / "importing", seconds)
        looked = guard.settle(Loader((folder,)))
        assert looked is not None
        return Loader((folder,), before_import=guard.ensure_allowed, tables=False).load(looked)

    return load


def failures(made):
    return {each.name: each for each in made.failures}


#: name → text, reason, line
DEADLY = {
    "leaver": ("import os\n\nos._exit(0)", "importing the file ended the process (os._exit(0) or similar)", None),
    "crash": ("import ctypes\n\nctypes.string_at(0)", "importing the file crashed the process (SIGSEGV)", 3),
    "killed": ("import os\nos.kill(0, 9)", "importing the file crashed the process (SIGKILL)", None),
    "hang": ("def spin():\n    while True: pass\n\nspin()", "importing the file took more than 1 seconds", 2),
    "closer": ("import os\nos.closerange(0, 100)", "importing the file closes files that it didn't open", None),
    "silencer": (
        "import sys\nsys.stdout.close()",
        "importing the file closes files that it didn't open",
        None,
    ),
    "alarm": (
        "import signal\nsignal.alarm(100)",
        "importing the file sets an alarm that would end the process",
        None,
    ),
    "mover": ("import os\nos.chdir('/')", "importing the file changes the working directory", None),
}


@pytest.mark.usefixtures("way")
def test_a_file_that_ends_or_blocks_the_process_is_refused(guarded, write):
    for name, (text, _, _) in DEADLY.items():
        write(f"{name}/class/api_{name}.py", text)
    # Not an `Exception`, but a failure like any other
    write("raiser/class/api_raiser.py", "class Stop(BaseException): pass\nraise Stop")
    write("good/class/api_good.py", GOOD)
    for _ in range(2):
        # Only the file that never ends takes this long
        made = guarded(seconds=1.0)
        assert "good" in made.services
        found = failures(made)
        raiser = found.pop("raiser")
        assert (raiser.reason, raiser.line) == ("Stop", 2)
        assert found.keys() == DEADLY.keys()
        for name, (_, reason, line) in DEADLY.items():
            assert found[name].reason == f"{reason}; the file is not loaded again until a file of its module changes"
            assert found[name].line == line
        assert " in spin" in found["hang"].trace
        assert "core/" not in found["hang"].trace


@pytest.mark.parametrize("mended", ["bad/class/api_good.py", "bad/helper.py", "other/helper.py"])
def test_a_refused_file_is_tried_again_when_what_it_imports_changes(guarded, write, tmp_path, folder, mended):
    ends = f"import os, pathlib\nif pathlib.Path({str(tmp_path / 'ends')!r}).exists(): os._exit(1)\n"
    write("bad/class/api_good.py", f"from modules.other import helper\n{ends}{GOOD}")
    write("bad/helper.py", "")
    write("other/helper.py", "")
    write("third/helper.py", "")
    (tmp_path / "ends").touch()
    assert failures(guarded()).keys() == {"good"}
    (tmp_path / "ends").unlink()
    write("third/helper.py", "# something else")
    assert failures(guarded()).keys() == {"good"}
    write(mended, (folder / mended).read_text() + "# mended")
    assert "good" in guarded().services


def test_a_mended_file_is_tried_beside_a_module_whose_name_begins_alike(guarded, write):
    write("cards/class/api_good.py", GOOD)
    write("cards2/class/api_better.py", f"import os\nos._exit(1)\n{GOOD.replace('Good', 'Better')}")
    assert failures(guarded()).keys() == {"better"}
    write("cards2/class/api_better.py", GOOD.replace("Good", "Better"))
    assert {"good", "better"} <= guarded().services.keys()


def test_only_what_changed_and_what_imports_it_is_tried(guarded, write, tmp_path):
    log = tmp_path / "log"
    notes = f"open({str(log)!r}, 'a').write(__name__.split('.')[1] + ' ')\n"
    write("base/words.py", "")
    write("base/events.py", notes)
    write("user/events.py", "from ..base import words\n" + notes)
    write("third/events.py", notes)

    def tried():
        log.write_text("")
        guard = ImportGuard(tmp_path / "importing", 60.0)
        assert guard.settle(Loader((tmp_path / "outside",)))
        return log.read_text().split()

    assert tried() == ["base", "third", "user"]
    assert tried() == []
    write("base/words.py", "WORD = 1")
    assert tried() == ["base", "user"]
    (tmp_path / "outside/base/events.py").unlink()
    assert tried() == ["user"]


def test_several_processes_have_a_state_tried_once(write, folder, tmp_path):
    log = tmp_path / "log"
    write("slow/events.py", f"import time\ntime.sleep(0.3)\nopen({str(log)!r}, 'a').write('x')\n")
    guards = [ImportGuard(tmp_path / "importing", 60.0) for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        assert all(pool.map(lambda each: each.settle(Loader((folder,))), guards))
    assert log.read_text() == "x"


@pytest.mark.parametrize("text", ["", "{", "[]", "[1, 2, 3]", '["x", {}, {"a": 1}]', "\udcff"])
def test_a_record_that_cannot_be_read_is_made_again(guarded, write, tmp_path, text):
    write("good/class/api_good.py", GOOD)
    (tmp_path / "importing").mkdir()
    (tmp_path / "importing/tried.json").write_bytes(text.encode(errors="surrogateescape"))
    assert "good" in guarded().services


def test_a_folder_that_cannot_be_written_holds_up_no_module(write, folder, tmp_path):
    write("bad/class/api_bad.py", "import os; os._exit(0)")
    (tmp_path / "file").touch()
    guard = ImportGuard(tmp_path / "file/importing", 60.0)
    assert guard.settle(Loader((folder,)))
    made = Loader((folder,), before_import=guard.ensure_allowed, tables=False).load()
    assert failures(made).keys() == {"bad"}


def test_another_machine_tries_again(guarded, write, tmp_path, monkeypatch):
    write(
        "good/class/api_good.py",
        f"import os, pathlib\nif pathlib.Path({str(tmp_path / 'ends')!r}).exists(): os._exit(1)\n{GOOD}",
    )
    (tmp_path / "ends").touch()
    assert failures(guarded())
    (tmp_path / "ends").unlink()
    assert failures(guarded())
    monkeypatch.setattr(import_guard.platform, "node", lambda: "another")
    assert not failures(guarded())


def test_a_child_that_was_killed_once_refuses_no_file(guarded, write, tmp_path):
    once = f"import os, pathlib\nonce = pathlib.Path({str(tmp_path / 'once')!r})\n"
    once += "if not once.exists():\n    once.touch()\n    os.kill(os.getpid(), 9)\n"
    write("good/class/api_good.py", once + GOOD)
    assert "good" in guarded().services
    assert (tmp_path / "once").exists()


def test_a_start_that_is_interrupted_refuses_no_file_and_leaves_no_process(write, folder, tmp_path):
    begun = tmp_path / "begun"
    write(
        "slow/events.py",
        f"import os, pathlib, time\npathlib.Path({str(begun)!r}).write_text(str(os.getpid()))\ntime.sleep(600)\n",
    )
    program = (
        "from pathlib import Path; from core.loading.import_guard import ImportGuard; "
        "from core.loading.loader import Loader; "
        f"ImportGuard(Path({str(tmp_path / 'importing')!r}), 600).settle(Loader((Path({str(folder)!r}),)))"
    )
    process = subprocess.Popen([sys.executable, "-c", program])
    while not (begun.exists() and begun.read_text()):
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    end = time.monotonic() + 60
    while is_there(int(begun.read_text())):
        assert time.monotonic() < end
        time.sleep(0.01)
    assert not (tmp_path / "importing/tried.json").exists()


def test_a_process_that_ends_between_imports_is_an_error(folder, tmp_path, write, monkeypatch):
    write("good/class/api_good.py", GOOD)
    fork(monkeypatch)
    loader = Loader((folder,))
    monkeypatch.setattr(Loader, "__init__", lambda *arguments, **more: 1 / 0)
    with pytest.raises(ImportsFailed, match="ZeroDivisionError"):
        ImportGuard(tmp_path / "importing", 60.0).settle(loader)


def test_a_missing_package_is_looked_for_again_when_packages_change(served, write, tmp_path, monkeypatch):
    packages = tmp_path / "site-packages"
    packages.mkdir()
    monkeypatch.syspath_prepend(str(packages))
    served.server.reloader.check()
    write("good/class/api_good.py", "import pandaz\n" + GOOD)
    assert served.client(None).get("/good", status=501)
    assert not served.server.reloader.check()
    (packages / "pandaz.py").touch()
    assert served.server.reloader.check()
    assert served.client(None).get("/good") == 1
    assert not served.server.reloader.check()
