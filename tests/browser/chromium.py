"""Starting Debian's Chromium: for the tests and the measurements."""

import shutil
from contextlib import contextmanager

NAMES = ("chromium", "chromium-browser", "google-chrome")
#: no sandbox, because root may run it; nothing that a browser asks of its own accord, nor what costs a processor
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-software-rasterizer",
    "--disable-features=SpareRendererForSitePerProcess,Translate,MediaRouter,OptimizationHints",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def why_not():
    """Why there is no browser on this machine; empty when there is one."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "no playwright: pip install playwright"
    return "" if _program() else "no Chromium: apt-get install chromium"


def _program():
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def chromium(*flags):
    """A browser. While it is there, its event loop occupies the thread."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_program(), args=[*FLAGS, *flags])
        yield browser
        browser.close()
