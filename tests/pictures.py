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
from core.testing import ADMIN_KEY, Client, Served, make_settings
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
#: a file that cannot be loaded, for want of its neighbour
BROKEN = '''
from core import Api

from ..ledger import spent


class Points(Api):
    """Points of loyalty cards."""

    def get(self, id: int) -> int:
        """Read how many points a card holds.

        :permission: points.read
        """
        return 100 - spent(id)

    def spend(self, id: int, points: int) -> int:
        """Spend points of a card.

        :url: POST {id}/spend
        :permission: points.write
        """
        return self.get(id) - points
'''
#: dots an inch
FINE = "72"

COMPANY = {
    "name": "Comptoir des Exemples", "address": "12 rue de la Démonstration", "zip": "69002", "town": "Lyon",
    "country_code": "FR", "phone": "+33 4 00 00 00 00", "email": "bonjour@example.org", "url": "https://example.org",
    "idprof1": "000000000", "tva_intra": "FR00000000000", "capital": "10000",
}  # fmt: skip
LINES: list[dict[str, Any]] = [
    {"desc": "Furniture", "product_type": 9},
    {"label": "Desk, oak", "desc": "Oiled, with two drawers", "qty": 3, "subprice": "640", "tva_tx": 20, "remise_percent": 10},
    {"label": "Lamp, copper", "desc": "With a cable of linen", "qty": 6, "subprice": "89.50", "tva_tx": 20},
    {"desc": "Services", "product_type": 9},
    {"label": "Delivery", "qty": 1, "subprice": "120", "tva_tx": 10, "product_type": 1},
    {"label": "Manual on paper", "qty": 2, "subprice": "18", "tva_tx": "5.5"},
]  # fmt: skip


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
        modules = Path(folder) / "modules"
        modules.mkdir()
        served = Served(make_settings(Path(folder), modules=str(modules)))
        make_proposal(served.client())
        make_demonstration(served.settings)
        file = modules / "loyalty" / "class" / "api_points.py"
        file.parent.mkdir(parents=True)
        file.write_text(BROKEN.lstrip())
        with listening(served) as address:
            take(f"{address}/explorer/", "start", folder, scheme="light")
            take(f"{address}/explorer/#/invoices/get-invoices?limit=20", "list", folder, scheme="light", press="Send")
            take(f"{address}/explorer/#/proposals/get-proposals-id?id=1", "call", folder, scheme="dark", press="Send")
            take(f"{address}/explorer/#/points", "broken", folder, scheme="dark")
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


def take(address: str, name: str, folder: str, *, scheme: Any, press: str = "") -> None:
    """Take a picture of the explorer's page.

    :param folder: is called /srv in the picture
    :param press: the button to press first
    """
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1360, "height": 850}, color_scheme=scheme)
        page.goto(address)
        page.get_by_label("Key", exact=True).fill(ADMIN_KEY)
        page.keyboard.press("Enter")
        page.get_by_role("main").get_by_role("heading", level=1).wait_for()
        if press:
            page.get_by_role("button", name=press, exact=True).click()
            page.locator(".answer [role=group]").first.wait_for()
        page.evaluate(
            """folder => {
              const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
              while (walker.nextNode()) walker.currentNode.data = walker.currentNode.data.replaceAll(folder, "/srv");
              document.activeElement.blur();
            }""",
            folder,
        )
        taken = Path(folder) / "taken.png"
        page.screenshot(path=taken, animations="disabled")
        browser.close()
    picture = SCREENS / f"{name}.png"
    Image.open(taken).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(picture, optimize=True)
    print(picture.relative_to(Path.cwd()))


def make_proposal(client: Client) -> None:
    """Make the record that the explorer shows."""
    client.ask("PUT", "/setup/company", COMPANY)
    customer = {"name": "Atelier Vasseur", "client": 1, "code_client": "auto", "address": "8 quai des Brumes"}
    socid = client.ask("POST", "/thirdparties", customer | {"zip": "76600", "town": "Le Havre", "country_id": 1})
    body = {
        "socid": socid, "date": "2026-11-21", "duree_validite": 30, "cond_reglement_id": 2, "mode_reglement_id": 2,
        "ref_client": "V-2026-118", "note_public": "Thank you for your trust.", "lines": LINES,
    }  # fmt: skip
    proposal = client.ask("POST", "/proposals", body)
    client.ask("POST", f"/proposals/{proposal}/validate", {})


if __name__ == "__main__":
    main()
