"""The approved OpenAPI document of the sample `tests/samples/documented`.

After a wanted change, ``python -m tests.explorer.approved`` writes the file again. Review its difference against
OpenAPI 3.1.0 and `explorer/README.md` before you commit it.
"""

import json
import tempfile
from pathlib import Path

from core.testing import serving

FILE = Path(__file__).parent / "approved/boxes.json"
FOLDER = Path(__file__).parents[1] / "samples/documented"
PATH = "/explorer/openapi/boxes.json"
WIDTH = 150
#: keys of `info` that change with the day, the version or the code
CHANGING = ("x-example-day", "version", "x-tag")
#: components that all documents share; `test_openapi.py` holds every response against them
SHARED = ("Error", "Reason", "AllowedOperation")


def as_text(value, indent=0):
    """Return JSON in which what fits in a line is in one."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= WIDTH or not isinstance(value, (dict, list)):
        return line
    keyed = isinstance(value, dict)
    members = [
        f"{json.dumps(key) + ': ' if keyed else ''}{as_text(each, indent + 1)}"
        for key, each in (value.items() if keyed else enumerate(value))
    ]
    begin, end = "{}" if keyed else "[]"
    pad = "\n" + " " * (indent + 1)
    return begin + pad + f",{pad}".join(members) + "\n" + " " * indent + end


def approved_part(document):
    """Return a document without changing values, and without the content of errors."""
    shown = json.loads(json.dumps(document))
    shown["info"] = {key: each for key, each in shown["info"].items() if key not in CHANGING}
    operations = [operation for verbs in shown["paths"].values() for operation in verbs.values()]
    for answers in (shown["components"]["responses"], *(each["responses"] for each in operations)):
        for answer in answers.values():
            if "Error" in str(answer.get("content")):
                del answer["content"]
    for kind in ("schemas", "examples"):
        there = shown["components"][kind]
        shown["components"][kind] = {name: each for name, each in there.items() if not name.startswith(SHARED)}
    return shown


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), modules=str(FOLDER)) as served:
        FILE.write_text(as_text(approved_part(served.client().get(PATH))) + "\n")
