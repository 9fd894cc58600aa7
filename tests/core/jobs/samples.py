"""A module with jobs, as the tests of this folder write it."""

JOBS = '''
from core import Model, job, progress, query, schedule, transaction
from .models import Letter


@job
def send(number: int, text: str = "hello") -> int:
    """Keep a letter."""
    with transaction():
        Letter.create(number=number, text=text)
    return number


@job(attempts=3)
def refuse(reason: str) -> None:
    """Fail."""
    raise ValueError(reason)


@job
def count(most: int) -> dict:
    """Tell how far it is."""
    for number in range(most):
        progress(number + 1, most, f"number {number}")
    return {"most": most}


@schedule("* * * * *")
def tick() -> None:
    """Each minute."""
'''

MODELS = """
import peewee
from core import Model


class Letter(Model):
    id = peewee.AutoField()
    number = peewee.IntegerField()
    text = peewee.CharField()
"""


def write_post(folder, jobs=JOBS):
    """Write the module `post` into a folder of modules; answers that folder."""
    module = folder / "post"
    module.mkdir(parents=True, exist_ok=True)
    for name, text in (("models.py", MODELS), ("jobs.py", jobs)):
        part = module / f".{name}"
        part.write_text(text)
        part.replace(module / name)
    return folder
