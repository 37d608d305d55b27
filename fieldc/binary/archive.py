"""Static archives (`.a`, `.lib`): the members, by the common format of GNU, BSD and Microsoft."""

from __future__ import annotations

from collections.abc import Iterator

from fieldc.binary.image import ObjectError

MAGIC = b"!<arch>\n"
THIN = b"!<thin>\n"
HEADER = 60
END = b"`\n"
INDEXES = (b"/", b"/SYM64/", b"__.SYMDEF", b"__.SYMDEF SORTED", b"__.SYMDEF_64")


def members(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Every member but the indexes: its name and its bytes. Raises ObjectError."""
    if data.startswith(THIN):
        raise ObjectError("a thin archive holds no objects, only their names; give an object file")
    place, long_names = len(MAGIC), b""
    while place + HEADER <= len(data):
        header = data[place : place + HEADER]
        size = header[48:58].strip()
        if header[58:] != END or not size.isdigit():
            raise ObjectError(f"the archive is damaged at {place:#x}")
        place += HEADER
        body = data[place : place + int(size)]
        if len(body) < int(size):
            raise ObjectError("the archive is truncated")
        place += int(size) + int(size) % 2
        field = header[:16].rstrip()
        if field == b"//":
            long_names = body
            continue
        name, body = _named(field, long_names, body)
        if name not in INDEXES:
            yield name.decode("utf-8", "replace"), body


def _named(field: bytes, long_names: bytes, body: bytes) -> tuple[bytes, bytes]:
    """A member's name, and its bytes where the name stands in front of them."""
    if field.startswith(b"#1/") and field[3:].isdigit():
        length = int(field[3:])
        return body[:length].rstrip(b"\0"), body[length:]
    if field.startswith(b"/") and field[1:].isdigit():
        rest = long_names[int(field[1:]) :]
        return rest.partition(b"\n")[0].partition(b"\0")[0].rstrip(b"/"), body
    return field if field in INDEXES else field.rstrip(b"/"), body
