"""A class like the one by which the rules of routes were found out."""

from __future__ import annotations

from datetime import date
from typing import Any

from core import Api, ApiError


class Mymodapi(Api):
    """Every way a route can be made and a value can be bound."""

    def index(self, n: int = 3, c: str = "red", p: str = "abc") -> dict[str, Any]:
        """A list.

        :param n: a number {@min 2} {@max 5}
        :param c: a colour {@choice red,green}
        :param p: a text {@pattern /^[a-z]+$/}
        """
        return {"m": "index", "n": n, "c": c, "p": p}

    def get(self, id: int) -> dict[str, Any]:
        """One."""
        return {"m": "get", "id": id}

    def doSomething(self, a: str, b: str = "x") -> dict[str, Any]:
        """A name in two cases.

        :url: GET doSomething
        """
        return {"a": a, "b": b}

    def getThing(self, id: str, flag: int = 1) -> dict[str, Any]:
        """A verb, a name and an identifier."""
        return {"thing": id, "flag": flag}

    def hidden(self) -> str:
        """Never routed.

        :access: private
        """
        return "hidden"

    def open(self) -> dict[str, Any]:
        """No key is needed.

        :access: public
        """
        return {"open": 1}

    def _under(self) -> str:
        return "never"

    def opt(self, a: int, b: str, c: int = 5) -> list[Any]:
        """Two variables, and a value of the query.

        :url: GET opt/{a}/{b}
        """
        return [a, b, c]

    def boom(self) -> None:
        """An error with a status of its own."""
        raise ApiError("teapot", status=418, details={"k": "v"})

    def nul(self) -> None:
        """Nothing."""

    def tru(self) -> bool:
        """True."""
        return True

    def err(self) -> None:
        """A mistake of the author."""
        raise KeyError

    def name(self, date: date) -> str:
        """A day in the path.

        :url: GET name/{date}
        """
        return date.isoformat()

    def post(self, request_data: Any = None) -> Any:
        """The whole body, whatever it is."""
        return request_data

    def made(self, id: str) -> dict[str, Any]:
        """A status of its own.

        :url: POST made/{id}
        :status: 201
        """
        return {"made": id}

    def two(
        self, a: int, b: str = "q", c: bool = False, d: float = 1.5, e: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Many values of the body.

        :url: POST two
        """
        return {"a": a, "b": b, "c": c, "d": d, "e": e or []}
