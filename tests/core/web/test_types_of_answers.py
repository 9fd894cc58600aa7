"""An answer's type follows from what a method returns: it can't be set in another way."""

import pytest

from core.contract.catalogue import catalogue

PAGES = '''
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
