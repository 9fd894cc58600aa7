"""The known name that an unknown one probably stands for."""

from __future__ import annotations

from collections.abc import Container, Sequence
from difflib import get_close_matches
from functools import lru_cache

#: characters of a name that are compared
MAX_NAME_CHARS = 80

#: what client authors write → the fields that may be meant, the most likely first
_MEANT: dict[str, tuple[str, ...]] = {
    "amount": ("total_ht", "total_ttc", "subprice"),
    "city": ("town",),
    "comment": ("note_public", "desc"),
    "company": ("socid", "name"),
    "country": ("country_id", "country_code"),
    "customer": ("socid", "client"),
    "description": ("desc",),
    "discount": ("remise_percent",),
    "duedate": ("date_lim_reglement",),
    "mail": ("email",),
    "mobile": ("phone_mobile",),
    "name": ("name", "lastname", "label", "ref"),
    "note": ("note_public",),
    "page_size": ("limit",),
    "paymentmethod": ("paymentid", "mode_reglement_id"),
    "paymentterm": ("cond_reglement_id",),
    "per_page": ("limit",),
    "phone": ("phone_pro", "phone"),
    "postalcode": ("zip",),
    "postcode": ("zip",),
    "price": ("subprice", "price"),
    "quantity": ("qty",),
    "search": ("q",),
    "sort": ("sortfield",),
    "state": ("status", "statut", "state_id"),
    "status": ("status", "statut"),
    "street": ("address",),
    "surname": ("lastname",),
    "tax": ("tva_tx",),
    "taxrate": ("tva_tx",),
    "thirdparty": ("socid", "thirdparty_ids"),
    "title": ("label", "desc"),
    "unit": ("fk_unit",),
    "unitprice": ("subprice", "price"),
    "vat": ("tva_tx",),
    "vatrate": ("tva_tx",),
    "warehouse": ("warehouse_id", "entrepot_id"),
}


@lru_cache(maxsize=2048)
def near_name(name: str, known: tuple[str, ...]) -> str:
    """Return the known name that an unknown one probably stands for; empty if none is near.

    The names may differ in spelling (``product_id`` and ``fk_product``), or be two words for one thing (``quantity``
    and ``qty``), or the unknown one is misspelt.
    """
    name = name[:MAX_NAME_CHARS]
    plain = _plain(name)
    for each in known:
        if _plain(each) == plain:
            return each
    for word in (name.lower(), plain):
        for each in _MEANT.get(word, ()):
            if each in known:
                return each
    return next(iter(get_close_matches(name, known, 1)), "")


def _plain(name: str) -> str:
    """Return a name without what differs between spellings: ``product`` of ``fk_product`` and ``productId``."""
    words = name.lower().replace("_", "").replace("-", "")
    if words.startswith("fk") and len(words) > 4:
        words = words[2:]
    return words[:-2] if words.endswith("id") and len(words) > 4 else words


#: names with a hint in one message; a body may have a million
MAX_HINTS = 20


def ignored(names: Sequence[str], unknown: Container[str], known: tuple[str, ...]) -> str:
    """Return the text of a warning for names that are ignored.

    :param unknown: those that stand for nothing; each is followed by the known name that it probably stands for
    """
    told, hints = [], 0
    for name in names:
        near = ""
        if name in unknown and hints < MAX_HINTS:
            near, hints = near_name(name, known), hints + 1
        told.append(f"{name} (did you mean {near}?)" if near else name)
    return f"ignored: {', '.join(told)}"
