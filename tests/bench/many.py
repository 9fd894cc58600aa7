"""1,000 module folders of 10 operations each: start, memory, one reload, one call, and requests during a reload."""

from __future__ import annotations

import tempfile
import threading
import time
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from .servers import KEY, comptoir, load, memory, warm_up

METHOD = '''
    def method{number}(self, id: int, name: str = "x", size: int = 1) -> dict:
        """Do the thing of number {number}.

        :url: GET {{id}}/thing{number}
        :param id: row identifier
        :param name: a name {{@max 20}}
        :param size: a size {{@min 1}} {{@max 9}}
        :raises NotFound: there is no such thing
        :permission: {service}.read
        """
        return {{"id": id, "name": name, "size": size}}
'''


def write_modules(folder: Path, count: int, operations: int = 10) -> None:
    """Make modules with one service each."""
    for number in range(count):
        service = f"bench{number}"
        text = (
            f'"""Service {number}."""\n\nfrom core import Api\n\n\nclass {service.title()}(Api):\n    """Things."""\n'
        )
        text += "".join(METHOD.format(number=each, service=service) for each in range(operations))
        file = folder / service / "class" / f"api_{service}.py"
        file.parent.mkdir(parents=True)
        file.write_text(text)


def get(address: str, path: str) -> int:
    """The status of a call."""
    try:
        with urlopen(Request(f"http://{address}{path}", headers={"DOLAPIKEY": KEY}), timeout=10) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code


def measure(count: int = 1000, seconds: int = 3) -> dict[str, Any]:
    """Measure with so many modules, and the call with ten of them beside it."""
    with tempfile.TemporaryDirectory() as few, tempfile.TemporaryDirectory() as many:
        write_modules(Path(few), 10)
        write_modules(Path(many), count)
        with comptoir(COMPTOIR_MODULES=few) as (address, process):
            warm_up(address, "/bench5/1/thing3?size=2")
            with_ten = load(address, "/bench5/1/thing3?size=2", seconds=seconds)
            small = memory(process)
        started = time.perf_counter()
        with comptoir(COMPTOIR_MODULES=many) as (address, process):
            first = time.perf_counter() - started
            sizes = memory(process)
            warm_up(address, f"/bench{count // 2}/1/thing3?size=2")
            rate = load(address, f"/bench{count // 2}/1/thing3?size=2", seconds=seconds)
            reload = _reload(address, Path(many) / "bench7/class/api_bench7.py")
            with_requests = memory(process)
        return {
            "modules": count,
            "seconds to the first answer": first,
            "MB a worker": max(sizes),
            "MB a worker, behind the load": max(with_requests),
            "MB a worker with ten modules": max(small),
            "calls a second": rate,
            "calls a second with ten modules": with_ten,
            **reload,
        }


def _reload(address: str, file: Path) -> dict[str, Any]:
    """Seconds from the edit of a file to its effect, and the slowest of the calls that went on meanwhile."""
    slowest = [0.0]
    answered = [0]
    over = threading.Event()

    def go_on() -> None:
        while not over.is_set():
            started = time.perf_counter()
            status = get(address, "/bench1/1/thing1")
            slowest[0] = max(slowest[0], time.perf_counter() - started)
            answered[0] += status == 200
            time.sleep(0.02)

    caller = threading.Thread(target=go_on)
    caller.start()
    time.sleep(0.5)
    started = time.perf_counter()
    file.write_text(file.read_text().replace("{id}/thing3", "{id}/other3"))
    seen = 0
    # 20 in a row: both workers have it
    while seen < 20:
        seen = seen + 1 if get(address, "/bench7/1/other3") == 200 else 0
        if time.perf_counter() - started > 30:
            raise RuntimeError("the edit had no effect within 30 s")
    took = time.perf_counter() - started
    over.set()
    caller.join()
    return {
        "seconds from an edit to its effect on every worker": took,
        "slowest call meanwhile, seconds": slowest[0],
        "calls answered meanwhile": answered[0],
    }
