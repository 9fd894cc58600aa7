"""Names of folders and files: those made of references, and those that uploads bring."""

from __future__ import annotations

import re
import unicodedata

from core import BadRequest, Refused, wrong_fields

#: bytes of a name at the most
LONGEST = 200

_FORBIDDEN = str.maketrans(dict.fromkeys('<>/\\?*|":°$;', "_"))
_ACCENTS = re.compile(r"(?<=[A-Za-z])[\u0300-\u036f]+")
#: controls, and what turns or hides the text around it
_INVISIBLE = ("Cc", "Cf", "Cs", "Zl", "Zp")
_UNSAFE = frozenset("<>|\\")
#: names of devices on Windows, with whatever extension
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
    """A reference or a file's name as the store spells it; empty when nothing is left.

    Accents of Latin letters go, and what no file name may have becomes ``_``; parentheses stay, since drafts are called
    ``(PROV1)``.
    """
    if not (text.isascii() and text.isprintable()):
        text = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text)))
        text = "".join(letter for letter in text if unicodedata.category(letter) not in _INVISIBLE)
    text = text.translate(_FORBIDDEN).replace("--", "_").replace("..", "").strip(" .")
    return f"_{text}" if _DEVICES.match(text) else text


def folder_name(text: str) -> str:
    """The folder of a record with a reference.

    :raises Refused: the reference cannot name a folder
    """
    name = clean_name(text)
    if not name or len(name.encode()) > LONGEST:
        raise Refused(f"the reference {text[:60]!r} can't be used as a folder name")
    return name


def upload_name(text: str) -> str:
    """The name that an uploaded file is kept under.

    :raises BadRequest: the name is empty, too long, hidden, or that of something that can be run
    """
    if any(unicodedata.category(letter) in _INVISIBLE for letter in text):
        raise _wrong(f"expected a name without control characters, got {text!r:.60}")
    name = clean_name(text)
    if not name:
        raise _wrong(f"expected a file name, got {text!r:.60}")
    if text.strip().startswith("."):
        raise _wrong(f"expected a name that does not start with a dot, got {text!r:.60}")
    if len(name.encode()) > LONGEST:
        raise _wrong(f"expected a name of at most {LONGEST} bytes, got {len(name.encode())}")
    for part in name.lower().split(".")[1:]:
        if part.strip() in ACTIVE:
            raise _wrong(f"files of type .{part.strip()} are not accepted")
    return name


def is_safe_path(text: str) -> bool:
    """Whether a path that a caller sends may be looked for: nothing leads up, nothing is hidden in it."""
    return not (
        ".." in text
        or not _UNSAFE.isdisjoint(text)
        or (not text.isprintable() and any(unicodedata.category(letter) in _INVISIBLE for letter in text))
    )


def _wrong(reason: str) -> BadRequest:
    return wrong_fields([("filename", reason)])
