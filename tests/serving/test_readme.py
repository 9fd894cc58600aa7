"""The README's flow, from an offer to a payment and its document, run by a shell against a real server."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.serving.conftest import Start
from tests.serving.running import ROOT

README = (ROOT / "README.md").read_text()
KEY = "a-key-for-the-readme-0123456789"


def block(section: str, language: str) -> str:
    """The first block of a language in a section."""
    text = README.partition(f"## {section}\n")[2].partition("\n## ")[0]
    found = re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)
    assert found, f"{section}: there is no {language}"
    return found[1]


def test_the_flow_of_the_readme_ends_with_a_paid_invoice_and_a_document(start: Start, tmp_path: Path) -> None:
    server = start(workers=2, admin_key=KEY)
    script = block("From an offer to a payment", "sh") + block("Documents", "sh")
    script = script.replace("http://127.0.0.1:8000", f"http://127.0.0.1:{server.port}")
    script = script.replace("<the printed key>", KEY)
    done = subprocess.run(
        ["bash", "-euc", script], capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    printed = re.sub(r"\b([A-Z]{2})\d{4}-", r"\1…-", done.stdout)
    assert printed == re.sub(r"\b([A-Z]{2})\d{4}-", r"\1…-", block("From an offer to a payment", "text"))
    assert (tmp_path / "proposal.pdf").read_bytes().startswith(b"%PDF-")


def test_what_the_readme_sends_three_times_is_done_once(start: Start, tmp_path: Path) -> None:
    server = start(workers=2, admin_key=KEY)
    script = block("From an offer to a payment", "sh").partition("customer=")[0] + block(
        "Sending a request again", "sh"
    )
    script = script.replace("http://127.0.0.1:8000", f"http://127.0.0.1:{server.port}")
    script = script.replace("<the printed key>", KEY)
    done = subprocess.run(
        ["bash", "-euc", script], capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1\n1\n1\n"
    assert len(server.ask("/thirdparties", key=KEY).json) == 1


def test_the_backup_of_the_readme_is_made_while_the_server_runs_and_restored(start: Start, tmp_path: Path) -> None:
    server = start(workers=2, admin_key=KEY)
    script = block("From an offer to a payment", "sh")
    script = script.replace("http://127.0.0.1:8000", f"http://127.0.0.1:{server.port}").replace(
        "<the printed key>", KEY
    )
    script += block("Backups", "sh").replace(".venv/bin/python", sys.executable)
    variables = {"COMPTOIR_DATABASE": f"sqlite:///{tmp_path}/data/test.db", "PYTHONPATH": str(ROOT)}
    variables |= {"COMPTOIR_DOCUMENTS": str(tmp_path / "data/documents"), "PATH": os.environ["PATH"]}
    done = subprocess.run(
        ["bash", "-euc", script], capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path, env=variables
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 files, 0 findings" in done.stdout
    papers = {file.name for file in (tmp_path / "data/documents").rglob("*.pdf")}
    assert len(papers) == 3
    assert {file.name for file in (tmp_path / "data/restored").rglob("*.pdf")} == papers
    assert (tmp_path / "data/copy.db").exists()
