"""Demonstration data: forty third parties of eight countries and sixty contacts, all invented."""

from __future__ import annotations

import datetime
import random as randomness
import unicodedata
from dataclasses import dataclass
from typing import Any

from core import Values

from .contacts import contacts
from .thirdparties import thirdparties

#: accepted values, and values of extra fields
Row = tuple[Values, dict[str, Any] | None]


@dataclass(frozen=True)
class Origin:
    """Sample data for the records of one country; `country_id` is set if the dictionary contains it."""

    country_id: int | None
    language: str
    dialling: str
    towns: tuple[tuple[str, str], ...]
    companies: tuple[str, ...]
    first_names: tuple[str, ...]
    last_names: tuple[str, ...]


ORIGINS = (
    Origin(
        1, "fr_FR", "+33", (("69003", "Lyon"), ("35000", "Rennes"), ("06300", "Nice")),
        ("Boulangerie du Pré Vert", "Imprimerie Lumière", "Éditions du Hérisson", "Garage de l'Étoile", "Cidre Noël"),
        ("Zoé", "Loïc", "Hélène", "Benoît"), ("Lefèvre", "Garçon", "d'Aubigné", "Le Goff"),
    ),
    Origin(
        None, "de_DE", "+49", (("50667", "Köln"), ("90402", "Nürnberg"), ("24103", "Kiel")),
        ("Tischlerei Größmann", "Müllers Kräutergarten", "Bäckerei Süßkind", "Werft Förde", "Optik Brückner"),
        ("Jürgen", "Käthe", "Sören", "Anneliese"), ("Weiß", "Schäfer", "Krüger", "von der Höhe"),
    ),
    Origin(
        None, "el_GR", "+30", (("105 58", "Αθήνα"), ("546 24", "Θεσσαλονίκη"), ("262 21", "Πάτρα")),
        ("Ελαιοτριβείο Δελφοί", "Ναυπηγείο Αιγαίο", "Φούρνος της Ιθάκης", "Μέλι Όλυμπος", "Βιβλιοπωλείο Σοφία"),
        ("Ελένη", "Γιώργος", "Δέσποινα", "Νίκος"), ("Παπαδάκης", "Οικονόμου", "Ξενάκη", "Βλάχος"),
    ),
    Origin(
        None, "pl_PL", "+48", (("31-042", "Kraków"), ("90-001", "Łódź"), ("80-831", "Gdańsk")),
        ("Piekarnia Pod Żabą", "Stolarnia Dębowa Łąka", "Huta Szkła Świt", "Młyn Wśród Róż", "Księgarnia Źródło"),
        ("Łukasz", "Małgorzata", "Zbigniew", "Agnieszka"), ("Wójcik", "Żuraw", "Grześkowiak", "Śliwińska"),
    ),
    Origin(
        None, "es_ES", "+34", (("41001", "Sevilla"), ("15001", "A Coruña"), ("24001", "León")),
        ("Bodegas Peñalarga", "Aceites Andújar Nuevo", "Cerámica La Cigüeña", "Talleres Ibáñez Roca", "Flores Begoña"),
        ("Iñigo", "María José", "Álvaro", "Nuria"), ("Muñoz", "Gutiérrez Peña", "Ordóñez", "Sáez"),
    ),
    Origin(
        None, "cs_CZ", "+420", (("110 00", "Praha"), ("602 00", "Brno"), ("779 00", "Olomouc")),
        ("Pivovar U Tří Čápů", "Sklárna Křišťál", "Truhlářství Dřevěná", "Čokoládovna Ježek", "Kavárna Růže"),
        ("Jiří", "Žofie", "Ondřej", "Kateřina"), ("Dvořáček", "Šťastná", "Němcová", "Říha"),
    ),
    Origin(
        None, "da_DK", "+45", (("8000", "Aarhus"), ("5000", "Odense"), ("6700", "Esbjerg")),
        ("Bådeværft Ærø", "Smørrebrød & Søn", "Vindmølle Århøj", "Møbler fra Skærbæk", "Rødgrød Konditori"),
        ("Søren", "Åse", "Mette", "Jørgen"), ("Møllgård", "Kjærsgaard", "Østergaard", "Nørby"),
    ),
    Origin(
        None, "en_GB", "+44", (("YO1 7HH", "York"), ("CF10 1EP", "Cardiff"), ("BA1 1AA", "Bath")),
        ("Hawthorn & Pike Ltd", "O'Malley Instruments", "Copper Kettle Tea Co.", "Thistledown Press", "Quayside Ropes"),
        ("Siobhán", "Gwen", "Alastair", "Nigel"), ("O'Connor", "Featherstone", "Llewellyn", "Pike"),
    ),
)  # fmt: skip

