"""Demonstration data: the company."""

from __future__ import annotations

from datetime import date
from random import Random

from .company import change_company
from .constants import set_constant
from .establishments import establishments


def make(random: Random, today: date) -> None:
    """Set up the company that all other demonstration data belongs to."""
    change_company(
        {
            "name": "Comptoir des Exemples",
            "address": f"{random.randint(1, 99)} rue de la Démonstration",
            "zip": "69002",
            "town": "Lyon",
            "country_id": 1,
            "country_code": "FR",
            "country": "France",
            "phone": "+33 4 00 00 00 00",
            "email": "bonjour@example.org",
            "url": "https://example.org",
            "idprof1": "000000000",
            "tva_intra": "FR00000000000",
            "capital": "10000",
            "currency_code": "EUR",
        }
    )
    workshop = {"label": "Atelier", "ref": "ATELIER", "zip": "69007", "town": "Lyon", "country_id": 1}
    establishments.create(workshop)
    set_constant("SOCIETE_FISCAL_MONTH_START", "1")
