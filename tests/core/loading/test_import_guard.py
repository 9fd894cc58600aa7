"""The import guard: what files do to a child process, who is refused, and for how long."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.common import settings
from core.loading import import_guard, trial
from core.loading.import_guard import ImportGuard, changed_natives
from core.loading.loader import Loader
from tests.serving.running import is_there

pytestmark = [pytest.mark.usefixtures("without_natives"), pytest.mark.slow]

GOOD = "class Good:\n    ''':access: public'''\n    def index(self): return 1\n"


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
            again = "tried again after a pause, or when" if name == "hang" else "not loaded again until"
            assert found[name].reason == f"{reason}; the file is {again} a file of its module changes"
            assert found[name].line == line


def test_a_file_that_replaces_standard_error_hides_no_later_one(guarded, write):
    write("aaa/class/api_good.py", "import io, sys\nsys.stderr = io.StringIO()\n" + GOOD)
    write("bad/class/api_bad.py", "import os\nos._exit(1)\n")
    assert failures(guarded()).keys() == {"bad"}


@pytest.mark.parametrize("mended", ["bad/class/api_good.py", "bad/helper.py"])
def test_a_refused_file_is_tried_again_when_its_module_changes(guarded, write, tmp_path, folder, mended):
    ends = f"import os, pathlib\nif pathlib.Path({str(tmp_path / 'ends')!r}).exists(): os._exit(1)\n"
    write("bad/class/api_good.py", f"from modules.other import helper\n{ends}{GOOD}")
    write("bad/helper.py", "")
    write("other/helper.py", "")
    (tmp_path / "ends").touch()
    assert failures(guarded()).keys() == {"good"}
    (tmp_path / "ends").unlink()
    write("other/helper.py", "# something else")
    assert failures(guarded()).keys() == {"good"}
    write(mended, (folder / mended).read_text() + "# mended")
    assert "good" in guarded().services


def test_a_mended_file_is_tried_beside_a_module_whose_name_begins_alike(guarded, write):
    write("cards/class/api_good.py", GOOD)
    write("cards2/class/api_better.py", f"import os\nos._exit(1)\n{GOOD.replace('Good', 'Better')}")
    assert failures(guarded()).keys() == {"better"}
    write("cards2/class/api_better.py", GOOD.replace("Good", "Better"))
    assert {"good", "better"} <= guarded().services.keys()


def test_all_outside_modules_are_tried_when_one_has_changed(guarded, write, tmp_path):
    log = tmp_path / "log"
    notes = f"open({str(log)!r}, 'a').write(__name__.split('.')[1] + ' ')\n"
    write("base/words.py", "")
    write("user/events.py", "from ..base import words\n" + notes)
    write("third/events.py", notes)

    def tried():
        log.write_text("")
        guard = ImportGuard(tmp_path / "importing", 60.0)
        assert guard.settle(Loader((tmp_path / "outside",)))
        return log.read_text().split()

    assert tried() == ["third", "user"]
    assert tried() == []
    write("base/words.py", "WORD = 1")
    assert tried() == ["third", "user"]


def test_native_modules_are_not_tried(write, folder, tmp_path, monkeypatch):
    write("good/events.py", "import os; os._exit(1)")
    monkeypatch.setattr(settings, "NATIVE_MODULES", folder)
    monkeypatch.setattr(settings, "NATIVE_NAMES", {"good"})
    guard = ImportGuard(tmp_path / "importing", 60.0)
    assert guard.settle(Loader((folder,)))
    assert guard._refused == {}


def test_a_native_module_that_has_changed_since_a_server_loaded_it_is_named(write, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(settings, "NATIVE_MODULES", folder)
    monkeypatch.setattr(settings, "NATIVE_NAMES", {"good", "same"})
    for name in ("good", "same", "own"):
        write(f"{name}/events.py", "")
    place, loader = tmp_path / "importing", Loader((folder,))
    assert changed_natives(place, loader.look()[0]) == []
    ImportGuard(place, 60.0).note_natives(loader.look()[0])
    assert changed_natives(place, loader.look()[0]) == []
    for name in ("good", "own"):
        write(f"{name}/events.py", "WORD = 1")
    assert changed_natives(place, loader.look()[0]) == ["good"]


def test_a_file_that_took_too_long_is_tried_again_after_growing_pauses(write, folder, tmp_path, monkeypatch):
    write("slow/events.py", "import time; time.sleep(60)")
    write("bad/events.py", "import os; os._exit(1)")
    now = [1000.0]
    monkeypatch.setattr(import_guard.time, "time", lambda: now[0])
    guards = [ImportGuard(tmp_path / "importing", 0.5) for _ in range(2)]
    slow, bad = str(folder / "slow/events.py"), str(folder / "bad/events.py")

    def pauses():
        loader = Loader((folder,))
        assert all(guard.settle(loader) for guard in guards)
        assert guards[0]._refused == guards[1]._refused
        assert guards[0]._refused[bad].due == 0
        return guards[0]._refused[slow].pause

    assert pauses() == 5
    now[0] = 1004.9
    assert not guards[0].is_due()
    now[0] = 1005.0
    assert guards[0].is_due()
    assert pauses() == 10
    now[0] = 1014.9
    assert pauses() == 10
    now[0] = 1015.0
    assert pauses() == 20
    now[0] = 1035.0
    write("slow/events.py", "")
    loader = Loader((folder,))
    assert guards[0].settle(loader) and guards[0]._refused.keys() == {bad}


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


def test_a_start_that_is_interrupted_refuses_no_file_and_its_process_ends(write, folder, tmp_path):
    begun = tmp_path / "begun"
    write(
        "slow/events.py",
        f"import os, pathlib, time\npathlib.Path({str(begun)!r}).write_text(str(os.getpid()))\ntime.sleep(600)\n",
    )
    program = (
        "from pathlib import Path; from core.loading.import_guard import ImportGuard; "
        "from core.loading.loader import Loader; "
        f"ImportGuard(Path({str(tmp_path / 'importing')!r}), 2).settle(Loader((Path({str(folder)!r}),)))"
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
    loader = Loader((folder,))
    monkeypatch.setattr(trial, "__name__", "nowhere")
    with pytest.raises(trial.ImportsFailed, match="No module named 'nowhere'"):
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
