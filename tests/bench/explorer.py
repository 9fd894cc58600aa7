"""The explorer's page and documents over 1,000 services of 10 operations, and over the native services alone.

Times are those of a browser, taken in the page: from the arrival of the document until the list is shown and a search
has been answered; from a key until the next frame is painted.
"""

from __future__ import annotations

import gzip
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

from tests.browser.chromium import chromium, why_not

from .many import write_modules
from .servers import KEY, comptoir, empty, load, proportional, warm_up

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

#: how often the page is opened; the median counts
ROUNDS = 7
#: what is typed: words that find all, many, few and nothing
WORDS = ("thing of number 3", "bench99 name", "get-bench500-id-thing7", "row nowhere")

#: notes when the list has first been painted, and when the search has first been answered after that
WATCH = """() => {
  const seen = (window.seen = {});
  const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  let usable;
  window.usable = new Promise((done) => (usable = done));
  new MutationObserver((_, observer) => {
    const list = document.getElementById("services");
    if (!list || !list.childElementCount || document.getElementById("layout").hidden) return;
    observer.disconnect();
    const box = document.getElementById("search");
    seen.listing = performance.now();
    box.value = "SOUGHT";
    box.dispatchEvent(new Event("input", { bubbles: true }));
    seen.found = document.getElementById("found").childElementCount;
    box.value = "";
    box.dispatchEvent(new Event("input", { bubbles: true }));
    painted().then(() => usable((seen.usable = performance.now())));
  }).observe(document, { childList: true, subtree: true, attributes: true });
}"""

#: from an input event until the frame after it is there
TYPED = """async ({ words }) => {
  const box = document.getElementById("search");
  const took = [];
  const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  for (const text of [...Array(words.length).keys()].map((at) => words.slice(0, at + 1)).concat("")) {
    await painted();
    const begun = performance.now();
    box.value = text;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    const script = performance.now() - begun;
    await painted();
    took.push([performance.now() - begun, script]);
  }
  return took;
}"""


def measure(count: int = 1000, seconds: int = 4) -> dict[str, Any]:
    """Measure with so many services, and with the native ones alone."""
    if reason := why_not():
        raise SystemExit(f"The measures of the page need a browser: {reason}")
    with tempfile.TemporaryDirectory() as folder:
        write_modules(Path(folder), count)
        with comptoir(COMPTOIR_MODULES=folder) as (address, _process):
            found = {
                f"{count:,} services: {name}": value
                for name, value in _measured(address, f"bench{count // 2} thing7").items()
            }
            found |= {f"{count:,} services: {name}": value for name, value in _documents(address, seconds).items()}
    with comptoir() as (address, _process):
        found |= {f"native: {name}": value for name, value in _measured(address, "proposals").items()}
    return found


def _measured(address: str, sought: str) -> dict[str, float]:
    """What a browser takes for the page."""
    with chromium() as browser:
        with _opened(browser, address, sought) as (_, times):
            cold = times["usable"]
        warm_up(address, "/explorer/index.json")
        opened = []
        for _ in range(ROUNDS):
            with _opened(browser, address, sought) as (_, times):
                opened.append(times)
        before = _drawing(browser)
        with _opened(browser, address, sought) as (page, _):
            keys = [each for words in WORDS for each in page.evaluate(TYPED, {"words": words})]
            session = page.context.new_cdp_session(page)
            session.send("HeapProfiler.collectGarbage")
            heap = session.send("Runtime.getHeapUsage")["usedSize"] / 1e6
            process = max(proportional(each) for each in _drawing(browser) - before)
    whole = [each[0] for each in keys]
    return {
        "ms to usable, first on a server just started": cold,
        "ms to usable, median": statistics.median(each["usable"] for each in opened),
        "ms to usable, slowest": max(each["usable"] for each in opened),
        "ms of it until the index was there": statistics.median(each["index"] for each in opened),
        "ms of it until the list was made": statistics.median(each["listing"] for each in opened),
        "ms a key, median": statistics.median(whole),
        "ms a key, slowest": max(whole),
        "ms a key, slowest script": max(each[1] for each in keys),
        "MB of heap": heap,
        "MB of the page's process": process,
    }


@contextmanager
def _opened(browser: Browser, address: str, sought: str) -> Iterator[tuple[Page, dict[str, float]]]:
    """The page in a tab that holds the key, once it is usable; and when that was, from the document's arrival."""
    context = browser.new_context()
    context.add_init_script(f"sessionStorage.setItem('comptoir-key', '{KEY}')")
    context.add_init_script(f"({WATCH.replace('SOUGHT', sought)})()")
    page = context.new_page()
    page.goto(f"http://{address}/explorer/")
    times: dict[str, float] = page.evaluate(
        """async () => {
          await window.usable;
          const arrived = performance.getEntriesByType("navigation")[0].responseEnd;
          const index = performance.getEntriesByType("resource").find((each) => each.name.endsWith("index.json"));
          const { usable, listing, found } = window.seen;
          return { usable: usable - arrived, listing: listing - arrived, index: index.responseEnd - arrived, found };
        }"""
    )
    if not times["found"]:
        raise RuntimeError(f"the search for {sought!r} found nothing")
    yield page, times
    context.close()


def _drawing(browser: Browser) -> set[int]:
    """The processes that draw pages."""
    described = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    return {each["id"] for each in described if each["type"] == "renderer"}


def _documents(address: str, seconds: int) -> dict[str, float]:
    """How large the documents are, and how often a second they are answered."""
    sizes = {}
    for name in ("openapi.json", "index.json", "swagger.json"):
        request = Request(f"http://{address}/explorer/{name}", headers={"DOLAPIKEY": KEY, "Accept-Encoding": "gzip"})
        with urlopen(request, timeout=120) as answer:
            packed, tag = answer.read(), answer.headers["ETag"]
        sizes[f"MB of {name}"] = len(gzip.decompress(packed)) / 1e6
        sizes[f"MB of {name} compressed"] = len(packed) / 1e6
        if name == "index.json":
            known = tag
    gzipped = "wrk.headers['Accept-Encoding'] = 'gzip'"
    unchanged = f"wrk.headers['If-None-Match'] = '{known}'"
    followed = _load(address, "/explorer/index.json", seconds, unchanged)
    rates, most = [], []
    with empty() as bare:
        warm_up(bare, "/nothing")
        # In turns, so that what else the machine does falls on both
        for _ in range(3):
            rates.append(_load(address, "/explorer/openapi.json", seconds, gzipped))
            most.append(load(bare, "/nothing", seconds=seconds))
    return {
        **sizes,
        "openapi.json a second": statistics.median(rates),
        "openapi.json, share of an empty application": statistics.median(rates) / statistics.median(most),
        "index.json unchanged (304) a second": followed,
        "index.json unchanged, share of an empty application": followed / statistics.median(most),
    }


def _load(address: str, path: str, seconds: int, script: str) -> float:
    """Requests a second with further headers."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(script)
        file.flush()
        return load(address, path, seconds=seconds, script=file.name)
