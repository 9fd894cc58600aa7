"""Cyan: a dense page under a coloured band, for many lines."""

from __future__ import annotations

from dataclasses import replace

from ...documents.layout.style import DENSE
from ...documents.template import Template
from ..proposals import proposals


class Cyan(Template):
    """A dense page in cyan, with numbered lines."""

    documents = proposals
    title = "Commercial proposal"
    acceptance = True
    style = replace(DENSE, accent="#0e7c93", tint="#e3f3f6")
