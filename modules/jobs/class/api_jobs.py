"""Work in the background over HTTP."""

from typing import Annotated, Any

from core import Accepted, Api, Job, ListQuery

from ...answers.deeds import Removed, removed
from ..records import JobFilter, jobs
from ..schedules import Schedule, list_schedules

JobRecord = Annotated[dict[str, Any], Job]


class Jobs(Api):
    """Work in the background: what waits, what is being run, what came of it, and what was given up.

    A module has it done after a request has been answered, or by a schedule. What fails is tried again after growing
    pauses; after some attempts it is given up, and stays here until it is run again or deleted. Whoever has caused a
    job may read it; the other operations are for those who look after the server.
    """

    def index(self, query: ListQuery, wanted: JobFilter) -> list[JobRecord]:
        """List jobs, the newest first; external users see their own.

        :permission: jobs.read
        """
        return jobs.asked(query, wanted)

    def get(self, id: int) -> JobRecord:
        """Read a job: how far it is, and what came of it; one's own without any right.

        While it is under way the header `Retry-After` says after how many seconds to look again.

        :param id: identifier of the job
        :raises NotFound: there is no such job, or it is somebody else's and the right jobs.read is missing
        :access: protected
        """
        return jobs.followed(id)

    def again(self, id: int) -> Accepted:
        """Run a job again: one that was given up, or at once one that waits since it failed, with all its attempts.

        :url: POST {id}/again
        :param id: identifier of the job
        :raises NotFound: there is no such job
        :raises Refused: it was not given up, and does not wait since it failed
        :permission: jobs.write
        """
        jobs.again(id)
        return Accepted(id)

    def delete(self, id: int) -> Removed:
        """Delete a job that is not being run: one that waits is never run then.

        :param id: identifier of the job
        :raises NotFound: there is no such job
        :raises Refused: it is being run
        :permission: jobs.delete
        """
        jobs.forget(id)
        return removed("Job deleted")

    def schedules(self) -> list[Schedule]:
        """List schedules, what is run by itself: when the next time, and what came of the last.

        :url: GET schedules
        :permission: jobs.read
        """
        return list_schedules()
