"""Where rates come from: an address that answers {"base": "EUR", "rates": {"USD": "1.0832"}}."""

import json
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import urlopen

from core import ApiError

#: seconds that the source may be silent
PATIENCE = 10
#: bytes of an answer that are read
MOST = 1_000_000


class SourceFailed(ApiError):
    """The source of exchange rates has answered nothing that can be used."""

    status = 502


def read(address: str, base: str) -> dict[str, str]:
    """Ask the source for the rates against a currency."""
    try:
        with urlopen(address, timeout=PATIENCE) as answer:
            found = json.loads(answer.read(MOST), parse_float=str, parse_int=str)
    except HTTPError as error:
        with error:
            raise SourceFailed(f"{address} answers {error.code}") from None
    except (OSError, HTTPException, ValueError) as error:
        raise SourceFailed(f"{address} cannot be read: {error}") from error
    if not isinstance(found, dict) or not isinstance(found.get("rates"), dict):
        raise SourceFailed(f"{address} answers no rates")
    if found.get("base") != base:
        raise SourceFailed(f"{address} answers rates against {found.get('base')!r}, the company's currency is {base}")
    return {code: rate for code, rate in found["rates"].items() if code != base}
