"""The blocks of the README and of the pages it links to, run by a shell against a real server."""

import json
import os
import re
import subprocess
import sys

from tests.serving.running import ROOT, wait_until

README = (ROOT / "README.md").read_text()
RUNNING = (ROOT / "core/RUNNING.md").read_text()
SERVER = {"workers": 2}


def blocks(page, section, language="sh"):
    """Return the blocks of a language in a section of a page."""
    text = page.partition(f"## {section}\n")[2].partition("\n## ")[0]
    found = re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)
    assert found, f"{section}: there is no {language}"
    return found


def run(server, script, folder, variables=None):
    """Run a script as it is pasted after the first start; return what it prints."""
    assert "http://127.0.0.1:8000" in script or variables
    done = subprocess.run(
        ["bash", "-euc", script.replace("http://127.0.0.1:8000", f"http://127.0.0.1:{server.port}")],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=folder,
        env={**os.environ, "DOLAPIKEY": server.key, **(variables or {})},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_readme_shows_what_the_first_start_prints(server):
    (shown,) = blocks(README, "Quick start", "text")
    for line in shown.splitlines()[1:4]:
        assert line.replace("8000", str(server.port)) in server.output
    assert re.sub(r"\d+ services", "", shown.splitlines()[0]) in server.output
    assert "export DOLAPIKEY=$(cat data/first-key.txt)" in README
    assert f"export DOLAPIKEY=$(cat {server.folder}/data/first-key.txt)" in server.output


def test_the_blocks_of_the_readme_run_in_order(server, tmp_path):
    first, second, *rest = blocks(README, "Quick start")
    assert (first, rest) == ("make run\n", [])
    assert run(server, second, tmp_path) == "[]"

    (invoice,) = blocks(README, "Issue an invoice")
    printed = run(server, invoice, tmp_path)
    (made,) = server.ask("/invoices", key=server.key).json
    (payment,) = server.ask(f"/invoices/{made['id']}/payments", key=server.key).json
    assert printed == "1"
    assert (made["statut"], made["remaintopay"], float(payment["amount"])) == (2, "0.00000000", 71.96)
    assert re.fullmatch(r"FA\d{4}-0001", made["ref"])
    assert (tmp_path / f"{made['ref']}.pdf").read_bytes().startswith(b"%PDF-")

    (service,) = blocks(README, "Write a service", "python")
    path, _, text = service.removeprefix("# modules/").partition("\n")
    server.write(path, text)
    wait_until(lambda: server.ask("/teas").status == 200)
    server.everywhere("/teas")
    (calls,) = blocks(README, "Write a service")
    promised = re.findall(r"# (?:400: )?(.*)", calls)
    assert run(server, calls.splitlines()[0], tmp_path) == promised[0]
    refused = json.loads(run(server, calls.splitlines()[1], tmp_path))["error"]
    assert (refused["code"], refused["message"]) == (400, f"Bad Request: {promised[1]}")


def test_a_backup_is_made_while_the_server_runs_and_restored(start, tmp_path):
    """The commands of the unit that backs up, of the trial of a backup, and of a restoration."""
    # Of its own, for what is restored
    server = start(workers=2)
    run(server, blocks(README, "Issue an invoice")[0], tmp_path)
    unit = next(each for each in blocks(RUNNING, "Backups", "ini") if "oneshot" in each)
    commands = re.findall(r"^ExecStart(?:Post)?=(.*)$", unit, re.M)
    assert len(commands) == 2
    trial = next(each for each in blocks(RUNNING, "Backups") if "mktemp" in each)
    restored = next(each for each in blocks(RUNNING, "Backups") if "systemctl stop" in each)
    backups = tmp_path / "backups"
    (backups / "2020-01-01-000000").mkdir(parents=True)
    os.utime(backups / "2020-01-01-000000", (0, 0))
    script = "\n".join([f"cd {backups}", *commands, trial])
    script = script.replace("$$", "$").replace("%%", "%").replace("{} +", "'{}' +").replace("chown comptoir", ": ")
    script = script.replace("runuser -u comptoir -- ", "").replace("/var/backups/comptoir", str(backups))
    script = script.replace("/opt/comptoir/current/bin/comptoir", f"{sys.executable} -m core")
    variables = {"COMPTOIR_DATABASE": f"sqlite:///{tmp_path}/data/test.db", "PYTHONPATH": str(ROOT)}
    variables |= {"COMPTOIR_DOCUMENTS": str(tmp_path / "data/documents"), "TMPDIR": str(tmp_path)}
    # The last command of the trial removes what was restored
    printed = run(server, script.replace("rm -r $trial", "ls $trial/documents/facture"), tmp_path, variables)
    assert re.search(r"^FA\d{4}-0001$", printed, re.M)
    (made,) = backups.iterdir()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d-\d{6}", made.name), "the old one is gone"
    program = f"{sys.executable} -m core"
    script = re.sub(r"^comptoir restore \S+$", f"{program} restore {made}", restored, flags=re.M)
    script = re.sub(r"^systemctl .*$", "", script.replace("\ncomptoir ", f"\n{program} "), flags=re.M)
    variables |= {"COMPTOIR_DATABASE": f"sqlite:///{tmp_path}/lost/test.db"}
    variables |= {"COMPTOIR_DOCUMENTS": str(tmp_path / "lost/documents")}
    assert "Checked 2 files, found 0 problems" in run(server, script, tmp_path, variables)
