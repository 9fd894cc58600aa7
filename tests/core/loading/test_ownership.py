"""The users who may write the folder of a module, and the one that it is in."""

import os
import stat

import pytest

from core.contract.catalogue import catalogue
from core.loading.module_files import why_open
from core.testing import serving

pytestmark = pytest.mark.usefixtures("without_natives")


ME, MINE, ANOTHER = os.geteuid(), os.getegid(), 4711
SERVICE = "class Tea:\n    def index(self) -> str:\n        '''T.\n\n        :access: public\n        '''\n        return 'tea'\n"


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


@pytest.mark.skipif(ME != 0, reason="only root gives a folder away")
@pytest.mark.parametrize(
    ("mode", "uid", "gid", "command"),
    [
        (0o755, ME, ANOTHER, ""),
        (0o775, ME, MINE, ""),
        (0o775, ME, ANOTHER, "chmod go-w"),
        (0o777, ME, MINE, "chmod go-w"),
        # In a sticky folder, anybody could add a file that Python reads
        (0o1777, ME, MINE, "chmod go-w"),
        (0o755, ANOTHER, MINE, "chown root"),
    ],
)
def test_a_folder_must_be_closed_to_others(served, tmp_path, mode, uid, gid, command):
    folder = tmp_path / "it"
    folder.mkdir()
    os.chown(folder, uid, gid)
    folder.chmod(mode)
    reason = why_open(folder)
    assert bool(reason) == bool(command)
    assert not reason or f"run `{command} {folder}`" in reason
    assert str(ANOTHER) not in reason


@pytest.mark.parametrize("which", ["tea", "."])
@pytest.mark.parametrize("mode", [0o777, 0o1777])
def test_a_module_that_others_can_write_is_not_loaded(served, folder, tea, which, mode):
    assert state(served) == (200, "")
    usual = stat.S_IMODE((folder / which).stat().st_mode)
    (folder / which).chmod(mode)
    code, reason = state(served)
    assert code == 501
    assert reason == f"other users can write to {folder / which}; run `chmod go-w {folder / which}`"
    # The command in the reason is the way out
    (folder / which).chmod(usual)
    assert state(served) == (200, "")


def test_the_folder_that_a_link_leads_to_is_checked(served, tmp_path, folder, tea):
    (folder / "tea").rename(folder / "_tea")
    (folder / "tea").symlink_to("_tea")
    assert state(served) == (200, "")
    (folder / "_tea").chmod(0o777)
    assert state(served) == (501, f"other users can write to {folder}/tea; run `chmod go-w {folder}/tea`")


def test_a_setting_allows_folders_that_others_can_write(tmp_path, folder, tea):
    for each in (folder / "tea", folder):
        each.chmod(0o777)
    with serving(tmp_path, modules=str(folder), writable_modules=True) as served:
        assert state(served) == (200, "")


@pytest.mark.skipif(ME != 0, reason="only root gives a folder away")
@pytest.mark.parametrize("which", ["tea", "."])
def test_what_belongs_to_another_user_is_not_loaded(served, folder, tea, which):
    os.chown(folder / which, ANOTHER, 0)
    code, reason = state(served)
    assert code == 501
    assert "to belong to root or to the server's user" in reason
    assert "run `chown root " in reason


def test_only_administrators_are_told_why(served, folder, tea):
    (folder / "tea").chmod(0o777)
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


def test_a_change_of_a_test_reloads_nothing(served, folder, tea, write):
    test = write("tea/tests/test_tea.py", "import modules.coffee\n")
    before = state(served), catalogue().number
    test.write_text("import modules.milk  # edited\n")
    assert (state(served), catalogue().number) == before == ((200, ""), before[1])
