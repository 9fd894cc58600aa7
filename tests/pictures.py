"""``make pictures``: render the pictures in the README and in `modules/BEHAVIOUR.md`.

Needs pdftoppm (poppler-utils) and Chromium.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from PIL import Image

from core.commands.demo import make_demonstration
from core.testing import ADMIN_KEY, Served, make_settings
from tests.browser.chromium import chromium, why_not
from tests.modules.documents.matrix.building import making
from tests.modules.documents.matrix.cases import Case

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "modules" / "documents" / "pictures"
SCREENS = ROOT / "explorer" / "pictures"
#: name of the picture → the paper on it: four countries, four languages, the quiet templates and a dense one
PAPERS = {
    "proposal": Case("plain", "html", "azur", "GB", "IE", "wide"),
    "invoice": Case("plain", "rates", "crabe", "DE", "DE", "square"),
    "situation": Case("situation", "negative", "sponge", "FR", "JP", "white"),
    "payment": Case("deposit", "one", "sponge", "CH", "IE", "none"),
}
#: of a picture of a page: its letters need few
COLOURS = 96
#: dots an inch
FINE = "72"


def main() -> None:
    """Make the pictures."""
    if shutil.which("pdftoppm") is None:
        sys.exit("The pictures need pdftoppm: apt-get install poppler-utils")
    if reason := why_not():
        sys.exit(f"The pictures need a browser: {reason}")
    FOLDER.mkdir(exist_ok=True)
    SCREENS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        draw_papers(Path(folder) / "papers")
        served = Served(make_settings(Path(folder)))
        make_demonstration(served.settings)
        with listening(served) as address:
            take(f"{address}/explorer/#/invoices/get-invoices?limit=20", "list", folder)
        served.close()


def draw_papers(folder: Path) -> None:
    """Make the pictures of papers: their first pages.

    :param folder: where the papers lie meanwhile
    """
    folder.mkdir()
    names = {case: name for name, case in PAPERS.items()}
    for made in making(folder, PAPERS.values()):
        page = folder / "page.pdf"
        page.write_bytes(made.pdf)
        picture = FOLDER / names[made.case]
        subprocess.run(["pdftoppm", "-r", FINE, "-png", "-singlefile", str(page), str(picture)], check=True)
        print(f"{picture.relative_to(Path.cwd())}.png")


class Threading(ThreadingMixIn, WSGIServer):
    """A browser keeps connections open: each has a thread."""

    daemon_threads = True


class Silent(WSGIRequestHandler):
    """Logs nothing."""

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def listening(served: Served) -> Iterator[str]:
    """The address of the server, while it lasts."""
    server = make_server("127.0.0.1", 0, served.app, Threading, Silent)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def take(address: str, name: str, folder: str) -> None:
    """Take a picture of a page of the explorer after sending its request.

    :param folder: the folder for the raw picture
    """
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1360, "height": 850}, color_scheme="light")
        page.goto(address)
        page.get_by_label("Key", exact=True).fill(ADMIN_KEY)
        page.keyboard.press("Enter")
        page.get_by_role("main").get_by_role("heading", level=1).wait_for()
        page.get_by_role("button", name="Send", exact=True).click()
        page.locator(".answer [role=group]").first.wait_for()
        page.evaluate("document.activeElement.blur()")
        taken = Path(folder) / "taken.png"
        page.screenshot(path=taken, animations="disabled")
        browser.close()
    picture = SCREENS / f"{name}.png"
    Image.open(taken).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(picture, optimize=True)
    print(picture.relative_to(Path.cwd()))


if __name__ == "__main__":
    main()
