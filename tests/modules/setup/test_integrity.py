"""Whether the installed files are those of the release."""

import hashlib
import json

import pytest

from modules.setup.integrity import check_integrity, release_files

FILES = {
    "core/one.py": "one\n",
    "explorer/script/two.js": "two\n",
    "modules/orders/class/api_orders.py": "three\n",
    "modules/README.md": "four\n",
}


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def root(tmp_path):
    """An installation."""
    for name, text in FILES.items():
        file = tmp_path / "site" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "site"


def checked(root):
    return check_integrity({name: sha(text) for name, text in FILES.items()}, root)


def test_an_installation_as_it_was_made(root):
    (root / "core/__pycache__").mkdir()
    (root / "core/__pycache__/one.cpython-311.pyc").write_bytes(b"1")
    (root / "other").mkdir()
    (root / "other/library.py").write_text("not ours")
    told = checked(root)
    assert (told["resultcode"], told["resultcomment"]) == ("ok", "all 4 files match the release")
    assert told["expectedchecksum"] == told["currentchecksum"]
    assert told["files"] == 4
    assert told["changed"] == told["missing"] == told["unexpected"] == told["added_modules"] == []


def test_what_has_changed_is_named_by_paths_below_the_installation(root):
    (root / "core/one.py").write_text("one more\n")
    (root / "explorer/script/two.js").unlink()
    (root / "modules/orders/class/api_other.py").write_text("put here\n")
    (root / "core/back.py").write_text("door\n")
    (root / "modules/loyalty").mkdir()
    (root / "modules/loyalty/models.py").write_text("dropped in\n")
    told = checked(root)
    assert told["resultcode"] == "ko"
    assert told["resultcomment"] == "1 changed, 1 missing, 2 unexpected"
    assert told["changed"] == ["core/one.py"]
    assert told["missing"] == ["explorer/script/two.js"]
    assert told["unexpected"] == ["core/back.py", "modules/orders/class/api_other.py"]
    assert told["added_modules"] == ["loyalty"]
    assert told["expectedchecksum"] != told["currentchecksum"]
    assert str(root) not in json.dumps(told)


def test_a_module_that_was_added_alone_is_no_fault(root):
    (root / "modules/loyalty").mkdir()
    (root / "modules/loyalty/models.py").write_text("dropped in\n")
    told = checked(root)
    assert (told["resultcode"], told["added_modules"]) == ("ok", ["loyalty"])


def test_a_checkout_has_no_list(tmp_path, server, admin):
    message = admin.refused("GET", "/setup/checkintegrity", status=404, params={"target": "local"})
    assert "git" in message and "/" not in message
    with pytest.raises(Exception, match="the list of released files is missing"):
        release_files(tmp_path)
    admin.refused("GET", "/setup/checkintegrity", status=400)
    admin.refused("GET", "/setup/checkintegrity", status=400, params={"target": "/etc/passwd"})
