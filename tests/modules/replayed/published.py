"""Answers held against what the OpenAPI document of the profile says of their operation."""

import re
from urllib.parse import parse_qs

from core.web.sheets import PAGE
from tests.explorer.answered import Answers

_VARIABLE = re.compile(r"\\\{\w+\\\}")


class Published:
    """The document, by which the answers of a sequence are judged.

    :ivar wrong: what does not fit, in words
    """

    def __init__(self, served):
        self._answers = Answers(served)
        self._served = served
        self.wrong = []
        self.checked = 0
        self._read()

    def _read(self):
        paths = sorted(self._answers.document["paths"], key=lambda path: path.count("{"))
        self._paths = [(re.compile(_VARIABLE.sub("[^/]+", re.escape(path)), re.I), path) for path in paths]

    def read_again(self):
        """Read the document anew, as after an extra field has been defined."""
        self._answers.read_document()
        self._read()

    def hold(self, place, verb, path, status, answer, query=""):
        """Note what of an answer in JSON the document does not name."""
        operation = self._operation(verb, path)
        if operation is None or answer is None:
            return
        # A page with totals has the schema of its own media type
        asks = parse_qs(query).get("pagination_data", ["0"])[0] in ("1", "true")
        kind = PAGE if asks and status == 200 else "application/json"
        schema = self._answers.schema(verb, operation, status, kind)
        self.checked += 1
        if schema is None:
            self.wrong.append(f"{place}: nothing is said of an answer {status} in JSON")
        else:
            self.wrong += [
                f"{place}: {each}" for each in self._answers.errors(schema, answer, selected="properties=" in query)
            ]

    def _operation(self, verb, path):
        # The list has two addresses
        verb, path = verb.lower(), path.lower().removesuffix("/index")
        known = self._answers.document["paths"]
        return next((each for fits, each in self._paths if fits.fullmatch(path) and verb in known[each]), None)
