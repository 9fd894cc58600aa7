"""Hooks: events of other services that concern bank accounts."""

from __future__ import annotations

from typing import Any

from .thirdparty_accounts import thirdparty_accounts


def before_thirdparties_merged(record: dict[str, Any]) -> None:
    """Keep one default among the bank accounts of two merged third parties."""
    thirdparty_accounts.settle_default(record["id"])
