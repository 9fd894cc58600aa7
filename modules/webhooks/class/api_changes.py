"""The changes of records over HTTP."""

from core import Api

from ..changes import Changes as ChangesPage
from ..changes import changes_since


class Changes(Api):
    """Follow the changes of records.

    Ask for a cursor, read the lists that you need, then ask for the changes since the cursor, again and again. You see
    the events of records that you may read.
    """

    group = "Tools"

    def index(self, since: int | None = None, events: str = "", limit: int = 100, wait: int = 0) -> ChangesPage:
        """List changes since a cursor.

        In the order of the commits, none left out and none twice. Without `since`, the response has only the present
        cursor. The process that runs jobs numbers the changes.

        :param since: the `cursor` of the previous response {@min 0}
        :param events: events, such as `orders.* *.deleted`; by default all {@max 1000}
        :param limit: maximum number of changes {@min 1} {@max 1000}
        :param wait: seconds to wait if there is no change yet; at most 5 less than COMPTOIR_TIMEOUT {@min 0} {@max 30}
        :access: protected
        :raises 501: the next change is of a service that can't be loaded; later calls return it
        :raises 410: some changes are no longer kept; read the lists again, with a new cursor
        """
        return changes_since(since, events, limit, wait)
