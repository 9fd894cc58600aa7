"""What the tests need beyond Python, and whether this machine has it: ``python -m tests.needed``."""

from core.testing import DATABASE_KINDS, why_unavailable
from tests.browser import chromium

if __name__ == "__main__":
    missing = {kind: why_unavailable(kind) for kind in DATABASE_KINDS} | {"chromium": chromium.why_not()}
    for name, reason in missing.items():
        print(f"skipped: the tests on {name}; {reason}" if reason else f"{name} is there")
