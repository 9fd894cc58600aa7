"""The OpenAPI descriptions of the services, rebuilt only after a change, and the contents generated from them."""

from __future__ import annotations

import logging
import struct
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from core import Caller
from core.access.callers import ANONYMOUS, Permission
from core.common.settings import Settings, settings
from core.contract.catalogue import Catalogue, Service, catalogue
from core.storage.cache_version import cache_version
from core.storage.database import database
from core.storage.serializer import etag_of, to_json

from .components import Draft, name_components
from .names import is_native, ordered, read_names
from .operation_ids import with_operation_ids
from .operations import DescribedService, describe_service

_log = logging.getLogger("comptoir")

#: maximum bytes of the contents kept for callers with different permissions; the last one always stays
KEPT = 50_000_000

#: of a gzip stream without name and time, as RFC 1952 has it
_GZIP_HEAD = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"


class Content:
    """Bytes with their ETag; the part that is the same for all requests is compressed once.

    :param plain: the bytes
    :param front: number of bytes that differ between requests, such as the host
    :param rest: the other bytes, if they are already compressed
    """

    def __init__(self, plain: bytes, front: int = 0, rest: Rest | None = None) -> None:
        self.plain, self.front = plain, front
        self._rest = rest

    @property
    def rest(self) -> Rest:
        """The bytes after the front, compressed."""
        if self._rest is None:
            self._rest = Rest.of(self.plain[self.front :])
        return self._rest

    @cached_property
    def tag(self) -> str:
        """Return a weak ETag, because the compressed form has it as well."""
        return f"W/{etag_of(self.plain[: self.front] + self.rest.tag)}"

    @cached_property
    def compressed(self) -> bytes:
        """Return the bytes as gzip with a single member: some clients don't read a second one."""
        deflating = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        front = deflating.compress(self.plain[: self.front]) + deflating.flush(zlib.Z_FULL_FLUSH) if self.front else b""
        end = struct.pack("<LL", zlib.crc32(self.plain), len(self.plain) & 0xFFFFFFFF)
        return b"".join((_GZIP_HEAD, front, self.rest.deflated, end))

    def led_by(self, keys: dict[str, Any]) -> Content:
        """Return the content with the keys of an object in front, instead of what is there now."""
        words = to_json(keys)[:-1] + b","
        if self.front == len(words) and self.plain.startswith(words):
            return self
        return Content(words + self.plain[self.front :], len(words), self.rest)


class Rest(NamedTuple):
    """Bytes that have been compressed: their tag, and the end of a deflate stream."""

    tag: bytes
    deflated: bytes

    @staticmethod
    def of(plain: bytes) -> Rest:
        """Compress bytes."""
        return Rest(etag_of(plain).encode(), zlib.compress(plain, 6, wbits=-zlib.MAX_WBITS))


@dataclass
class Description:
    """All that is served at one moment, in words and schemas; documents, page and tools are made from it.

    :param services: the services, whose operations have path IDs
    """

    catalogue: Catalogue
    services: tuple[DescribedService, ...]
    drafts: tuple[Draft, ...]
    settings: Settings
    database: object
    cache_version: int
    #: (purpose, permissions) → content
    contents: OrderedDict[Hashable, Content] = field(default_factory=OrderedDict)
    turn: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def named_services(self) -> tuple[DescribedService, ...]:
        """The services with operation IDs made of titles."""
        return with_operation_ids(self.services, sum(is_native(each.service) for each in self.services))

    def content(
        self,
        purpose: Hashable,
        caller: Caller,
        make: Callable[[Callable[[Permission], bool]], Any],
        led_by: dict[str, Any] | None = None,
    ) -> Content:
        """Return the content for a purpose and the caller's permissions, made once for all callers with the same ones.

        :param make: makes the data; its argument is a function that returns whether the caller has a permission
        :param led_by: first keys of the content that differ between requests, such as the host. Only the last ones
            are stored, so invented hosts don't fill the memory
        """
        nameless = caller is ANONYMOUS
        rights = frozenset() if caller.admin or nameless else caller.rights
        key = purpose, caller.admin, nameless, caller.restriction.rights, rights
        with self.turn:
            known = self.contents.get(key)
            if known is None:
                known = self.contents[key] = Content(to_json(make(_all_held if nameless else caller.may)), 1)
                while len(self.contents) > 1 and sum(len(each.plain) for each in self.contents.values()) > KEPT:
                    self.contents.popitem(last=False)
            if led_by is not None:
                known = self.contents[key] = known.led_by(led_by)
            self.contents.move_to_end(key)
        return known


def _all_held(_: Permission) -> bool:
    """Return True: a caller without a key sees all operations."""
    return True


class Descriptions:
    """The active description; unchanged services are reused.

    :param look_again: updates the catalogue from the disk; called before each use
    """

    def __init__(self, look_again: Callable[[], bool]) -> None:
        self._look_again = look_again
        self._made: Description | None = None
        self._turn = threading.Lock()

    def current(self) -> Description:
        """Return the description of the current module folders."""
        self._look_again()
        with self._turn:
            return self._current(cache_version())

    def _current(self, number: int) -> Description:
        served, configured, opened = catalogue(), settings(), database.obj
        made = self._made
        same = made is not None and made.settings is configured and made.database is opened
        if made is None or not same or made.catalogue is not served or made.cache_version != number:
            before = made.drafts if made is not None and same else ()
            drafts = _draft(served, {id(each.described.service): each for each in before})
            names = name_components(drafts, sum(is_native(each.described.service) for each in drafts))
            services = tuple(each.share(names) for each in drafts)
            made = Description(served, services, drafts, configured, opened, number)
            self._made = made
        return made


def _draft(served: Catalogue, known: dict[int, Draft]) -> tuple[Draft, ...]:
    services = ordered(served)
    names = read_names(served, services)

    def draft(service: Service) -> Draft:
        old = known.get(id(service))
        if old is not None and old.described.still_fits(names):
            return old
        try:
            return Draft.of(describe_service(service, names))
        except Exception:  # noqa: BLE001 - what cannot be told of one service must not hide the others
            _log.exception("can't create the OpenAPI description of the service %s", service.name)
            return Draft.of(describe_service(replace(service, operations=(), transitions=()), names))

    return tuple(draft(each) for each in services)
