"""Fetch rates each minute, thin them out each night."""

from core import job, progress, schedule

from ..setup.constants import constant
from .models import currency, rates
from .source import read


def fetch() -> list[str]:
    """Read the source and keep what is new."""
    address = constant("EXCHANGE_URL")
    if not address:
        progress(0, 2, "the constant EXCHANGE_URL is not set")
        return []
    progress(0, 2, "asking the source")
    fetched = read(address, currency())
    progress(1, 2, f"{len(fetched)} rates")
    changed = rates.take(fetched)
    progress(2, 2, f"{len(changed)} of {len(fetched)} rates changed")
    return changed


@schedule("* * * * *", attempts=2)
def fetch_each_minute() -> list[str]:
    """Answers the currencies whose rate changed; what failed is tried once more before the next minute comes."""
    return fetch()


@job(attempts=3)
def fetch_now() -> list[str]:
    """The same, for somebody who looks on."""
    return fetch()


@schedule("15 3 * * *")
def thin_out() -> int:
    """One rate a day is enough after 30 days."""
    return rates.thin_out()
