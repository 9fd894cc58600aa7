"""Projects over HTTP."""

from typing import Annotated, Any

from core import Api, ListQuery

from ..models import Project, projects

ProjectRecord = Annotated[dict[str, Any], Project]


class WorktimeProjects(Api):
    """Keep the projects that hours are worked for."""

    records = projects

    def index(self, query: ListQuery) -> list[ProjectRecord]:
        """List projects.

        :permission: read
        """
        return projects.page(query)

    def get(self, id: int) -> ProjectRecord:
        """Read a project.

        :permission: read
        """
        return projects.read(id)

    def post(self, request_data: ProjectRecord) -> int:
        """Make a project; answers its identifier.

        :permission: write
        """
        return projects.create(request_data)

    def patch(self, id: int, request_data: ProjectRecord) -> ProjectRecord:
        """Change what is sent.

        :permission: write
        """
        projects.change(id, request_data)
        return projects.read(id)

    def delete(self, id: int) -> int:
        """Delete a project that no entry names.

        :permission: delete
        """
        projects.delete(id)
        return 1
