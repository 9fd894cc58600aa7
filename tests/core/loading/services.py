"""A service that can be loaded, and the reason why another one cannot."""

from core.contract.catalogue import catalogue


def reason_of(served, name):
    served.server.reloader.check()
    return next(failure.reason for failure in catalogue().failures if failure.name == name)


STORE = (
    "from peewee import *\nfrom core import Model, Records\nclass Box(Model):\n    id = AutoField()\n"
    "    name = CharField(default='')\n{more}boxes = Records(Box, service='boxes')\n"
)
BOXES = (
    "from ..models import boxes\nclass Boxes:\n    ''':access: public'''\n"
    "    def post(self, request_data: dict): return boxes.create(request_data)\n"
)
