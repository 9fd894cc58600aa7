"""One target in a process: ``python -m tests.fuzz.one values atheris 600 1 build/fuzz/values``."""

import json
import os
import shutil
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

from .engines import drive, seeing
from .findings import Findings


def main():
    """Drive it, then tell how often it was called, and what was found."""
    name, engine, asked, seed, kept = sys.argv[1:]
    folder, seconds = Path(kept), float(asked)
    scratch = Path(tempfile.mkdtemp(prefix="comptoir-fuzz-"))
    with seeing(engine):
        target = import_module(f"tests.fuzz.targets.{name}").Target(scratch)
    findings = Findings(target)
    began = time.monotonic()

    def call(data):
        findings(bytes(data))
        if time.monotonic() - began >= seconds:
            finish()

    def finish():
        took = time.monotonic() - began
        findings.shorten()
        found = [{"place": each.place, "data": each.data.hex(), "told": each.told} for each in findings.found.values()]
        told = {"executions": findings.executions, "seconds": took, "findings": found}
        (folder / "found.json").write_text(json.dumps(told, indent=1))
        target.close()
        shutil.rmtree(scratch, ignore_errors=True)
        sys.stdout.flush()
        # atheris gives nothing back
        os._exit(0)

    drive(engine, call, target.seeds, target.words, seconds, int(seed), folder)
    finish()


if __name__ == "__main__":
    main()
