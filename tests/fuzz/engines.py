"""What draws inputs: atheris, which is led by the branches they reach, or hypothesis, which changes the examples."""

import itertools
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as some

Call = Callable[[bytes], None]

#: bytes of an input at the most
LONGEST = 4096
#: packages whose branches are looked at
LOOKED_AT = ["core", "modules", "gunicorn", "falcon", "json", "docstring_parser"]

ENGINES = ("atheris", "hypothesis")


def installed():
    """The engine that is used where none is named."""
    return "atheris" if find_spec("atheris") else "hypothesis"


@contextmanager
def seeing(engine):
    """Have what is imported meanwhile tell which branches are reached."""
    looking = nullcontext()
    if engine == "atheris":
        import atheris

        looking = atheris.instrument_imports(include=LOOKED_AT, enable_loader_override=False)
    with looking:
        yield


def drive(engine, call, seeds, words, seconds, first, folder):
    """Call with one input after another until the time is over, or `call` ends the process.

    :param seeds: proper inputs
    :param words: what inputs are likely to be made of
    :param first: the seed of the first inputs; each round of hypothesis takes the next one
    :param folder: where atheris keeps the inputs that reached something new, for the next run
    """
    for each in [b"", *seeds]:
        call(each)
    if engine == "atheris":
        _with_atheris(call, seeds, words, seconds, first, folder)
    else:
        _with_hypothesis(call, seeds, words, seconds, first)


def _with_atheris(call, seeds, words, seconds, first, folder):
    import atheris

    corpus, examples, dictionary = folder / "corpus", folder / "examples", folder / "words"
    for each in (corpus, examples):
        each.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(seeds):
        (examples / str(number)).write_bytes(content)
    dictionary.write_text("".join(f'"{_spelled(word)}"\n' for word in words if word))
    atheris.Setup(
        [
            *(sys.argv[0], str(corpus), str(examples)),
            *(f"-dict={dictionary}", f"-max_len={LONGEST}", "-rss_limit_mb=4096", "-verbosity=0", f"-seed={first}"),
            # The time of an input is bounded by `findings.py`
            *("-timeout=3600", f"-max_total_time={int(seconds) + 60}"),
        ],
        call,
    )
    atheris.Fuzz()


def _spelled(word):
    return "".join(f"\\x{byte:02x}" for byte in word)


def _with_hypothesis(call, seeds, words, seconds, first):
    ends = time.monotonic() + seconds
    inputs = some.binary(max_size=200) | changed(seeds or [b""], words or [b" "])
    for number in itertools.count(first):
        if time.monotonic() >= ends:
            return

        @seed(number)
        @settings(
            max_examples=1000,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(inputs)
        def run(data):
            call(data[:LONGEST])

        run()


@some.composite
def changed(draw, seeds, words):
    """An example in which some bytes were left out, and others or words put in."""
    content = draw(some.sampled_from(seeds))
    for _ in range(draw(some.integers(1, 6))):
        start = draw(some.integers(0, len(content)))
        end = min(start + draw(some.sampled_from([0, 0, 0, 1, 1, 2, 5, 20])), len(content))
        put = draw(some.sampled_from(words) | some.binary(max_size=4) | some.sampled_from(seeds))
        content = content[:start] + put + content[end:]
    return content
