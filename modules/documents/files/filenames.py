"""Names of folders and files, made from references and from the names of uploads."""

from __future__ import annotations

import re
import unicodedata

from core import BadRequest, Refused, shown

#: maximum length of a name in bytes
LONGEST = 200

_FORBIDDEN = str.maketrans(dict.fromkeys('<>/\\?*|":°$;', "_"))
_ACCENTS = re.compile(r"(?<=[A-Za-z])[\u0300-\u036f]+")
#: Unicode categories: control characters, and those that reverse or hide the text around them
_INVISIBLE = ("Cc", "Cf", "Cs", "Zl", "Zp")
_UNSAFE = frozenset("<>|\\")
#: names of devices on Windows, with any extension
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)", re.IGNORECASE)

#: extensions of files that a server, a browser or a desktop would run
ACTIVE = frozenset((
    "ade", "adp", "app", "appx", "ashx", "asp", "aspx", "bash", "bat", "bin", "cab", "cer", "cfm", "cgi", "chm",
    "cmd", "com", "command", "cpl", "csh", "deb", "dll", "dmg", "ear", "exe", "fcgi", "gadget", "hta", "htaccess",
    "htm", "html", "htpasswd", "inc", "ins", "isp", "jar", "js", "jse", "jsp", "jspx", "ksh", "lib", "lnk", "mht",
    "mhtml", "mjs", "msc", "msi", "msp", "mst", "phar", "php", "php3", "php4", "php5", "php7", "php8", "phps",
    "pht", "phtml", "pif", "pl", "pm", "ps1", "psm1", "py", "pyc", "pyd", "pyi", "pyo", "pyw", "pyz", "rb", "reg",
    "rpm", "run", "scf", "scr", "sct", "sh", "shtm", "shtml", "so", "svg", "svgz", "swf", "sys", "tcl", "url", "vb",
    "vbe", "vbs", "war", "wasm", "wsc", "wsf", "wsh", "xap", "xht", "xhtml", "xsl", "xslt", "zsh",
))  # fmt: skip


def clean_name(text: str) -> str:
    """Return a reference or a file name in the spelling of the store; empty if no character is left.

    Accents of Latin letters are removed, and characters forbidden in file names become ``_``. Parentheses stay, because
    references of drafts contain them: ``(PROV1)``.
    """
    if not (text.isascii() and text.isprintable()):
        text = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text)))
        text = "".join(letter for letter in text if unicodedata.category(letter) not in _INVISIBLE)
    text = text.translate(_FORBIDDEN).replace("--", "_").replace("..", "").strip(" .")
    return f"_{text}" if _DEVICES.match(text) else text


def folder_name(text: str) -> str:
    """Return the name of the folder of a record, from its reference.

    :raises Refused: the reference can't be used as a folder name
    """
    name = clean_name(text)
    if not name or len(name.encode()) > LONGEST:
        raise Refused(f"the reference {text[:60]!r} can't be used as a folder name")
    return name


def upload_name(text: str) -> str:
    """Return the name under which an uploaded file is stored.

    :raises BadRequest: the name is empty, too long, starts with a dot or has the extension of an executable file
    """
    if any(unicodedata.category(letter) in _INVISIBLE for letter in text):
        raise _wrong(f"expected a name without control characters, got {shown(text)}")
    name = clean_name(text)
    if not name:
        raise _wrong(f"expected a file name, got {shown(text)}")
    if text.strip().startswith("."):
        raise _wrong(f"expected a name that does not start with a dot, got {shown(text)}")
    if len(name.encode()) > LONGEST:
        raise _wrong(f"expected a name of at most {LONGEST} bytes, got {len(name.encode())}")
    for part in name.lower().split(".")[1:]:
        if part.strip() in ACTIVE:
            raise _wrong(f"files of type .{part.strip()} are not accepted")
    return name


def is_safe_path(text: str) -> bool:
    """Return whether a path from a caller is safe to look up: without ``..``, unsafe and invisible characters."""
    return not (
        ".." in text
        or not _UNSAFE.isdisjoint(text)
        or (not text.isprintable() and any(unicodedata.category(letter) in _INVISIBLE for letter in text))
    )


def _wrong(reason: str) -> BadRequest:
    return BadRequest(errors=[("filename", reason)])
