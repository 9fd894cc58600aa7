"""Hooks: events of other services that concern bank accounts."""

from __future__ import annotations

from typing import Any

from core import on

from .thirdparty_accounts import thirdparty_accounts


@on("thirdparties.merged", when="before")
def keep_one_default(record: dict[str, Any]) -> None:
    """Keep one default among the bank accounts of two merged third parties."""
    thirdparty_accounts.settle_default(record["id"])
