"""Says in plain words why a file is neither XML nor JSON."""

from __future__ import annotations

from json import JSONDecodeError
from xml.parsers import expat

__all__ = ["why_unreadable"]

# How files begin that people take for maps, but that are of another kind.
_KINDS = (
    (b"\x89PNG\r\n\x1a\n", "is a PNG picture"),
    (b"\xff\xd8\xff", "is a JPEG picture"),
    (b"GIF8", "is a GIF picture"),
    (b"RIFF", "is a WebP picture"),
    (b"PK\x03\x04", "is a zip archive"),
    (b"\x1f\x8b", "is compressed with gzip"),
)
_UNICODE = (b"\xff\xfe", b"\xfe\xff")  # UTF-16 and UTF-32; bytes of 0 are text there
_CONTROLS = bytes({*range(32)} - {*b"\t\n\f\r"})
_HEAD = 1024  # how many bytes decide whether a file is text
_WORDS = ("true", "false", "null", "-")  # words of JSON that a cut may leave unfinished

_errors = expat.errors
_CUT = {
    _errors.codes[message]
    for message in (
        _errors.XML_ERROR_NO_ELEMENTS,
        _errors.XML_ERROR_PARTIAL_CHAR,
        _errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
        _errors.XML_ERROR_UNCLOSED_TOKEN,
    )
}


def why_unreadable(data: bytes, problem: Exception, language: str) -> str:
    """Return why all of a file, which a parser of "XML" or "JSON" did not take, is none."""
    head = data[:_HEAD]
    if not head.strip(b"\xef\xbb\xbf \t\r\n"):
        return "is empty"
    for start, reason in _KINDS:
        if head.startswith(start):
            return reason
    if not head.startswith(_UNICODE) and len(head.translate(None, _CONTROLS)) < len(head):
        return "is a binary file, not a file of Tiled"
    if _is_cut(problem):
        line = data.count(b"\n") + 1
        return f"ends too early, in line {line}: only a part of it is there"
    if isinstance(problem, RecursionError):
        return f"is not {language} of Tiled: it nests too deeply"
    return f"is not {language}: {problem}"


def _is_cut(problem: Exception) -> bool:
    """Whether the end of the file was the problem."""
    if isinstance(problem, expat.ExpatError):
        return problem.code in _CUT
    if isinstance(problem, UnicodeDecodeError):
        return problem.reason == "unexpected end of data"
    if isinstance(problem, JSONDecodeError):
        rest = problem.doc[problem.pos :].rstrip()
        unfinished = any(word.startswith(rest) for word in _WORDS)  # true for "", too
        return unfinished or problem.msg.startswith("Unterminated string")
    return False
