"""Files in S3, where the programs for it are there: `.venv/bin/pip install s3fs 'moto[server,s3]'`."""

import urllib.request

import pytest

from tests.modules.documents.calls import download, kept_pdf, upload
from tests.serving.running import own_port

pytest.importorskip("s3fs", reason="s3fs is not installed")
moto = pytest.importorskip("moto.server", reason="moto[server,s3] is not installed")

# What Amazon's own libraries warn of is not ours to mend
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


@pytest.fixture
def bucket(monkeypatch):
    """An empty bucket called `pdfs`, found by the variables in `core/RUNNING.md`."""
    port = own_port()
    served = moto.ThreadedMotoServer("127.0.0.1", port, verbose=False)
    served.start()
    # what it keeps outlives it
    urllib.request.urlopen(f"http://127.0.0.1:{port}/moto-api/reset", data=b"").close()
    for name, value in (("ENDPOINT_URL", f"http://127.0.0.1:{port}"), ("KEY", "testing"), ("SECRET", "testing")):
        monkeypatch.setenv(f"FSSPEC_S3_{name}", value)
    # fsspec reads the variables when it is imported, and keeps what it has opened
    import fsspec

    monkeypatch.setattr(fsspec.config, "conf", {})
    fsspec.config.set_conf_env(fsspec.config.conf)
    files = fsspec.filesystem("s3", skip_instance_cache=True)
    files.mkdir("pdfs")
    yield files
    fsspec.filesystem("s3").clear_instance_cache()
    served.stop()


def test_pdfs_and_uploads_lie_in_a_bucket(start, bucket):
    client = start(documents="s3://pdfs/comptoir")
    _, ref = kept_pdf(client)
    upload(client, ref, content="anew", overwriteifexists=1)
    assert download(client, f"{ref}/note.txt") == b"anew"
    # the new name alone, and no parts of what was written
    assert sorted(each.rpartition("/")[2] for each in bucket.find("pdfs")) == [f"{ref}.pdf", "note.txt"]
    client.ask("DELETE", "/documents", params={"modulepart": "propal", "original_file": f"{ref}/note.txt"})
    assert [each.rpartition("/")[2] for each in bucket.find("pdfs", refresh=True)] == [f"{ref}.pdf"]
