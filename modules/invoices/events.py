"""What happens elsewhere and concerns invoices and their payments."""

from __future__ import annotations

from typing import Any

from core import Refused

from .invoices import invoices
from .models import Payment
from .order_warnings import CANCELLED, warn_of_invoices
from .references import check_prefix


def before_bankaccounts_deleted(record: dict[str, Any]) -> None:
    """A payment that names a bank account keeps it, also one from the time before there were lines."""
    if Payment.select().where(Payment.accountid == int(record["id"])).exists():
        raise Refused(f"can't delete bank account {record['id']}: a payment uses it", reason="in_use")


def after_orders_cancelled(record: dict[str, Any]) -> None:
    """A cancelled order keeps its invoices, so the caller learns of them."""
    warn_of_invoices(invoices, int(record["id"]), CANCELLED)


def before_setup_constant_set(record: dict[str, Any]) -> None:
    """Every reference begins with the prefix that is set."""
    check_prefix(record["name"], record["value"])
