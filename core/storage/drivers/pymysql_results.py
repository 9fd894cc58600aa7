"""Reading results with pymysql: most of its time goes into the descriptions of columns, which rarely change.

The server describes each column of each result. To read a third party, with 90 columns, cost 2.2 ms of a processor, of
which 1.2 ms went into descriptions. Here a description is parsed once, and found again by its bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pymysql import err
from pymysql.connections import MAX_PACKET_LEN, Connection, MySQLResult
from pymysql.constants import CR
from pymysql.protocol import MysqlPacket

#: descriptions that a connection remembers; each has about 60 bytes a column
MOST_DESCRIPTIONS = 200
#: first bytes of packets
END, ERROR = 0xFE, 0xFF
#: first bytes of values: NULL, and those of longer lengths → how many bytes hold the length
NULL, LENGTHS = 0xFB, {0xFC: 2, 0xFD: 3, 0xFE: 8}


class Described:
    """The columns of a result: its description, and what makes a value of each column's bytes."""

    def __init__(self, result: MySQLResult) -> None:
        self.fields, self.converters, self.description = result.fields, result.converters, result.description
        self.readers = [_reader(encoding, converter) for encoding, converter in result.converters]

    def row(self, packet: bytes) -> tuple[Any, ...]:
        """Return the values of a packet."""
        values: list[Any] = []
        at = 0
        for read in self.readers:
            size = packet[at]
            at += 1
            if size >= NULL:
                if size == NULL:
                    values.append(None)
                    continue
                width = LENGTHS[size]
                size = int.from_bytes(packet[at : at + width], "little")
                at += width
            end = at + size
            values.append(read(packet[at:end]))
            at = end
        return tuple(values)


class Result(MySQLResult):  # type: ignore[misc]
    """A result whose description is remembered."""

    connection: Any

    def _get_descriptions(self) -> None:
        connection = self.connection
        known, packets = connection.described, _packets(connection)
        key = b"".join(packets)
        self.described = known.get(key)
        if self.described is None:
            self.connection = _Recorded(connection, packets)
            super()._get_descriptions()
            self.connection = connection
            if len(known) >= MOST_DESCRIPTIONS:
                known.clear()
            self.described = known[key] = Described(self)
        self.fields, self.converters = self.described.fields, self.described.converters
        self.description = self.described.description

    def _read_rowdata_packet(self) -> None:
        row = self.described.row
        packets = _packets(self.connection)
        self._check_packet_is_eof(MysqlPacket(packets.pop(), ""))
        self.rows = tuple(map(row, packets))
        self.affected_rows = len(packets)


class RememberingConnection(Connection):  # type: ignore[misc]
    """A connection that remembers the descriptions of columns."""

    def __init__(self, **options: Any) -> None:
        #: the packets of a description → the columns
        self.described: dict[bytes, Described] = {}
        super().__init__(**options)

    def _read_query_result(self, unbuffered: bool = False) -> Any:
        if unbuffered:
            return super()._read_query_result(unbuffered)
        self._result = None
        result = Result(self)
        result.read()
        self._result = result
        if result.server_status is not None:
            self.server_status = result.server_status
        return result.affected_rows


class _Recorded:
    """Packets that were read, as a connection that pymysql reads them from."""

    def __init__(self, connection: Connection, packets: list[bytes]) -> None:
        self.use_unicode, self.encoding, self.decoders = (
            connection.use_unicode,
            connection.encoding,
            connection.decoders,
        )
        self._packets = iter(packets)

    def _read_packet(self, kind: type[MysqlPacket] = MysqlPacket) -> MysqlPacket:
        return kind(next(self._packets), self.encoding)


def _packets(connection: Connection) -> list[bytes]:
    """Return the packets that follow, the one that marks the end included."""
    packets: list[bytes] = []
    try:
        while not packets or packets[-1][0] != END or len(packets[-1]) > 8:
            packets.append(_packet(connection))
            if packets[-1][0] == ERROR:
                MysqlPacket(packets[-1], connection.encoding).raise_for_error()
    except OSError as error:
        connection._force_close()
        raise err.OperationalError(
            CR.CR_SERVER_LOST, f"Lost connection to MySQL server during query ({error})"
        ) from error
    except err.MySQLError:
        raise
    except BaseException:
        # The rest of the packets would be taken for the result of the next statement
        connection._force_close()
        raise
    return packets


def _packet(connection: Connection) -> bytes:
    """Return the next packet, whose parts follow each other if it is long."""
    read, number, packet = connection._rfile.read, connection._next_seq_id, b""
    while True:
        header = read(4)
        size = int.from_bytes(header[:3], "little")
        part: bytes = read(size)
        if len(part) < size or header[3:] != number.to_bytes():
            raise OSError("a packet is missing")
        number = connection._next_seq_id = (number + 1) % 256
        if size < MAX_PACKET_LEN:
            return packet + part if packet else part
        packet += part


def _reader(encoding: str | None, converter: Callable[[Any], Any] | None) -> Callable[[bytes], Any]:
    if converter is int:
        return int
    decode: Callable[[bytes], Any] = bytes.decode if encoding == "utf8" else partial(str, encoding=encoding)
    if encoding is None:
        return converter or bytes
    if converter is None:
        return decode
    return lambda value: converter(decode(value))
