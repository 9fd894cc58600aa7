"""Every way a route can be made and a value can be bound; the tests of routing call it."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal

from core import Api, ApiError, ListQuery


class MymodApi(Api):
    """What the recorded test class of the reference does, and what ours adds.

    :access: public
    """

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
        """A name in two cases."""
        return {"a": a, "b": b}

    def getThing(self, id: str, flag: int = 1) -> dict[str, Any]:
        """A verb, a name and an identifier."""
        return {"thing": id, "flag": flag}

    def get_owner(self, id: int) -> dict[str, Any]:
        """The same with an underscore."""
        return {"owner": id}

    def multiply(self, a: int, b: Decimal) -> Any:
        """Two numbers of the query."""
        return {"product": a * b}

    def post_block(self, id: int, reason: str) -> dict[str, Any]:
        """An identifier in the path, a value in the body."""
        return {"blocked": id, "reason": reason}

    def put(self, id: int, request_data: dict[str, Any]) -> dict[str, Any]:
        """The whole body."""
        return {"put": id, "body": request_data}

    def post(self, request_data: Any = None) -> Any:
        """The whole body, whatever it is."""
        return request_data

    def echo(self, request_data: dict[str, Any]) -> dict[str, Any]:
        """No verb in the name, and a body: POST."""
        return request_data

    def _under(self) -> str:
        return "never"

    def hidden(self) -> str:
        """Never routed.

        :access: private
        """
        return "hidden"

    def closed(self) -> dict[str, Any]:
        """A key is needed.

        :access: protected
        """
        return {"login": self.user.login}

    def either(self) -> dict[str, Any]:
        """A key may come.

        :access: hybrid
        """
        return {"login": self.user.login}

    def opt(self, a: int, b: str, c: int = 5) -> list[Any]:
        """Two paths.

        :url: GET opt/{a}/{b}
        :url: GET /other/:b/{a}/
        """
        return [a, b, c]

    def number(self, number: int) -> dict[str, Any]:
        """A number.

        :url: GET shape/{number}
        """
        return {"number": number}

    def word(self, word: str) -> dict[str, Any]:
        """A word in the same place.

        :url: GET shape/{word}
        """
        return {"word": word}

    def scaled(self, factor: float) -> dict[str, Any]:
        """A number with a fraction.

        :url: GET scaled/{factor}
        """
        return {"factor": factor}

    def points(self, card: str) -> dict[str, Any]:
        """Another variable's name in the same place, and more behind it.

        :url: GET shape/{card}/points
        """
        return {"card": card}

    def file(self, rest: str) -> dict[str, Any]:
        """The rest of the path.

        :url: GET files/*
        """
        return {"rest": rest}

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
        raise KeyError("secret detail")

    def leave(self) -> None:
        """A mistake that would end the process."""
        raise SystemExit(3)

    def made(self, id: str) -> dict[str, Any]:
        """A status of its own.

        :url: POST made/{id}
        :status: 201
        :header: X-Made: yes
        """
        return {"made": id}

    def two(self, a: int, b: str = "q", c: bool = False, d: float = 1.5, e: list[Any] | None = None) -> dict[str, Any]:
        """Many values of the body.

        :url: POST two
        """
        return {"a": a, "b": b, "c": c, "d": d, "e": e or []}

    def one(self, id: int, notrigger: int = 0) -> dict[str, Any]:
        """One value of the body.

        :url: POST one/{id}
        """
        return {"notrigger": notrigger}

    def kinds(
        self,
        day: date = date(2026, 1, 1),
        size: Literal["small", "large"] = "small",
        tags: list[str] | None = None,
        price: Decimal = Decimal("1.10"),
        options: dict[str, Any] | None = None,
        maybe: int | None = None,
    ) -> dict[str, Any]:
        """Further types of the query."""
        return {"day": day, "size": size, "tags": tags, "price": price, "options": options, "maybe": maybe}

    def limits(self, name: str = "abc", many: list[int] | None = None, rate: Decimal = Decimal(1)) -> dict[str, Any]:
        """Limits by type: length, count, value.

        :param name: a name {@min 2} {@max 4}
        :param many: numbers {@min 1} {@max 2}
        :param rate: a rate {@min 0.5} {@max 1.5}
        """
        return {"name": name, "many": many, "rate": rate}

    def mended(self, n: int = 3, c: str = "red", name: str = "") -> dict[str, Any]:
        """Repaired instead of refused.

        :param n: a number {@min 2} {@max 5} {@fix true}
        :param c: a colour {@choice red,green} {@fix true}
        :param name: a name {@max 3} {@fix true}
        """
        return {"n": n, "c": c, "name": name}

    def spoken(self, n: int) -> dict[str, Any]:
        """A message of its own.

        :param n: a number {@min 2} {@message Two at least, please.}
        """
        return {"n": n}

    def mail(self, address: str) -> dict[str, Any]:
        """A kind of text.

        :param address: where to {@type email}
        """
        return {"address": address}

    def placed(self, limit: int, token: str = "") -> dict[str, Any]:
        """Places that are said.

        :url: POST placed
        :param limit: from the query {@from query}
        :param token: from a header {@from head}
        """
        return {"limit": limit, "token": token}

    def needed(self, a: str = "x", b: str = "y") -> dict[str, Any]:
        """Required by the docstring.

        :param a: needed all the same {@required true}
        """
        return {"a": a, "b": b}

    def kept(self) -> dict[str, Any]:
        """Kept for a minute.

        :expires: 60
        """
        return {"kept": 1}

    def cached(self) -> dict[str, Any]:
        """Kept by everybody.

        :cache: public, max-age=5
        """
        return {"cached": 1}

    def old(self) -> dict[str, Any]:
        """No longer to be used.

        :deprecated: use kept
        """
        return {"old": 1}

    def window(self, query: ListQuery) -> dict[str, Any]:
        """The parameters of a list."""
        return {"limit": query.limit, "sqlfilters": query.sqlfilters, "count": query.count}

    def noted(self, request_data: Annotated[dict[str, Any], "anything"]) -> dict[str, Any]:
        """An annotated body.

        :url: PATCH noted
        """
        return request_data
