"""Boxes over HTTP: operations of each kind that the OpenAPI document shows in its own way."""

from datetime import date
from decimal import Decimal
from typing import Any, Literal

from core import Crud

from ..models import Label, boxes


class Boxes(Crud):
    """Boxes.

    :rights: burn
    """

    records = boxes
    without = ("put", "delete", "batch", "history")

    def get_label(self, id: int) -> Label:
        """Read the label.

        :permission: read
        """
        return {"label": "", "inside": id, "packed": 0}

    def burn(self, id: int, pieces: int) -> dict[str, Any]:
        """Burn a box.

        :url: POST {id}/burn
        :param pieces: how many {@min 1}
        :raises Refused: the box is wet
        :permission: burn
        """
        return {"id": id, "pieces": pieces}

    def limits(
        self,
        address: str,
        n: int = 3,
        c: str = "red",
        p: str = "abc",
        name: str = "abc",
        many: list[int] | None = None,
        rate: Decimal = Decimal(1),
        size: Literal["small", "large"] = "small",
        day: date = date(2026, 1, 1),
        maybe: int | None = None,
        options: dict[str, Any] | None = None,
    ) -> str:
        """Read with values of each kind.

        :access: public
        :param address: where to {@type email}
        :param n: a number {@min 2} {@max 5}
        :param c: a colour {@choice red,green}
        :param p: a text {@pattern /^[a-z]+$/}
        :param name: a name {@min 2} {@max 4}
        :param many: numbers {@min 1} {@max 2}
        :param rate: a rate {@min 0.5} {@max 1.5}
        """
        return address

    def placed(self, limit: int, token: str = "") -> int:
        """Create with values from elsewhere.

        :url: POST placed
        :access: hybrid
        :param limit: from the query {@from query}
        :param token: from a header {@from head}
        :status: 201
        :header: X-Made: yes
        """
        return limit

    def say(self, size: int, since: int, kind: int = 0) -> int:
        """Say one.

        Loudly.

        :url: GET say
        :param size: how large {@values 1 small, 2: as large as possible} {@min 1} {@max 2}
        :param since: since when {@type timestamp}
        :param kind: {@values 0 all, 1 some}
        :permission: read
        :deprecated: use ``sing``
        """
        return 1

    def sing(self) -> int:
        """Sing one.

        :url: GET sing
        :raises Unauthorized: nobody sings after ten
        """
        return 1

    def file(self, rest: str) -> str:
        """Read the rest of the path.

        :url: GET files/*
        :access: protected
        """
        return rest
