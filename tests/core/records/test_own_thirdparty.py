"""An external user's own third party is named for them, whatever says that one must be named."""

import pytest

MODELS = """
from peewee import AutoField, CharField

from core import Model, RecordField, Records

from ..thirdparties.models import Thirdparty


class Wish(Model):
    id = AutoField()
    text = CharField(max_length=20)
    socid = RecordField(Thirdparty, "Third party"{null})

    class Meta:
        table_name = "wishes_wish"
        thirdparty = "socid"
        required = {required}


wishes = Records(Wish, service="wishes", noun="Wish")
"""
API = '''
from ..models import wishes


class Wishes:
    """Wishes."""

    def post(self, request_data: dict) -> dict:
        """Wish.

        :permission: wishes.write
        """
        values, _ = wishes.accept(request_data)
        return {"accepted": values.get("socid"), "kept": wishes.read(wishes.create(request_data))["socid"]}
'''


@pytest.mark.parametrize("null", ["", ", null=True"])
@pytest.mark.parametrize("required", ["()", "('text', 'socid')"])
def test_it_is_named_before_what_is_required_is_asked_for(serve, folder, write, null, required):
    write("wishes/models.py", MODELS.format(null=null, required=required))
    write("wishes/class/api_wishes.py", API)
    served = serve(modules=str(folder))
    admin = served.client()
    mine, other = (admin.ask("POST", "/thirdparties", {"name": name}) for name in ("Mine", "Other"))
    outside = served.user("wishes.write", socid=mine)
    asked = mine if required != "()" else None
    assert outside.ask("POST", "/wishes", {"text": "a"}) == {"accepted": asked, "kept": mine}
    assert outside.ask("POST", "/wishes", {"text": "b", "socid": mine})["kept"] == mine
    assert outside.refused("POST", "/wishes", {"text": "c", "socid": other}, status=404).startswith("Not Found: Third")
    wrong = outside.ask("POST", "/wishes", {"text": "x" * 21}, status=400)["error"]["errors"]
    assert [each["field"] for each in wrong] == ["text"]
    # Others name it, or where it may be nothing, nothing
    if null and required == "()":
        assert admin.ask("POST", "/wishes", {"text": "d"})["kept"] is None
    else:
        assert admin.refused("POST", "/wishes", {"text": "d"}, status=400) == "Bad Request: `socid` is required"
