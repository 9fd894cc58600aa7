"""Module files that the tests drop in: each shows the page something the native services do not."""

#: a service for everything a form and an answer can be; its own words stay harmless
SHOW = '''
import base64
from datetime import date
from decimal import Decimal
from typing import Literal

from core import Api, File, RawBody, Redirect, Upload

PDF = (
    b"%PDF-1.4\\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj "
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\\ntrailer<</Root 1 0 R>>"
)


class Show(Api):
    """What a form and an answer can be.

    :access: public
    """

    def typed(
        self,
        size: int,
        kind: Literal["oak", "ash"] = "oak",
        day: date | None = None,
        price: Decimal | None = None,
        whole: bool = False,
        code: str = "",
    ) -> dict:
        """Answer what came.

        A *list* of things:

        - the first
        - the second, with ``code``

        :url: GET typed/{size}
        :param size: how large {@min 1} {@max 9}
        :param kind: which wood
        :param day: from when on
        :param price: how much
        :param whole: with everything
        :param code: three capitals {@pattern /^[A-Z]{3}$/} {@max 3}
        """
        return {"size": size, "kind": kind, "day": day, "price": price, "whole": whole, "code": code}

    def upload(self, file: Upload, label: str = "") -> dict:
        """Take a file.

        :url: POST upload
        :param label: what it is
        """
        return {"name": file.name, "bytes": len(file.content), "label": label}

    def post_raw(self, body: RawBody) -> dict:
        """Take a body as it is."""
        return {"bytes": body.content.hex(), "type": body.headers["Content-Type"]}

    def go(self) -> Redirect:
        """Go to what was old."""
        return Redirect("/show/old")

    def away(self) -> Redirect:
        """Go to another server."""
        return Redirect("https://pay.example/")

    def seen(self, kind: str, content: str) -> File:
        """A file that a browser shows."""
        return File(base64.b64decode(content), "seen", kind, inline=True)

    def letter(self) -> File:
        """A PDF."""
        return File(PDF, "letter.pdf", "application/pdf")

    def bytes(self) -> File:
        """Bytes that mean nothing."""
        return File(b"\\x00\\xff" * 1000, "noise.bin")

    def large(self, megabytes: int = 50) -> File:
        """Much JSON."""
        return File(b"[" + b"1," * (megabytes * 500_000 - 1) + b"1]", "large.json", "application/json")

    def old(self) -> str:
        """Said otherwise now.

        :deprecated: use ``typed``
        """
        return "old"
'''

#: an author's words that want to be more than text; quotes and a right-to-left override among them
HOSTILE = '''
from core import Api


class Hostile(Api):
    """<script>document.title = "owned"</script> "quoted" 'twice' & \u202ereversed\u202c.

    <img src=x onerror="document.title='owned'"> `x <javascript:document.title='owned'>`_

    :access: public
    """

    def get(self, id: int, q: str = "\\"><script>document.title='owned'</script>") -> dict:
        """</script><script>document.title = "owned"</script>

        :param id: <b onclick="document.title='owned'">row</b> \u2067identifier\u2069
        :param q: </option></select><img src=x onerror="document.title='owned'">
        :raises NotFound: {{ 7 * 7 }} <i>none</i>
        """
        return {
            "<script>document.title='owned'</script>": "<img src=x onerror=\\"document.title='owned'\\">",
            "reversed": "\u202eabc",
            "link": "javascript:document.title='owned'",
            "q": q,
        }
'''

#: a service whose work a job does
EXPORTS = '''
from core import Accepted, Api


class Exports(Api):
    """Exports."""

    def post(self) -> Accepted:
        """Make one."""
        return Accepted(7)
'''

#: an outsider's module, file → text: records with states of their own, which name each other and a third party
SHOP = {
    "shop/models.py": '''
from typing import Annotated, Any

from core import Model, RecordField, Records
from peewee import AutoField, CharField, IntegerField

from ..thirdparties.models import Thirdparty


class Bike(Model):
    """A bicycle."""

    id = AutoField()
    name = CharField(default="")
    condition = CharField(default="good", choices=(("good", "good"), ("worn", "worn out")))
    owner = RecordField(Thirdparty, "Third party", null=True)

    class Meta:
        table_name = "shop_bike"


class Ride(Model):
    """A ride."""

    id = AutoField()
    bike = RecordField(Bike, "Bike")
    km = IntegerField(default=0)

    class Meta:
        table_name = "shop_ride"


bikes, rides = Records(Bike), Records(Ride)
BikeRecord = Annotated[dict[str, Any], Bike]
RideRecord = Annotated[dict[str, Any], Ride]
''',
    "shop/class/api_bikes.py": '''
from core import Api, ListQuery, Transition

from ..models import BikeRecord, bikes


class Bikes(Api):
    """Bicycles."""

    transitions = (Transition("good", "wear", "worn out"), Transition("worn out", "mend", "good"))

    def index(self, query: ListQuery) -> list[BikeRecord]:
        """List bicycles."""
        return bikes.page(query)

    def get(self, id: int) -> BikeRecord:
        """Read a bicycle."""
        return bikes.read(id)

    def post(self, request_data: BikeRecord) -> int:
        """Add a bicycle."""
        return bikes.create(request_data)

    def wear(self, id: int) -> BikeRecord:
        """Wear a bicycle out.

        :url: POST {id}/wear
        """
        bikes.change(id, {"condition": "worn"})
        return bikes.read(id)

    def mend(self, id: int) -> BikeRecord:
        """Mend a bicycle.

        :url: POST {id}/mend
        """
        bikes.change(id, {"condition": "good"})
        return bikes.read(id)
''',
    "shop/class/api_rides.py": '''
from core import Api, ListQuery

from ..models import RideRecord, rides


class Rides(Api):
    """Rides."""

    def index(self, query: ListQuery, bike_id: int = 0) -> list[RideRecord]:
        """List rides.

        :after: bikes good: Where it went
        """
        return rides.page(query, {"bike": bike_id} if bike_id else {})

    def post(self, request_data: RideRecord) -> int:
        """Add a ride."""
        return rides.create(request_data)

    def repeat(self, bikeid: int) -> RideRecord:
        """Ride again.

        :url: POST again/{bikeid}
        """
        return rides.read(rides.create({"bike": bikeid}))
''',
}

#: a file that cannot be loaded; its helper fails three lines further down
BROKEN = '''
from core import Api

import there_is_no_such_thing


class {title}(Api):
    """Would do something."""

    def get(self, id: int) -> dict:
        """Would read one."""

    def post_block(self, id: int, reason: str) -> dict:
        """Would block one."""
'''

#: a service that loads, to be edited while the page is open
WORDS = '''
from core import Api


class {title}(Api):
    """Say words."""

    def say(self, first: str = "", second: int = 0{more}) -> str:
        """{summary}

        :url: GET say
        :param first: the first word
        """
        return "{summary}"
'''

#: what the server is filled with: verb, path, body
RECORDS = [
    ("POST", "/thirdparties", {"name": "Atelier Vasseur", "client": 1, "code_client": "auto", "town": "Le Havre"}),
    ("POST", "/thirdparties", {"name": "Brasserie du Quai", "client": 1, "code_client": "auto", "town": "Lyon"}),
    ("POST", "/contacts", {"lastname": "Vasseur", "firstname": "Inès", "socid": 1}),
    (
        "POST",
        "/proposals",
        {
            "socid": 1,
            "date": "2026-11-21",
            "lines": [{"desc": "Desk", "qty": 2, "subprice": "100", "tva_tx": 20}],
        },
    ),
]
