"""Eratosthene: a dense page under a coloured band, in a frame, for many lines."""

from __future__ import annotations

from dataclasses import replace

from ...documents.layout.style import DENSE
from ...documents.template import Template
from ..orders import orders


class Eratosthene(Template):
    """A dense page in ochre, with numbered lines and sub-totals."""

    documents = orders
    title = "Order"
    style = replace(DENSE, accent="#8f5410", tint="#f8efe3", table="framed")
