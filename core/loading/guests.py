"""Operations that a service serves below another one's name, such as ``GET /orders/{id}/shipment`` of the shipments.

They are handed to that one, so that routing, documents and the explorer find them where users look for them. When their
file breaks they alone are 501, and when it goes they are gone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import takewhile

from ..contract.catalogue import Operation, Service
from ..web.own_services import OWN
from .importing import LoadError
from .services import check_twice


def wrong_guest(service: Service, services: Mapping[str, Service], absent: Collection[str]) -> str:
    """Why operations that a service serves below another one cannot be served; empty: they can.

    :param absent: services that are known and not served now
    """
    for operation in service.operations:
        host = services.get(operation.service)
        if not operation.is_guest or (host is None and operation.service in absent):
            continue
        if host is None:
            return f"{operation.name}: unknown service {operation.service} in the path {operation.template}"
        if host.module == OWN:
            return f"{operation.name}: paths below /{host.name} are reserved for the server"
        others = [each for each in takewhile(lambda other: other is not service, services.values()) if each is not host]
        taken = [each for other in (host, *others) for each in other.operations if each.service == host.name]
        try:
            check_twice((*taken, operation))
        except LoadError as error:
            return str(error)
    return ""


def with_guests(services: Mapping[str, Service]) -> dict[str, Service]:
    """The services, each with the operations that are served below its name, whoever's they are."""
    guests: dict[str, list[Operation]] = {}
    for service in services.values():
        for operation in service.operations:
            if operation.is_guest:
                guests.setdefault(operation.service, []).append(operation)
    if not guests:
        return dict(services)
    return {name: _host(service, guests.get(name, [])) for name, service in services.items()}


def _host(service: Service, guests: list[Operation]) -> Service:
    own = [each for each in service.operations if not each.is_guest]
    if len(own) == len(service.operations) and not guests:
        return service
    return replace(service, operations=(*own, *guests))
