"""What happens elsewhere and concerns bank accounts."""

from __future__ import annotations

from typing import Any

from .thirdparty_accounts import thirdparty_accounts


def before_thirdparties_merged(record: dict[str, Any]) -> None:
    """Of the accounts of both third parties one is the default."""
    thirdparty_accounts.settle_default(record["id"])
