"""Background jobs over HTTP."""

from typing import Annotated, Any

from core import Accepted, Api, ListQuery
from core.for_natives import Job, Removed, removed

from ..records import JobFilter, Schedule, jobs, list_schedules

JobRecord = Annotated[dict[str, Any], Job]


class Jobs(Api):
    """Background jobs: queued, running, finished and failed.

    A failed job is retried after increasing delays. After several attempts, it stays until you run it again or
    delete it.
    """

    group = "Administration"
    noun = "job"

    def index(self, query: ListQuery, wanted: JobFilter) -> list[JobRecord]:
        """List jobs.

        Newest first. External users see their own jobs.

        :permission: jobs.read
        """
        return jobs.asked(query, wanted)

    def get(self, id: int) -> JobRecord:
        """Read a job.

        Your own jobs need no permission. While the job runs, `Retry-After` gives the seconds to wait.

        :access: protected
        """
        return jobs.followed(id)

    def again(self, id: int) -> Accepted:
        """Run a job again.

        The job gets all its attempts again.

        :url: POST {id}/again
        :raises Refused: neither failed nor waiting for its next attempt
        :permission: jobs.write
        """
        jobs.again(id)
        return Accepted(id)

    def delete(self, id: int) -> Removed:
        """Delete a job.

        :raises Refused: it is running
        :unconditional:
        :permission: jobs.delete
        """
        jobs.forget(id)
        return removed("Job deleted")

    def schedules(self) -> list[Schedule]:
        """List schedules.

        :url: GET schedules
        :permission: jobs.read
        """
        return list_schedules()
