"""TypeScript programs with what two generators make of the document: they compile strictly and run, and a misspelt field
doesn't compile."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from core.testing import ADMIN_KEY, Served, make_settings
from tests.explorer.addresses import address_of

# Node.js packages are downloaded, and the compiler takes long
pytestmark = [
    pytest.mark.slow,
    pytest.mark.lasting,
    pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed"),
]

PROGRAM = Path(__file__).parent / "typescript"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Return a folder with the program and the types, and the address of a server."""
    folder = tmp_path_factory.mktemp("typescript")
    shutil.copytree(PROGRAM, folder / "program")
    served = Served(make_settings(folder))
    (folder / "program/openapi.json").write_text(served.client().simulate_get("/explorer/openapi.json").text)
    with address_of(served) as address:
        run(folder / "program", "npm", "install", "--silent", "--no-audit", "--no-fund")
        run(folder / "program", "npx", "openapi-typescript", "openapi.json", "--output", "api.d.ts")
        options = ("-i", "openapi.json", "-o", "hey", "-c", "@hey-api/client-fetch", "-s")
        run(folder / "program", "npx", "openapi-ts", *options)
        yield folder / "program", address


def run(folder, *command, status=0, **variables):
    done = subprocess.run(command, cwd=folder, env=os.environ | variables, capture_output=True, text=True)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def test_the_programs_compile_and_run(project):
    folder, address = project
    run(folder, "npx", "tsc")
    for name in ("quote_to_cash", "with_functions"):
        source = (folder / f"{name}.ts").read_text()
        # Neither casts nor assertions, in at most 40 lines
        assert "!." not in source and " as " not in source and len(source.splitlines()) <= 40
        told = run(folder, "node", f"out/{name}.js", URL=address, KEY=ADMIN_KEY).splitlines()
        # 3 × 19.99 × 1.2 = 71.964; the last line is the sum of this customer
        assert "true 71.96000000 35.98000000" in told and told[-1] == "1 35.98000000"


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("quote_to_cash", "each.remaintopay", "each.remaintopai"),
        ("quote_to_cash", "invoice.total_ttc", "invoice.totl_ttc"),
        ("quote_to_cash", "{ socid, date:", "{ socid, dte:"),
        ("quote_to_cash", 'desc: "Desk', 'dsc: "Desk'),
        ("with_functions", "{ socid, date:", "{ socid, dte:"),
        ("webhook", "record?.total_ttc", "record?.remaintopay"),
        ("webhook", "record?.remaintopay", "record?.remaintopai"),
        ("webhook", "record?.socid", "record?.scid"),
    ],
)
def test_a_misspelt_field_does_not_compile(project, name, right, wrong):
    folder, _ = project
    program = folder / f"{name}.ts"
    source = program.read_text()
    assert right in source
    program.write_text(source.replace(right, wrong))
    try:
        assert "error TS" in run(folder, "npx", "tsc", "--noEmit", status=2)
    finally:
        program.write_text(source)
