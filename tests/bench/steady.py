"""Whether a call is as fast in one run as in the next: many runs of three seconds, in turn with an older checkout if named."""

import re
import statistics
import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from .calls import CALLS, INVOICE, MORE_CALLS, fill, outsider, script_of, send
from .servers import KEY, ROOT, comptoir, load, warm_up

HEAD = f"{'runs of each call':40} {'median':>8} {'slowest':>8} {'share':>6} {'fastest':>8} {'to older, good':>14}"


def measure(runs, kind, older, seconds=3, only=""):
    """Median and slowest run of each call.

    :param only: a regular expression that the names of the calls to measure hold
    :param older: a checkout to measure in turn with this one
    """
    rows = []
    with ExitStack() as servers:
        folder = Path(servers.enter_context(tempfile.TemporaryDirectory()))
        trees = [ROOT, *([older.resolve()] if older else [])]
        addresses = [servers.enter_context(comptoir(kind=kind, tree=tree))[0] for tree in trees]
        outsiders = []
        for address in addresses:
            fill(partial(send, address))
            for _ in range(20):
                send(address, "/invoices", INVOICE)
            outsiders.append(outsider(address))
            warm_up(address, "/status")
        for call in (each for each in CALLS + MORE_CALLS if re.search(only, each.name)):
            script = script_of(call, folder)
            keys = outsiders if call.external else [KEY] * len(addresses)
            rates = [
                [
                    load(address, call.path, seconds=seconds, script=script, key=key)
                    for address, key in zip(addresses, keys, strict=True)
                ]
                for _ in range(runs)
            ]
            ours, theirs = [each[0] for each in rates], [each[-1] for each in rates]
            median, slowest = statistics.median(ours), min(ours)
            row = {"call": call.name, "median": median, "slowest": slowest, "share": slowest / median}
            text = f"{call.name:40} {median:8.0f} {slowest:8.0f} {slowest / median:6.2f} {max(ours):8.0f}"
            if older:
                row["older"] = theirs
                # Those in which its threads did not fall into step
                good = statistics.median(each for each in theirs if each > 0.7 * max(theirs))
                text += f" {median / good:14.2f}"
            rows.append(row | {"rates": ours, "text": text})
    return rows
