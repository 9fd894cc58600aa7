"""An answer's type follows from what a method returns: it can't be set in another way."""

import pytest
from falcon import parse_header

from core.contract.catalogue import catalogue

PAGES = '''
import os

from core import File, set_header


class Pages:
    """Pages."""

    def index(self, name: str) -> str:
        """Set a header.

        :access: public
        :param name: which one
        """
        set_header(name, "text/html")
        return "<script>alert(1)</script>"

    def file(self) -> File:
        """Return a file.

        :access: public
        """
        return File(b"<p>", "page.html", "text/html")

    def named(self, name: str) -> File:
        """Return a file with a name.

        :access: public
        """
        return File(b"", name.replace("~", "\\r\\n"))

    def piped(self) -> File:
        """Return a file without a known length.

        :access: public
        """
        reading, writing = os.pipe()
        os.write(writing, b"four")
        os.close(writing)
        return File(os.fdopen(reading, "rb"), "four")

    def raw(self):
        """Return what isn't JSON.

        :access: public
        """
        return b"four"
'''


@pytest.mark.parametrize("name", ["Content-Type", "content-type", "CONTENT-TYPE", " Content-Type ", "cONTENT-tYPE"])
@pytest.mark.usefixtures("without_natives")
def test_a_header_gives_no_answer_another_type(serve, folder, write, name, caplog):
    write("pages/class/api_pages.py", PAGES)
    served = serve(modules=str(folder))
    answer = served.client(None).simulate_get("/pages", params={"name": name})
    assert answer.status_code == 500
    assert answer.headers["Content-Type"].startswith("application/json")
    assert "script" not in answer.text
    assert "return a `File`" in caplog.text
    assert served.client().simulate_get("/pages", params={"name": "X-Page"}).headers["X-Page"] == "text/html"
    file = served.client(None).simulate_get("/pages/file")
    assert (file.status_code, file.headers["Content-Type"]) == (200, "text/html")


@pytest.mark.usefixtures("without_natives")
def test_nor_does_a_docstring(serve, folder, write):
    file = write(
        "pages/class/api_pages.py", PAGES.replace(":param name: which one", ":header: content-type: text/html")
    )
    serve(modules=str(folder)).client(None).get("/pages", status=501)
    (failure,) = catalogue().failures
    assert failure.file == file
    assert "return a `File`" in failure.reason


@pytest.fixture
def pages(serve, folder, write):
    write("pages/class/api_pages.py", PAGES)
    return serve(modules=str(folder)).client()


@pytest.mark.parametrize(
    ("name", "header", "read"),
    [
        ("a b.pdf", 'attachment; filename="a b.pdf"', "a b.pdf"),
        ('a";b.pdf', r'attachment; filename="a\";b.pdf"', 'a";b.pdf'),
        (r"a\b.pdf", r'attachment; filename="a\\b.pdf"', r"a\b.pdf"),
        ('"', r'attachment; filename="\""', '"'),
        ("a~b", 'attachment; filename="a__b"', "a__b"),
        ('\u00e9".pdf', "attachment; filename=e__.pdf; filename*=UTF-8''%C3%A9%22.pdf", "e__.pdf"),
    ],
)
@pytest.mark.usefixtures("without_natives")
def test_the_name_of_a_file_is_one_word_of_its_header(pages, name, header, read):
    written = pages.simulate_get("/pages/named", params={"name": name}).headers["Content-Disposition"]
    assert written == header
    assert parse_header(written)[1]["filename"] == read


@pytest.mark.usefixtures("without_natives")
def test_head_claims_no_length_that_is_not_known(pages):
    assert pages.simulate_get("/pages/piped").content == b"four"
    assert "Content-Length" not in pages.simulate_head("/pages/piped").headers
    assert pages.simulate_head("/pages/file").headers["Content-Length"] == "3"


@pytest.mark.usefixtures("without_natives")
def test_bytes_are_no_list_of_numbers(pages):
    answer = pages.simulate_get("/pages/raw")
    assert answer.status_code == 500
    assert "bytes can't be converted to JSON" in answer.json["error"]["raised"]["message"]
