"""Inputs for parsers: valid ones with a few changes, and now and then random bytes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

__all__ = ["Mutator", "TextMutator"]

_BOUNDARIES: Final = [
    *(value.to_bytes(2, "little") for value in (0, 1, 0x7FFF, 0x8000, 0xFFFF)),
    *(value.to_bytes(4, "little") for value in (0, 1, 31, 32, 1 << 16, 1 << 30)),
    *(value.to_bytes(4, "little") for value in (0x40000001, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)),
    *(value.to_bytes(8, "little") for value in (0, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)),
]
_MOST_ADDED: Final = 64
_RANDOM_ONE_IN: Final = 32
_MOST_RANDOM: Final = 160


class Mutator:
    """Draws bytes from a seed.

    Parameters
    ----------
    corpus : sequence of bytes
        Valid inputs.
    seed : int
    """

    def __init__(self, corpus: Sequence[bytes], seed: int) -> None:
        self._corpus = list(corpus)
        self._random = random.Random(seed)

    def draw(self) -> bytes:
        """Return the next input."""
        drawn = self._random.getrandbits(64)
        if drawn % _RANDOM_ONE_IN == 0:
            return self._random.randbytes((drawn >> 8) % _MOST_RANDOM)
        drawn >>= 8
        return self._changed(self._corpus[(drawn >> 4) % len(self._corpus)], drawn & 3)

    def damage(self, valid: bytes) -> bytes:
        """Return an input with one to three changes."""
        return self._changed(valid, self._random.randrange(1, 4))

    def _changed(self, valid: bytes, changes: int) -> bytes:
        data = bytearray(valid)
        for _ in range(changes):
            self._change(data, self._random.getrandbits(64))
        return bytes(data)

    def _change(self, data: bytearray, drawn: int) -> None:
        kind = drawn & 7
        drawn >>= 3
        length = len(data)
        at = (drawn & 0xFFFFF) % (length + 1)
        drawn >>= 20
        match kind:
            case 0 if length:
                data[at % length] = drawn & 0xFF
            case 1 if length:
                data[at % length] ^= 1 << (drawn & 7)
            case 2 | 3 if length:
                # Most fields are aligned.
                at = at % length & ~3
                value = _BOUNDARIES[drawn % len(_BOUNDARIES)]
                data[at : at + len(value)] = value[: length - at]
            case 4:
                del data[at:]
            case 5:
                data += self._random.randbytes(drawn % _MOST_ADDED)
            case 6:
                other = self._corpus[drawn % len(self._corpus)]
                data[at:] = other[at:]
            case _:
                size = 1 + drawn % 16
                data[at:at] = data[at : at + size]


class TextMutator:
    """Draws texts from a seed.

    Parameters
    ----------
    corpus : sequence of str
        Valid texts.
    words : sequence of str
        What is inserted, besides single characters.
    seed : int
    """

    _CHARACTERS: Final = "0123456789kmgust.:,|=?-[]{}/\\ \0\n\té٣\U0001f40d" + "aeronAERON"

    def __init__(self, corpus: Sequence[str], words: Sequence[str], seed: int) -> None:
        self._corpus = list(corpus)
        self._words = [*words, *self._CHARACTERS]
        self._random = random.Random(seed)

    def draw(self) -> str:
        """Return the next text."""
        bits = self._random.getrandbits
        drawn = bits(64)
        text = self._corpus[(drawn >> 4) % len(self._corpus)]
        for _ in range(drawn & 3):
            drawn = bits(64)
            at = (drawn >> 8 & 0xFFFF) % (len(text) + 1)
            word = self._words[(drawn >> 32) % len(self._words)]
            match drawn & 7:
                case 0:
                    text = text[:at]
                case 1:
                    text = text[:at] + text[at + 1 :]
                case 2:
                    text = text[:at] + text[at + 1 + (drawn >> 56 & 15) :]
                case 3:
                    other = self._corpus[(drawn >> 40) % len(self._corpus)]
                    text = text[:at] + other[at:]
                case 4:
                    text = text[:at] + text[at : at + 8] * 2 + text[at + 8 :]
                case 5:
                    text = text[:at] + word + text[at + len(word) :]
                case _:
                    text = text[:at] + word + text[at:]
        return text
