"""What the tests of credits say to the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.testing import Client

TERMS = {"datepaye": 1795226000, "paymentid": 2, "closepaidinvoices": "no"}
LINE = {"desc": "Desk", "qty": 1, "subprice": "100", "tva_tx": 20}
Make = Callable[..., int]


def read(admin: Client, identifier: int) -> dict[str, Any]:
    return admin.get(f"/invoices/{identifier}")  # type: ignore[no-any-return]


def act(admin: Client, identifier: int, action: str, body: Any = None, *, status: int = 200) -> Any:
    return admin.ask("POST", f"/invoices/{identifier}/{action}", body, status=status)


def refuse(admin: Client, identifier: int, action: str, *, status: int = 405) -> str:
    return str(act(admin, identifier, action, status=status)["error"]["message"])


def distribute(admin: Client, amounts: dict[int, Any], **more: Any) -> Any:
    body = TERMS | {"arrayofamounts": {str(key): value for key, value in amounts.items()}} | more
    return admin.ask("POST", "/invoices/paymentsdistributed", body)


def listed(admin: Client, customer: int, **params: str) -> list[dict[str, Any]]:
    return admin.ask("GET", f"/thirdparties/{customer}/fixedamountdiscounts", params=params)  # type: ignore[no-any-return]


def absolute(admin: Client, customer: int) -> tuple[str, str]:
    record = admin.get(f"/thirdparties/{customer}")
    shown = record["absolute_discount"], record["absolute_creditnote"]
    assert all(len(each.partition(".")[2]) == 8 for each in shown)
    return tuple(each.rstrip("0").rstrip(".") for each in shown)
