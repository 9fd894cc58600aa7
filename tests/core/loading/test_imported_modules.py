"""Which other modules a module's files import, as it is read from their text."""

import ast
import os
from pathlib import Path

import pytest

from core.loading.folders import look
from core.loading.importing import imported_modules

NATIVES = Path(__file__).parents[3] / "modules"

TEXTS = {
    "from ..orders.models import Order": {"orders"},
    "from .. import orders, invoices as bills": {"orders", "invoices"},
    "from .. import orders, \\\n    invoices": {"orders", "invoices"},
    "from .. import (\n    orders,  # all of it\n    invoices,\n)": {"orders", "invoices"},
    "from ..orders import (\n    models,\n    states,\n)": {"orders"},
    "from ..orders import (\n    models,  # all of them\n)": {"orders"},
    "from ..orders import models  # noqa": {"orders"},
    "import modules.orders.models, modules.stock as goods": {"orders", "stock"},
    "from modules import orders": {"orders"},
    "from modules.orders import models": {"orders"},
    "if True: from ..orders import models": {"orders"},
    "x = 1; from ..orders import models": {"orders"},
    "from ..orders \\\n    import models": {"orders"},
    "def f():\n\tfrom ..orders import models\n": {"orders"},
    "from . import own\nfrom .own import other\nimport os, modules_of_mine\nfrom core import Api": set(),
    "try: ...\nexcept Exception as error:\n    raise ValueError from error\nimport modules.orders": {"orders"},
    '"""Does not import ..orders."""\nfrom ..stock import models': {"stock"},
    "from ..größen import models": {"größen"},
    # Python rejects this file, but the module must be loaded again when the other one is there
    "from ..orders import (": {"orders"},
}


@pytest.mark.parametrize("text", TEXTS)
def test_what_a_text_imports(tmp_path, text):
    folder = tmp_path / "mine"
    (folder / "class").mkdir(parents=True)
    (folder / "models.py").write_text(text)
    (folder / "class/api_things.py").write_text("class Things:\n    pass\n")
    (module,) = look([tmp_path])[0]
    assert imported_modules(module) == TEXTS[text]


def test_every_import_of_a_native_module_is_found():
    found = look([NATIVES])[0]
    assert {"thirdparties", "orders", "invoices"} <= {module.name for module in found}
    for module in found:
        parsed = set()
        for file in module.prints:
            depth = file.count(os.sep, len(str(module.path)))
            if not file.endswith((".py", ".class")):
                continue
            for node in ast.walk(ast.parse(Path(file).read_bytes())):
                if not isinstance(node, ast.ImportFrom):
                    continue
                if node.level == depth + 1:
                    parsed |= {node.module.split(".")[0]} if node.module else {each.name for each in node.names}
                elif not node.level and node.module and node.module.startswith("modules."):
                    parsed.add(node.module.split(".")[1])
        assert imported_modules(module) == parsed - {module.name}, module.name
