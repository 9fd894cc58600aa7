"""Background jobs over HTTP."""

from typing import Annotated, Any

from core import Accepted, Api, Job, ListQuery, Removed, removed

from ..records import JobFilter, Schedule, jobs, list_schedules

JobRecord = Annotated[dict[str, Any], Job]


class Jobs(Api):
    """Background jobs: queued, running, finished and failed.

    Modules start jobs after a request or on a schedule. A failed job is retried after increasing delays. After several
    attempts, it stays here until you run it again or delete it.
    """

    group = "Administration"

    def index(self, query: ListQuery, wanted: JobFilter) -> list[JobRecord]:
        """List jobs.

        Newest first. External users see their own jobs.

        :permission: jobs.read
        """
        return jobs.asked(query, wanted)

    def get(self, id: int) -> JobRecord:
        """Read a job.

        Returns progress and result. Your own jobs need no permission. While the job runs, `Retry-After` gives the
        seconds to wait.

        :param id: job ID
        :raises NotFound: there is no such job, or it is another user's and the permission jobs.read is missing
        :access: protected
        """
        return jobs.followed(id)

    def again(self, id: int) -> Accepted:
        """Run a job again.

        Takes a failed job, or one that waits for its next attempt. The job gets all its attempts again.

        :url: POST {id}/again
        :param id: job ID
        :raises NotFound: there is no such job
        :raises Refused: it has not failed, and does not wait for its next attempt
        :permission: jobs.write
        """
        jobs.again(id)
        return Accepted(id)

    def delete(self, id: int) -> Removed:
        """Delete a job.

        A running job can't be deleted.

        :param id: job ID
        :raises NotFound: there is no such job
        :raises Refused: it is running
        :unconditional: `If-Match` is ignored
        :permission: jobs.delete
        """
        jobs.forget(id)
        return removed("Job deleted")

    def schedules(self) -> list[Schedule]:
        """List schedules.

        Returns the next run and the last result of each.

        :url: GET schedules
        :permission: jobs.read
        """
        return list_schedules()
