"""A service that sends requests to a URL of its caller."""

from core import Api, fetch


class Relay(Api):
    """Requests to other servers."""

    def post(self, url: str) -> int:
        """Call a URL.

        Returns the status of the response.

        :param url: address of another server
        :raises BadRequest: the URL isn't allowed
        :raises BadGateway: the other server gave no valid response
        :permission: administrators
        """
        return fetch(url).status
