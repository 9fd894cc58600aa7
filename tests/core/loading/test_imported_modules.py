"""Which other modules a module's files import, as it is read from their text."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.loading.folders import _parsed_imports, _plain_imports, imported_modules, look

NATIVES = Path(__file__).parents[3] / "modules"

TEXTS = {
    "from ..orders.models import Order": {"orders"},
    "from .. import orders, invoices as bills": {"orders", "invoices"},
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
    '"""Does not import ..orders."""\nfrom ..stock import models': {"stock"},
    "from ..größen import models": {"größen"},
    "from ..orders import (": set(),
}


@pytest.mark.parametrize("text", TEXTS)
def test_what_a_text_imports(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "mine"
    (folder / "class").mkdir(parents=True)
    (folder / "models.py").write_text(text)
    (folder / "class/api_things.py").write_text("class Things:\n    pass\n")
    (module,) = look([tmp_path])[0]
    assert imported_modules(module) == TEXTS[text]


def test_a_text_is_taken_as_it_is_parsed() -> None:
    plain = 0
    for file in NATIVES.rglob("*.py"):
        text = file.read_bytes()
        if found := _plain_imports(text):
            plain += 1
            assert sorted(found) == sorted(_parsed_imports(text)), file
    # Else nothing would be saved
    assert plain > 300
