"""The README's flow, from an offer to a payment, run by a shell against a real server."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.serving.conftest import Start
from tests.serving.running import ROOT

pytestmark = pytest.mark.serving

README = (ROOT / "README.md").read_text()
KEY = "a-key-for-the-readme-0123456789"


def test_the_flow_of_the_readme_ends_with_a_paid_invoice(start: Start) -> None:
    section = README.partition("## From an offer to a payment")[2].partition("\n## ")[0]
    script = re.search(r"```sh\n(.*?)```", section, re.DOTALL)
    expected = re.search(r"```text\n(.*?)```", section, re.DOTALL)
    assert script and expected
    server = start(workers=2, admin_key=KEY)
    text = (
        script[1].replace("http://127.0.0.1:8000", f"http://127.0.0.1:{server.port}").replace("<the printed key>", KEY)
    )
    done = subprocess.run(["bash", "-euc", text], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    printed = re.sub(r"\b(PR|CO|FA)\d{4}-", r"\1…-", done.stdout)
    assert printed == re.sub(r"\b(PR|CO|FA)\d{4}-", r"\1…-", expected[1])
