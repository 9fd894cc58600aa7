"""`comptoir jobs`: background jobs."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

import click

from ..common.settings import Settings
from ..jobs.functions import active_jobs
from ..jobs.queue import forget_job, forget_jobs, run_job_again
from ..jobs.table import GIVEN_UP, NOTE, STATUS_NAMES, WAITING, Job
from ..loading.check import examine
from ..serving.job_process import AFTER_WORD, JobProcess
from ..storage.database import close, transaction
from ..wsgi import build
from .database_wait import PATIENCE, require_database
from .terminal import Commands, WholeNumber, accounts, json_option, plural, read_settings, show, show_loading

#: maximum number of listed jobs
MAX_ROWS = 1000
_STATUS = {name.replace(" ", "-"): number for number, name in STATUS_NAMES.items()}
#: statuses that `forget --status` accepts: the server itself removes jobs that are done
_FORGOTTEN = [name for name, number in _STATUS.items() if number in (WAITING, GIVEN_UP)]


@click.group(cls=Commands, invoke_without_command=True)
@click.option("--list", "listed", is_flag=True, help="List jobs, newest first.")
@click.option("--status", type=click.Choice(list(_STATUS)), help="List only jobs with this status.")
@json_option
@click.pass_context
def jobs(context: click.Context, listed: bool, status: str | None, as_json: bool) -> None:
    """List, run, repeat and remove background jobs."""
    if context.invoked_subcommand is not None:
        if listed or status or as_json:
            raise click.UsageError("--list, --status and --json can't be combined with a subcommand")
        return
    if not listed and not status and not as_json:
        click.echo(context.get_help())
        return
    with accounts():
        query = Job.select().where(~NOTE).order_by(Job.id.desc()).limit(MAX_ROWS)
        rows = list(query.where(Job.status == _STATUS[status]) if status else query)
    problems = _problems(rows)
    columns: dict[str, str | Callable[[dict[str, Any]], object]] = {
        "ID": "id",
        "JOB": lambda row: (
            f"{row['job']}({', '.join(f'{name}={value!r}' for name, value in row['arguments'].items())})"
        ),
        "STATUS": "status",
        "DUE (UTC)": "due",
        "ATTEMPTS": "attempts",
        "PROGRESS": lambda row: (
            "" if row["total"] is None else f"{row['done']} of {row['total']} {row['text']}".rstrip()
        ),
        "ERROR": lambda row: row["problem"] or row["error"],
    }
    show([_plain(each) | {"problem": problems.get(each.id)} for each in rows], columns, as_json)
    if not as_json and len(rows) == MAX_ROWS:
        click.echo(f"Listed the newest {MAX_ROWS} jobs; use --status to narrow the list.", err=True)


def _problems(rows: list[Job]) -> dict[int, str | None]:
    """Return why waiting jobs cannot run now, by ID."""
    waiting = [each for each in rows if each.status == WAITING]
    if not waiting:
        return {}
    made = examine(read_settings().module_folders)
    return {each.id: made.job_problem(each.module, each.name) for each in waiting}


def _plain(each: Job) -> dict[str, Any]:
    return {
        "id": each.id,
        "job": each.called,
        "arguments": json.loads(each.arguments),
        "status": STATUS_NAMES[each.status],
        "user": each.user,
        **{name: _instant(getattr(each, name)) for name in ("due", "created", "started", "ended", "moment")},
        **{name: getattr(each, name) for name in ("cron", "attempts", "done", "total", "text", "error")},
        "result": None if each.result is None else json.loads(each.result),
    }


def _instant(seconds: int | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


@jobs.command()
@click.argument("ids", type=int, nargs=-1, required=True, metavar="ID…")
def again(ids: tuple[int, ...]) -> None:
    """Run the jobs with these IDs again, as soon as possible.

    A job can run again if it is done, was given up, or failed and is waiting for its next attempt.
    """
    with accounts(), transaction():
        _change(ids, run_job_again, "can't run again: it doesn't exist, is running, or has not run yet")
    click.echo(f"Scheduled {plural(len(ids), 'job')} to run again.")


@jobs.command()
@click.argument("ids", type=int, nargs=-1, metavar="[ID]…")
@click.option("--status", type=click.Choice(_FORGOTTEN), help="Status of the jobs to remove, instead of IDs.")
@click.option(
    "--job", "called", metavar="MODULE[.FUNCTION]", help="With --status: only jobs of this module or function."
)
def forget(ids: tuple[int, ...], status: str | None, called: str | None) -> None:
    """Remove the jobs with these IDs, or all jobs with a given status. Running jobs are not removed."""
    if bool(ids) == bool(status) or (called and not status):
        got = " and ".join(name for name, given in (("IDs", ids), ("--status", status), ("--job", called)) if given)
        raise click.UsageError(f"expected either IDs or --status (with an optional --job), got {got or 'neither'}")
    with accounts(), transaction():
        if status:
            module, _, name = (called or "").partition(".")
            chosen = [(Job.module, module), (Job.name, name)]
            removed = forget_jobs(Job.status == _STATUS[status], *(field == value for field, value in chosen if value))
        else:
            _change(ids, forget_job, "can't be removed: it doesn't exist or is running")
            removed = len(ids)
    click.echo(f"Removed {plural(removed, 'job')}.")


def _change(ids: Iterable[int], change: Callable[[int], bool], problem: str) -> None:
    for each in ids:
        if not change(each):
            raise click.ClickException(
                f"job {each} {problem}; nothing was changed. Run `comptoir jobs --list` to see all jobs"
            )


@jobs.command()
@click.option(
    "--at-once",
    metavar="NUMBER",
    type=WholeNumber(1, 100),
    help="Number of jobs to run at the same time; the default is COMPTOIR_JOBS.",
)
def run(at_once: int | None) -> None:
    """Run background jobs on this host until Ctrl-C or SIGTERM.

    A server also runs jobs. Use this command to run more jobs at the same time. To run all jobs here, set
    COMPTOIR_JOBS=0 for the server. The command prints one line per job.

    On exit, running jobs get COMPTOIR_TIMEOUT seconds to finish. Press Ctrl-C again to cut that to one second.
    Another process then runs the unfinished jobs again.
    """
    configuration = read_settings(ready=True)
    require_database(configuration, PATIENCE)
    close()
    server = build(progress=show_loading, guarded=True)
    close()
    known = len(active_jobs())
    threads = at_once or configuration.jobs or 1
    # Servers enqueue jobs without waking this process
    process = JobProcess(server.reloader, threads, configuration.timeout, report=click.echo, poll=1)
    click.echo(
        f"Running up to {plural(threads, 'job')} at a time; the modules define {known} "
        f"{'kind' if known == 1 else 'kinds'} of job. Press Ctrl-C to stop."
    )
    _keep(process, configuration)


def _keep(process: JobProcess, configuration: Settings) -> None:
    """Keep the process running until this one receives a signal; a second one lets the jobs hurry."""
    received: list[int] = []

    def stop(number: int, frame: object) -> None:
        process.end(signal.SIGQUIT if received else signal.SIGTERM)
        received.append(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while not received:
        process.keep(lambda: None)
        # A process that has just begun is not started again at once
        time.sleep(0 if process.lives else 0.1)
        process.has_ended(1.0)
    # The process may have begun just after the signal
    process.end()
    process.ensure_end(configuration.timeout + AFTER_WORD)
