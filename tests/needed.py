"""The programs and servers that tests need, and which of them this machine has: ``python -m tests.needed``.

It fails if one is missing. Tests that need it are skipped then, and fail in the gate.
"""

import os
import shutil
import subprocess
import sys
from functools import cache
from itertools import count

from core.testing import DATABASE_KINDS, why_unavailable
from tests import own_databases
from tests.browser import chromium

#: programs that tests run, and the Debian package of each
PROGRAMS = {
    **{"nginx": "nginx-light", "systemd-analyze": "systemd"},
    # These run the code of a call that the page shows
    **{"curl": "curl", "php": "php-cli php-curl", "node": "nodejs"},
}


def program(name):
    """Return the path of a program; None if it is missing."""
    # Servers are in /usr/sbin, which isn't in every user's PATH
    return shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")


def why_without(name):
    """Return why tests that need a program are skipped; None if the program exists."""
    if name == "php" and program(name) and "curl" not in _php_extensions():
        return f"php lacks its curl extension (apt install {PROGRAMS[name]})"
    return None if program(name) else f"{name} is not installed (apt install {PROGRAMS[name]})"


@cache
def _php_extensions():
    return subprocess.run(["php", "-m"], capture_output=True, text=True, check=False).stdout.split()


#: the Redis in which the tests count requests of keys
REDIS = os.environ.get("COMPTOIR_TEST_REDIS", "redis://127.0.0.1:6379/9")


def why_no_redis():
    """Return why tests that need Redis are skipped; empty if it responds."""
    try:
        from redis import Redis, RedisError
    except ImportError:
        return "the redis library is not installed (pip install -e '.[redis]')"
    try:
        with Redis.from_url(REDIS, socket_connect_timeout=1) as client:
            client.ping()
    except (RedisError, OSError) as error:
        return f"no Redis at {REDIS}: {type(error).__name__}"
    return ""


_key_ids = count(1_000, 10)


def unused_key_id():
    """Return an ID of a key: no other run of the tests counts it, or one of the next nine, in that Redis."""
    if why_no_redis():
        return next(_key_ids)
    from redis import Redis

    with Redis.from_url(REDIS) as client:
        return 1_000_000 + client.incrby("comptoir:tests:key_ids", 10)


def find_missing():
    """Return program or server → why tests can't use it; empty if they can."""
    missing = {kind: why_unavailable(kind) for kind in DATABASE_KINDS} | {"chromium": chromium.why_not()}
    missing |= {name: why_without(name) for name in PROGRAMS}
    missing |= {f"a private {kind}": own_databases.why_missing(kind) for kind in own_databases.PROGRAMS}
    return missing | {"redis": why_no_redis()}


if __name__ == "__main__":
    missing = find_missing()
    for name, reason in missing.items():
        print(f"missing: {name}: {reason}" if reason else f"found: {name}")
    sys.exit(any(missing.values()))
