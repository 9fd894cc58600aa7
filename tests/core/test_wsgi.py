"""How a server is put together: its values, its explorer, and the folder of its data."""

from pathlib import Path

import falcon
import pytest

from core.common.process import process_values, use_values
from core.common.settings import SettingError, Settings, settings
from core.contract.catalogue import catalogue
from core.storage.database import backend
from core.testing import serving
from core.wsgi import data_folder


@pytest.mark.parametrize(
    ("database", "documents", "folder"),
    [
        ("sqlite:///kept/business.db", "elsewhere/files", "kept"),
        ("postgresql://me@db/business", "kept/files", "kept"),
        ("postgresql://me@db/business", "s3://bucket/files", "data"),
        ("postgresql://me@db/business", "memory://files", "data"),
    ],
)
def test_data_is_kept_in_a_folder_of_this_machine(database, documents, folder):
    assert data_folder(Settings(database=database, documents=documents)) == Path(folder)


def test_the_server_serves_without_the_explorer(serve):
    served = serve(explorer="")
    client = served.client()
    client.get("/status")
    assert "unknown service" in client.refused("GET", "/explorer", status=404)


def test_the_explorer_is_a_package_that_is_installed():
    with pytest.raises(SettingError, match="COMPTOIR_EXPLORER: expected the name of an installed Python package"):
        Settings.from_environment({"COMPTOIR_EXPLORER": "explorer.nothing.there"}, ready=True)
    assert Settings.from_environment({"COMPTOIR_EXPLORER": ""}, ready=True).explorer == ""


def test_an_error_of_falcon_has_the_same_body(serve):
    class Gone:
        def on_get(self, req, resp):
            raise falcon.HTTPGone(description="the page has moved")

    served = serve()
    served.app.add_route("/gone", Gone())
    error = served.client(None).ask("GET", "/gone", status=410)["error"]
    assert error == {
        "code": 410, "message": "the page has moved", "reason": "refused", "request_id": error["request_id"],
    }  # fmt: skip


def test_without_a_server_the_settings_are_those_of_the_environment(monkeypatch):
    monkeypatch.setenv("COMPTOIR_MAX_PAGE", "7")
    before = process_values()
    use_values({})
    try:
        assert settings().max_page == 7
        assert catalogue().services == {}
        assert settings().profile.name == "specification"
    finally:
        use_values(before)


def test_a_server_is_thrown_away_with_its_values(tmp_path, loyalty):
    with serving(tmp_path) as first:
        first.client().ask("POST", "/thirdparties", {"name": "Acme"})
        before = process_values(), backend()
        (tmp_path / "second").mkdir()
        with serving(tmp_path / "second", modules=str(loyalty), profile_name="dolibarr16") as second:
            assert settings() is second.settings
            assert second.client().get("/loyaltycards") == []
            assert second.client().get("/thirdparties", status=404)
        assert (process_values(), backend()) == before
        assert [each["name"] for each in first.client().get("/thirdparties")] == ["Acme"]
        assert "unknown service" in first.client().refused("GET", "/loyaltycards", status=404)
