"""Who may write what is loaded: files, the folders they lie in, and the folders above those."""

import os
import stat

import pytest

import core.loading.module_files
from core.contract.catalogue import catalogue
from core.loading.folders import look
from core.loading.module_files import why_open, why_replaceable
from core.testing import serving

pytestmark = pytest.mark.usefixtures("without_natives")


ME, MINE, ANOTHER = os.geteuid(), os.getegid(), 4711
SERVICE = "class Tea:\n    def index(self) -> str:\n        '''T.\n\n        :access: public\n        '''\n        return 'tea'\n"


def status(mode, uid=ME, gid=MINE):
    return os.stat_result((mode, 1, 1, 1, uid, gid, 10, 0, 0, 0))


@pytest.fixture
def served(tmp_path, folder):
    with serving(tmp_path, modules=str(folder)) as made:
        yield made


@pytest.fixture
def tea(write):
    return write("tea/class/api_tea.py", SERVICE)


def state(served):
    """The status of a call, and why the service cannot be loaded."""
    served.server.reloader.check()
    answer = served.client(None).simulate_get("/tea")
    return answer.status_code, next((each.reason for each in catalogue().failures if each.name == "tea"), "")


@pytest.mark.parametrize(
    ("mode", "uid", "gid", "above", "open_to"),
    [
        (0o100644, ME, MINE, False, ""),
        (0o100644, 0, ANOTHER, False, ""),
        (0o100664, ME, MINE, False, ""),
        (0o100664, ME, ANOTHER, False, "chmod go-w it"),
        (0o100646, ME, MINE, False, "chmod go-w it"),
        (0o100666, 0, 0, False, "chmod go-w it"),
        (0o100644, ANOTHER, MINE, False, "chown root it"),
        (0o040755, ME, ANOTHER, False, ""),
        (0o040777, ME, MINE, False, "chmod go-w it"),
        # In a sticky folder of its own module anybody could add what Python reads
        (0o041777, ME, MINE, False, "chmod go-w it"),
        (0o041777, 0, 0, True, ""),
        (0o040777, 0, 0, True, "chmod go-w it"),
        (0o041777, ANOTHER, MINE, True, "chown root it"),
    ],
)
def test_the_rule(served, mode, uid, gid, above, open_to):
    reason = why_open("it", status(mode, uid, gid), above=above)
    assert bool(reason) == bool(open_to)
    assert open_to in reason
    assert str(uid) not in reason


@pytest.mark.parametrize("which", ["tea/class/api_tea.py", "tea/class", "tea"])
@pytest.mark.parametrize("mode", [0o777, 0o1777])
def test_every_folder_of_a_module_is_closed(served, folder, tea, which, mode):
    assert state(served) == (200, "")
    usual = stat.S_IMODE((folder / which).stat().st_mode)
    (folder / which).chmod(mode)
    code, reason = state(served)
    assert code == 501
    assert reason == f"other users can write to {which}; run `chmod go-w {which}`"
    # What the reason says mends it
    (folder / which).chmod(usual)
    assert state(served) == (200, "")


def test_what_python_has_compiled_is_closed(served, folder, tea):
    compiled = folder / "tea/class/__pycache__"
    compiled.mkdir(exist_ok=True)
    compiled.chmod(0o777)
    assert state(served) == (
        501,
        "other users can write to tea/class/__pycache__; run `chmod go-w tea/class/__pycache__`",
    )


def test_a_folder_above_that_others_may_write_is_open_unless_it_is_sticky(served, folder, tea):
    for each in (folder, folder.parent):
        usual = stat.S_IMODE(each.stat().st_mode)
        each.chmod(0o777)
        assert state(served) == (501, f"other users can write to {each}; run `chmod go-w {each}`")
        each.chmod(0o1777)
        assert state(served) == (200, "")
        each.chmod(usual)


def test_the_setting_lets_all_of_it_through(tmp_path, folder, tea):
    for each in (tea, tea.parent, folder / "tea", folder):
        each.chmod(0o777)
    with serving(tmp_path, modules=str(folder), writable_modules=True) as served:
        assert state(served) == (200, "")


def test_the_way_through_a_link_is_looked_at_too(served, tmp_path, folder):
    (tmp_path / "open/real").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "open/real")
    assert why_replaceable(tmp_path / "link", {}) == ""
    (tmp_path / "open").chmod(0o777)
    assert why_replaceable(tmp_path / "link", {}).endswith(f"run `chmod go-w {tmp_path}/open`")
    # Also if another link leads there, which is followed again at each look
    (tmp_path / "open").chmod(0o755)
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed/hop").symlink_to("../link")
    (tmp_path / "first").symlink_to("closed/hop")
    assert why_replaceable(tmp_path / "first", {}) == ""
    (tmp_path / "closed").chmod(0o777)
    assert why_replaceable(tmp_path / "first", {}).endswith(f"run `chmod go-w {tmp_path}/closed`")
    # A link that leads to itself ends the way
    (tmp_path / "loop").symlink_to("loop")
    assert why_replaceable(tmp_path / "loop", {}) == ""


def test_a_look_asks_for_each_folder_above_once(served, folder, monkeypatch):
    asked = []
    monkeypatch.setattr(core.loading.module_files, "_why_open_above", lambda path: asked.append(path) or "")
    for name in ("tea", "coffee"):
        (folder / name).mkdir()
    look([folder])
    assert asked == [str(each) for each in (*reversed(folder.parents), folder)]


@pytest.mark.skipif(ME != 0, reason="only root gives a file away")
@pytest.mark.parametrize("which", ["tea/class/api_tea.py", "tea/class", "tea", "."])
def test_what_belongs_to_another_user_is_not_loaded(served, folder, tea, which):
    os.chown(folder / which, ANOTHER, 0)
    code, reason = state(served)
    assert code == 501
    assert "to belong to root or to the server's user" in reason
    assert "run `chown root " in reason


def test_only_administrators_are_told_why(served, folder, tea):
    tea.chmod(0o666)
    served.server.reloader.check()
    assert "chmod" in str(served.client().get("/tea", status=501))
    for client in (served.client(None), served.user()):
        assert "chmod" not in str(client.get("/tea", status=501))


def test_what_is_not_loaded_is_not_imported_by_another_module_either(served, folder, tea, write):
    write("tea/words.py", f"import pathlib\npathlib.Path({str(folder / 'ran')!r}).touch()\nWORD = 'tea'\n")
    (folder / "tea").chmod(0o777)
    write("cups/class/api_cups.py", "from ...tea.words import WORD\n" + SERVICE.replace("Tea", "Cups"))
    served.server.reloader.check()
    served.client(None).get("/cups", status=501)
    assert not (folder / "ran").exists()
    (folder / "tea").chmod(0o755)
    served.server.reloader.check()
    assert served.client(None).get("/cups") == "tea"
    assert (folder / "ran").exists()


def test_tests_are_not_what_a_module_is_loaded_anew_for_and_are_closed_all_the_same(served, folder, tea, write):
    test = write("tea/tests/test_tea.py", "import modules.coffee\n")
    before = state(served), catalogue().number
    test.write_text("import modules.milk  # edited\n")
    assert (state(served), catalogue().number) == before == ((200, ""), before[1])
    # They may be imported by what is served
    test.chmod(0o666)
    tea.write_text(SERVICE.replace("'tea'", "'coffee'"))
    assert state(served) == (
        501,
        "other users can write to tea/tests/test_tea.py; run `chmod go-w tea/tests/test_tea.py`",
    )
