"""Changes numbers in the text of a list of cells; all around them stays as it is."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

__all__ = ["with_numbers"]

_COMMA = ord(",")
_NUMBER = re.compile(rb"[^\s,]+")
_FEW = 1 << 12  # words to replace one by one


def with_numbers(
    text: bytes, count: int, places: NDArray[np.int64], numbers: NDArray[np.uint32]
) -> bytes | None:
    """Return a list of numbers with some of them changed.

    Its commas tell where a number is, so nothing is parsed; the text was read before.

    Args:
        text: Numbers with commas between them, white space around, and perhaps a last comma. An
            empty word is a zero.
        count: How many numbers there are.
        places: Which of them change, ascending.
        numbers: What they become.

    Returns:
        The new text; None if the text has not as many commas as it must have.
    """
    if len(places) > _FEW:
        return _with_many(text, count, places, numbers)
    commas = np.flatnonzero(np.frombuffer(text, np.uint8) == _COMMA)
    if len(commas) not in (count - 1, count) or (
        len(commas) == count and text[int(commas[-1]) + 1 :].strip()
    ):
        return None
    starts = np.where(places > 0, commas[places - 1] + 1, 0) if len(commas) else places
    ends = np.append(commas, len(text))[places]
    parts: list[bytes | memoryview] = []
    view, at = memoryview(text), 0
    for start, end, number in zip(starts.tolist(), ends.tolist(), numbers.tolist(), strict=True):
        parts += [view[at:start], _changed(text[start:end], number)]
        at = end
    return b"".join([*parts, view[at:]])


def _with_many(
    text: bytes, count: int, places: NDArray[np.int64], numbers: NDArray[np.uint32]
) -> bytes | None:
    """Do as `with_numbers` does, faster for very many."""
    words = text.split(b",")
    if len(words) - (not words[-1].strip()) != count:
        return None
    for place, number in zip(places.tolist(), numbers.tolist(), strict=True):
        word = words[place]
        words[place] = b"%d" % number if word.isdigit() else _changed(word, number)
    return b",".join(words)


def _changed(word: bytes, number: int) -> bytes:
    """Return a word with another number; white space stays, an empty word is zero."""
    digits = b"%d" % number
    return _NUMBER.sub(digits, word, count=1) if word.strip() else word + digits
