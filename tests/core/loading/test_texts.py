"""Files of translated texts: found by their place, followed, and alone in their failures."""

import subprocess
import sys
import time

import pytest

from core.contract.catalogue import catalogue
from core.loading.file_status import file_statuses
from core.loading.places import parse_texts

pytestmark = pytest.mark.usefixtures("without_natives")


HEAD = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'
SWEDISH = HEAD + 'msgid "Tea"\nmsgstr "Te"\n'


@pytest.fixture
def served(serve, folder):
    return serve(modules=str(folder))


def own():
    return {each.language: each.messages() for each in catalogue().texts if each.module == "tea"}


def reasons():
    return {each.file.name: each.reason for each in catalogue().failures if each.module == "tea"}


def test_texts_are_found_and_followed(served, write):
    file = write("tea/texts/sv.po", SWEDISH)
    write("tea/texts/de.po", HEAD + 'msgctxt "unit"\nmsgid "pot"\nmsgstr "Kanne"\n')
    served.server.reloader.check()
    assert own() == {"de": {("unit", "pot"): "Kanne"}, "sv": {("", "Tea"): "Te"}}
    write("tea/texts/sv.po", HEAD + 'msgid "Tea"\nmsgstr "Rött te"\n')
    served.server.reloader.check()
    assert own()["sv"] == {("", "Tea"): "Rött te"}
    file.unlink()
    served.server.reloader.check()
    assert list(own()) == ["de"]


def test_the_server_follows_texts_by_itself(served, write):
    write("tea/texts/sv.po", SWEDISH)
    served.server.reloader.check()
    served.server.reloader.start()
    try:
        write("tea/texts/sv.po", HEAD + 'msgid "Tea"\nmsgstr "Kopp te"\n')
        end = time.monotonic() + 60
        while own()["sv"] != {("", "Tea"): "Kopp te"} and time.monotonic() < end:
            time.sleep(0.05)
        assert own()["sv"] == {("", "Tea"): "Kopp te"}
    finally:
        served.server.reloader.stop()


def test_what_is_not_translated_yet_is_left_out():
    content = HEAD + '#: somewhere.py\nmsgid "Tea"\nmsgstr ""\n\nmsgid ""\n"A long "\n"cup"\nmsgstr "En kopp"\n'
    assert parse_texts(content, "sv.po") == {("", "A long cup"): "En kopp"}


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("sv", HEAD + 'msgid "Tea"\nmsgstr "Te\n', "line 6: expected a keyword such as msgid and text in quotes"),
        ("sv", HEAD + 'msgid "Tea"\nmsgstr\n', "line 6: expected a keyword such as msgid and text in quotes"),
        ("sv", "class Tea: pass\n", "line 1: expected a keyword such as msgid and text in quotes"),
        ("sv", HEAD + 'msgid "Tea"\n', "line 5: missing msgstr for msgid 'Tea'"),
        ("sv", 'msgid ""\nmsgstr "Content-Type: text/plain; charset=none\\n"\n\nmsgid "a"\nmsgstr "b"\n', "unknown encoding: none"),
        ("sv", b"msgid \"Tea\"\nmsgstr \"T\xe9\"\n", "line 2 is not UTF-8"),
        ("xx", SWEDISH, "expected the file to be named after a known language code, such as sv.po; got xx.po"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_fails_alone_with_its_reason(served, write, name, text, reason):
    write("tea/texts/de.po", HEAD + 'msgid "Tea"\nmsgstr "Tee"\n')
    file = write(f"tea/texts/{name}.po", "")
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    served.server.reloader.check()
    assert reasons().keys() == {f"{name}.po"}
    assert reasons()[f"{name}.po"].startswith(reason)
    assert own() == {"de": {("", "Tea"): "Tee"}}
    told = {each.file: each.state for each in file_statuses(catalogue())}
    assert (told[file], told[file.parent / "de.po"]) == ("failed", "loaded")
    if name == "sv":
        file.write_text(SWEDISH)
        served.server.reloader.check()
        assert reasons() == {}
        assert own()["sv"] == {("", "Tea"): "Te"}


def test_only_files_named_like_a_language_in_the_known_place_are_texts(served, write):
    odd = write("tea/texts/Swedish.po", SWEDISH)
    write("tea/data/sv.po", SWEDISH)
    write("tea/doctemplates/sv.po", SWEDISH)
    served.server.reloader.check()
    assert own() == {}
    assert dict(catalogue().skipped)[odd] == "expected a name such as sv.po (<language>.po)"
    assert [file for file, _ in catalogue().skipped if file.name == "sv.po"] == []


def test_texts_of_a_module_that_is_refused_are_not_read(served, write):
    write("tea/texts/sv.po", SWEDISH).parents[1].chmod(0o777)
    served.server.reloader.check()
    assert own() == {}
    assert "other users can write to " in reasons()["sv.po"]


def test_the_native_texts_are_parsed_only_when_they_are_used():
    code = (
        "import sys; from core.common.settings import NATIVE_MODULES; from core.loading.loader import Loader; "
        "served = Loader([NATIVE_MODULES], tables=False).load(); "
        "print(len(served.texts) > 8, served.failures, 'babel' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "True () False\n"