JOBS = ("Buyer", "Accountant", "Managing director", "Sales assistant", "Warehouse", "Site manager")


def make(random: randomness.Random, today: datetime.date) -> None:
    """Create the data; the same for the same random numbers and day."""
    companies = [(name, origin) for origin in ORIGINS for name in names(origin)]
    ids = thirdparties.insert_all([_thirdparty(random, today, origin, name) for name, origin in companies])
    owners = [(identifier, origin) for identifier, (_, origin) in zip(ids, companies, strict=True)]
    rows = []
    for number in range(300):
        owner, origin = owners[random.randrange(len(owners))]
        # Every fifteenth contact belongs to no company
        rows.append(_contact(random, today, None if number % 15 == 14 else owner, origin, number))
    contacts.insert_all(rows, lambda _: ("socid",))


def names(origin: Origin) -> list[str]:
    """Return the companies of a country, and their branches in its towns."""
    towns = [town for _, town in origin.towns]
    return [*origin.companies, *(f"{company}, {town}" for company in origin.companies for town in towns)]


def _thirdparty(random: randomness.Random, today: datetime.date, origin: Origin, name: str) -> Row:
    zip_code, town = random.choice(origin.towns)
    client = random.choice((1, 1, 1, 2, 3, 0))
    supplier = 1 if client == 0 else random.choice((0, 0, 0, 1))
    body = {
        "name": name,
        "client": client,
        "fournisseur": supplier,
        "code_client": "auto" if client else None,
        "code_fournisseur": "auto" if supplier else None,
        "address": str(random.randint(1, 120)),
        "zip": zip_code,
        "town": town,
        "country_id": origin.country_id,
        "phone": _phone(random, origin),
        "email": f"info@{_ascii(name, origin)}.example",
        "url": f"https://www.{_ascii(name, origin)}.example",
        "default_lang": origin.language,
        "outstanding_limit": f"{random.randint(0, 40) * 500}",
        # One in ten has closed
        "status": int(random.random() > 0.1),
    }
    return thirdparties.accept_new(body, {"date_creation": _moment(random, today)})


def _contact(random: randomness.Random, today: datetime.date, owner: int | None, origin: Origin, number: int) -> Row:
    first, last = random.choice(origin.first_names), random.choice(origin.last_names)
    body = {
        "socid": owner,
        "firstname": first,
        "lastname": last,
        "poste": random.choice(JOBS),
        "phone_pro": _phone(random, origin),
        "phone_mobile": _phone(random, origin) if random.random() > 0.5 else None,
        "email": f"contact{number + 1}@{origin.language[:2]}.example",
        "birthday": str(datetime.date(random.randint(1955, 2002), random.randint(1, 12), random.randint(1, 28))),
        "default_lang": origin.language,
        "country_id": origin.country_id,
        "statut": 1,
    }
    return contacts.accept_new(body, {"date_creation": _moment(random, today)})


def _phone(random: randomness.Random, origin: Origin) -> str:
    return f"{origin.dialling} " + " ".join(f"{random.randint(0, 999):03d}" for _ in range(3))


def _moment(random: randomness.Random, today: datetime.date) -> datetime.datetime:
    """Return a time in office hours of the last two years."""
    day = today - datetime.timedelta(days=random.randint(1, 700))
    return datetime.datetime.combine(day, datetime.time(random.randint(8, 17), random.randint(0, 59)))


def _ascii(name: str, origin: Origin) -> str:
    """Return a name as a host name: without accents; a number if it has no Latin letters."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    letters = "".join(letter for letter in plain if letter.isalnum())
    return letters or f"{origin.language[:2]}{names(origin).index(name) + 1}"
