"""The size of an image from its first bytes, for machines without Pillow."""

from __future__ import annotations

from typing import BinaryIO

__all__ = ["size_in_header"]

Size = tuple[int, int]

_HEAD = 64  # bytes; enough for every format except JPEG, whose size may follow other segments
_JPEG_SIZES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}  # the start of a frame, of any coding
_JPEG_BARE = {0x01, *range(0xD0, 0xD9)}  # markers without a length


def size_in_header(file: BinaryIO) -> Size | None:
    """Return width and height of a PNG, GIF, BMP, WebP or JPEG image; None for anything else."""
    head = file.read(_HEAD)
    if head[:8] == b"\x89PNG\r\n\x1a\n" and head[12:16] == b"IHDR":
        return _known(_big(head[16:20]), _big(head[20:24]))
    if head[:6] in (b"GIF87a", b"GIF89a"):
        return _known(_little(head[6:8]), _little(head[8:10]))
    if head[:2] == b"BM":
        if _little(head[14:18]) == 12:  # as OS/2 wrote it
            return _known(_little(head[18:20]), _little(head[20:22]))
        return _known(_signed(head[18:22]), abs(_signed(head[22:26])))  # negative: top row first
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return _webp(head)
    if head[:2] == b"\xff\xd8":
        file.seek(2)
        return _jpeg(file)
    return None


def _webp(head: bytes) -> Size | None:
    kind = head[12:16]
    if kind == b"VP8X":
        return _known(1 + _little(head[24:27]), 1 + _little(head[27:30]))
    if kind == b"VP8L":
        bits = _little(head[21:25])
        return _known(1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF))
    if kind == b"VP8 ":
        return _known(_little(head[26:28]) & 0x3FFF, _little(head[28:30]) & 0x3FFF)
    return None


def _jpeg(file: BinaryIO) -> Size | None:
    """Go from segment to segment until one starts a frame."""
    while file.read(1) == b"\xff":
        while (code := file.read(1)) == b"\xff":  # fill bytes
            pass
        if not code:
            return None
        if code[0] in _JPEG_BARE:
            continue
        length = _big(file.read(2))
        if code[0] in _JPEG_SIZES:
            frame = file.read(5)
            return _known(_big(frame[3:5]), _big(frame[1:3]))
        if length < 2:
            return None
        file.seek(length - 2, 1)
    return None


def _known(width: int, height: int) -> Size | None:
    return (width, height) if width > 0 and height > 0 else None


def _big(digits: bytes) -> int:
    return int.from_bytes(digits, "big")


def _little(digits: bytes) -> int:
    return int.from_bytes(digits, "little")


def _signed(digits: bytes) -> int:
    return int.from_bytes(digits, "little", signed=True)
