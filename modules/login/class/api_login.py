"""Login over HTTP."""

from typing import Annotated, Literal, TypedDict

from core import Api, BadRequest, Refused, profile

from ..tokens import Token, log_in


class Granted(TypedDict):
    """The key that a login returns."""

    code: Annotated[Literal[200], "200"]
    token: Annotated[str, "key for the header DOLAPIKEY"]
    entity: Annotated[Literal["1"], "the company; always 1"]
    message: Annotated[str, "welcome text with the expiry time of the key"]


class Welcome(TypedDict):
    """A successful login."""

    success: Granted


class Login(Api):
    """Get a key with a login and password.

    Ten failures for a user from one address within 15 minutes lock the user there: 429 with `Retry-After`.

    :access: public
    """

    group = "Administration"

    def post(self, login: str, password: str, entity: str = "", reset: bool = False) -> Welcome:
        """Log in with a password.

        Returns a key, valid for COMPTOIR_LOGIN_DAYS days. Only the user's ten newest login keys stay valid.

        :param login: login or email {@min 1} {@max 255}
        :param password: password {@min 1} {@max 1024} {@message `password` is required.}
        :param entity: no effect
        :param reset: 1: revoke the user's other login keys
        :raises 403: wrong login or password, or the service is switched off
        :raises 429: too many failures or logins
        :cache: no-store
        """
        return _shown(log_in(login, password, entity, reset=reset), reset)

    def get(self, login: str = "", password: str = "", entity: str = "", reset: bool = False) -> Welcome:
        """Log in with a password in the URL.

        Only in the profile `dolibarr16`.

        :param login: login or email {@max 255}
        :param password: password {@max 1024} {@message `password` is too long.}
        :param entity: no effect
        :param reset: 1: revoke the user's other login keys
        :raises Refused: use POST
        :raises 403: wrong login or password, or the service is switched off
        :raises 429: too many failures or logins
        :cache: no-store
        """
        if not profile().key_in_url:
            raise Refused(
                "send login and password in the body of POST /login",
                headers={"Allow": "POST, OPTIONS"},
                reason="wrong_method",
            )
        for name, value in (("login", login), ("password", password)):
            if not value:
                raise BadRequest(errors=[BadRequest.missing(name)], dolibarr=f"`{name}` is required.")
        return _shown(log_in(login, password, entity, reset=reset), reset)


def _shown(token: Token, reset: bool) -> Welcome:
    text = "Token is new" if reset else f"this key is valid until {token.expires:%Y-%m-%d %H:%M} UTC"
    message = f"Welcome {token.login} - {text}"
    return {"success": {"code": 200, "token": token.key, "entity": "1", "message": message}}
