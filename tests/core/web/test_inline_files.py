"""Files that a browser shows: only PDFs and pictures that are what they claim to be, and without scripts."""

import base64
import io

import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from core import File
from core.testing import serving
from tests.files import write_files

pytestmark = pytest.mark.usefixtures("without_natives")

SHOWN = '''
import base64
import io
import os
from pathlib import Path

from core import File


class Shown:
    """Files."""

    def index(self, kind: str, content: str, how: str = "bytes", name: str = "a") -> File:
        """Show a file.

        :access: public
        """
        made = base64.b64decode(content)
        if how == "path":
            made = Path(os.environ["TEST_SHOWN"])
            made.write_bytes(base64.b64decode(content))
        if how == "stream":
            made = io.BytesIO(made)
        if how == "pipe":
            reading, writing = os.pipe()
            os.write(writing, made)
            os.close(writing)
            made = os.fdopen(reading, "rb")
        return File(made, name, kind, inline=True)
'''

POLICY = "sandbox; default-src 'none'"
PAGE = b"<html><script>alert(1)</script></html>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'


def picture(kind):
    made = io.BytesIO()
    Image.new("RGB", (4, 4), (255, 0, 0)).save(made, kind)
    return made.getvalue()


def pdf():
    made = io.BytesIO()
    canvas = Canvas(made, pagesize=(50, 50))
    canvas.showPage()
    canvas.save()
    return made.getvalue()


#: media type → a file of that type, written by a library
FILES = {
    "application/pdf": pdf(),
    "image/png": picture("PNG"),
    "image/jpeg": picture("JPEG"),
    "image/gif": picture("GIF"),
    "image/webp": picture("WEBP"),
}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = write_files(tmp_path_factory.mktemp("shown"), {"modules/shown/class/api_shown.py": SHOWN})
    with pytest.MonkeyPatch.context() as patch, serving(folder, modules=str(folder / "modules")) as served:
        patch.setenv("TEST_SHOWN", str(folder / "kept"))
        yield served.client(None)


def show(client, kind, content, headers=None, verb="GET", **more):
    params = {"kind": kind, "content": base64.b64encode(content).decode(), **more}
    return client.simulate_request(verb, "/shown", params=params, headers=headers or {})


@pytest.mark.parametrize("how", ["bytes", "path", "stream"])
@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_is_what_it_claims_to_be_is_shown(client, kind, how):
    answer = show(client, kind, FILES[kind], how=how, name="a b")
    assert (answer.status_code, answer.content) == (200, FILES[kind])
    told = answer.headers
    assert (told["content-type"], told["content-disposition"]) == (kind, 'inline; filename="a b"')
    assert (told["x-content-type-options"], told["content-security-policy"]) == ("nosniff", POLICY)


OTHERS = (
    PAGE,
    SVG,
    b"",
    b"%PDF",
    b" %PDF-1.4",
    b"GIF88a",
    b"RIFF\0\0\0\0WAVE",
    b"\x89PNG",
    b"\xff\xd8",
    b"MZ\x90",
    b"BM",
    b"\0\0\1\0",
)


@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_is_something_else_is_saved(client, kind):
    others = [*OTHERS, *(content for each, content in FILES.items() if each != kind)]
    for content in others:
        answer = show(client, kind, content)
        assert (answer.status_code, answer.content) == (200, content)
        assert answer.headers["content-disposition"] == 'attachment; filename="a"', content[:20]
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_file_that_is_read_only_once_is_saved(client):
    answer = show(client, "image/png", FILES["image/png"], how="pipe")
    assert (answer.content, answer.headers["content-disposition"]) == (FILES["image/png"], 'attachment; filename="a"')


@pytest.mark.parametrize("how", ["bytes", "path", "stream"])
def test_a_range_of_a_shown_file_is_shown(client, how):
    content = FILES["application/pdf"]
    answer = show(client, "application/pdf", content, {"Range": "bytes=9-19"}, how=how)
    assert (answer.status_code, answer.content) == (206, content[9:20])
    assert answer.headers["content-disposition"].startswith("inline")
    head = show(client, "application/pdf", content, verb="HEAD", how=how)
    assert (head.headers["content-disposition"], head.headers["content-length"]) == (
        'inline; filename="a"',
        str(len(content)),
    )
    assert head.content == b""


def test_a_known_file_keeps_its_policy(client):
    content = FILES["image/gif"]
    tag = show(client, "image/gif", content).headers["etag"]
    again = show(client, "image/gif", content, {"If-None-Match": tag})
    assert (again.status_code, again.headers["content-security-policy"]) == (304, POLICY)


@pytest.mark.parametrize(
    "kind",
    [
        "image/svg+xml", "text/html", "application/xhtml+xml", "text/xml", "text/plain", "application/octet-stream", "image/bmp", "image/x-icon",
        "image/PNG", "image/png; charset=utf-8", "image/png,text/html", "image/*",
    ],
)  # fmt: skip
def test_no_other_type_is_shown(client, kind):
    expected = (
        "inline: expected one of application/pdf, image/gif, image/jpeg, image/png, image/webp as content_type, got "
    )
    with pytest.raises(ValueError, match=r"^inline: expected one of ") as raised:
        File(b"", "a", kind, inline=True)
    assert str(raised.value).startswith(expected)
    assert File(b"", "a", kind).inline is False
    answer = show(client, kind, FILES["image/png"])
    assert (answer.status_code, "content-disposition" in answer.headers) == (500, False)


def test_a_name_beyond_ascii_is_kept(client):
    told = show(client, "image/png", FILES["image/png"], name='\u00e9";.png').headers["content-disposition"]
    assert told == "inline; filename=e___.png; filename*=UTF-8''%C3%A9%22%3B.png"
