"""The words that people use: read from a file beside a module, and told with the index."""

from pathlib import Path

import pytest

from core.contract.catalogue import catalogue
from core.loading.module_files import MAX_FILE_BYTES
from core.testing import Served, make_settings
from explorer.search_words import SearchWords

CARDS = """from core import Api
from typing import Literal


class Cards(Api):
    '''Cards.'''

    def index(self, state: Literal["blank", "punched"] = "blank") -> int:
        '''List cards.

        :access: public
        '''
        return 1
"""
WORDS = "# what people say\ncards\tVoucher, Gutschein\nGET /cards\t bonus list ,,\nblank\tempty\nno tabulator\n"


@pytest.fixture
def served(tmp_path):
    for name in ("cards", "broken", "large"):
        file = tmp_path / name / "class" / f"api_{name}.py"
        file.parent.mkdir(parents=True)
        file.write_text(CARDS.replace("Cards(", f"{name.title()}("))
    (tmp_path / "cards" / "search_words.tsv").write_text(WORDS)
    (tmp_path / "broken" / "search_words.tsv").write_bytes(b"broken\t\xff\n")
    (tmp_path / "large" / "search_words.tsv").write_text("large\t" + "x" * MAX_FILE_BYTES)
    served = Served(make_settings(tmp_path, modules=str(tmp_path)))
    yield served
    served.close()


def test_an_outsiders_words_are_told_with_the_index(served):
    index = served.client().get("/explorer/index.json")
    services = {each["name"]: each for each in index["services"]}
    assert services["cards"]["also"] == "voucher, gutschein"
    (operation,) = services["cards"]["operations"]
    assert operation["also"] == "bonus list"
    assert {"state", "blank", "punched"} <= set(operation["words"].split())
    assert index["meanings"]["blank"] == "empty"
    assert "cards" not in index["meanings"] and "# what people say" not in index["meanings"]
    # A file that cannot be read, or is too large, costs its module the words alone
    assert "also" not in services["broken"] and "also" not in services["large"]
    # Fields of what is answered, and what their values mean, once for a service
    assert {"socid", "total_ttc"} <= set(services["invoices"]["fields"]["Invoice"].split())
    assert all(len(each["models"]) for each in services["invoices"]["operations"] if each["id"] == "get-invoices-id")
    # The targets of native tables exist: a path that is renamed would lose its words without anybody noticing
    served_now = catalogue()
    known = {f"{each.verb} {each.template}" for each in served_now.operations}
    for file in Path(__file__).parents[2].glob("modules/*/search_words.tsv"):
        words = SearchWords()
        words.take(file.read_text())
        assert set(words.operations) <= known, file
        assert set(words.others) <= set(served_now.services), file
