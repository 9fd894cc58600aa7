"""``make pictures``: the pictures of the README, made anew from what is served. Needs pdftoppm (poppler-utils)."""

from __future__ import annotations

import base64
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.served import Client, Served, make_settings

FOLDER = Path(__file__).parent.parent / "modules" / "documents" / "pictures"
#: dots an inch
FINE = "72"

COMPANY = {
    "name": "Comptoir des Exemples", "address": "12 rue de la Démonstration", "zip": "69002", "town": "Lyon",
    "country_code": "FR", "phone": "+33 4 00 00 00 00", "email": "bonjour@example.org", "url": "https://example.org",
    "idprof1": "000000000", "tva_intra": "FR00000000000", "capital": "10000",
}  # fmt: skip
BANK = {
    "MAIN_BANK_NAME": "Banque de l'Exemple",
    "MAIN_BANK_IBAN": "FR7630006000011234567890189",
    "MAIN_BANK_BIC": "AGRIFRPP",
}
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
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        served = Served(make_settings(Path(folder)))
        client = served.client()
        for name, (kind, original) in records(client).items():
            body = {"modulepart": kind, "original_file": f"{original}/{original}.pdf", "langcode": "en_GB"}
            page = Path(folder) / f"{name}.pdf"
            page.write_bytes(base64.b64decode(client.ask("PUT", "/documents/builddoc", body)["content"]))
            picture = FOLDER / name
            subprocess.run(["pdftoppm", "-r", FINE, "-png", "-singlefile", str(page), str(picture)], check=True)
            print(f"{picture.relative_to(Path.cwd())}.png")
        served.close()


def records(client: Client) -> dict[str, tuple[str, str]]:
    """What is shown: name of the picture → kind and reference."""
    client.ask("PUT", "/setup/company", COMPANY)
    for name, value in BANK.items():
        client.ask("PUT", f"/setup/conf/{name}", {"value": value})
    customer = {"name": "Atelier Vasseur", "client": 1, "code_client": "auto", "address": "8 quai des Brumes"}
    socid = client.ask("POST", "/thirdparties", customer | {"zip": "76600", "town": "Le Havre", "country_id": 1})
    body = {
        "socid": socid, "date": "2026-11-21", "duree_validite": 30, "cond_reglement_id": 2, "mode_reglement_id": 2,
        "ref_client": "V-2026-118", "note_public": "Thank you for your trust.", "lines": LINES,
    }  # fmt: skip
    proposal = client.ask("POST", "/proposals", body)
    offered = client.ask("POST", f"/proposals/{proposal}/validate", {})
    invoice = client.ask("POST", "/invoices", body | {"model_pdf": "sponge"})
    billed = client.ask("POST", f"/invoices/{invoice}/validate", {})
    return {"proposal": ("proposal", offered["ref"]), "invoice": ("invoice", billed["ref"])}


if __name__ == "__main__":
    main()
