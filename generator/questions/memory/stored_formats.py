"""Formats in which weights and caches are stored, whatever they are computed in.

Formats with scales share one among a group of numbers. What a whole tensor or file has beside (one scale for all, metadata) is not counted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from generator.text.errors import SizeError
from generator.text.suggest import did_you_mean, listed


@dataclass(frozen=True)
class StoredFormat:
    """How numbers are stored.

    Args:
        key: its name, such as `mxfp4`.
        bits: of each number.
        scale_bits: of what a group of numbers shares.
        group: how many numbers share it.
    """

    key: str
    bits: int
    scale_bits: int = 0
    group: int = 1

    @property
    def bytes_each(self) -> Fraction:
        """Bytes of one number, its share of the scale included."""
        return Fraction(self.bits, 8) + Fraction(self.scale_bits, 8 * self.group)

    @property
    def words(self) -> str:
        """What a number takes, for people: `4.25 bits each: 4, and 8 for every 32`."""
        if not self.scale_bits:
            return f"{self.bits} bits each"
        return f"{float(8 * self.bytes_each):g} bits each: {self.bits}, and {self.scale_bits} for every {self.group:,}"


_ALL = (
    StoredFormat("float64", 64),
    StoredFormat("float32", 32),
    StoredFormat("tf32", 32),  # computed with fewer bits, stored with all
    StoredFormat("bfloat16", 16),
    StoredFormat("float16", 16),
    StoredFormat("fp8", 8),
    StoredFormat("int8", 8),
    StoredFormat("int4", 4),
    # OCP Microscaling Formats (MX) specification 1.0: blocks of 32 with a scale of 8 bits.
    StoredFormat("mxfp8", 8, 8, 32),
    StoredFormat("mxfp6", 6, 8, 32),
    StoredFormat("mxfp4", 4, 8, 32),
    StoredFormat("nvfp4", 4, 8, 16),
    StoredFormat("nf4", 4, 32, 64),  # bitsandbytes, without double quantisation
    # Blocks of llama.cpp's GGUF: q8_0 is 34 bytes for 32 numbers, q6_k 210 for 256.
    StoredFormat("q8_0", 8, 16, 32),
    StoredFormat("q5_0", 5, 16, 32),
    StoredFormat("q5_1", 5, 32, 32),
    StoredFormat("q4_0", 4, 16, 32),
    StoredFormat("q4_1", 4, 32, 32),
    StoredFormat("q6_k", 6, 144, 256),
    StoredFormat("q5_k", 5, 128, 256),
    StoredFormat("q4_k", 4, 128, 256),
    StoredFormat("q3_k", 3, 112, 256),
    StoredFormat("q2_k", 2, 160, 256),
)
STORED_FORMATS: Final[Mapping[str, StoredFormat]] = {one.key: one for one in _ALL}
_SCALE_BITS = 16  # of a group whose size is given: `int4:128`


def stored_format(text: str) -> StoredFormat:
    """Return a format by its name, or with groups of one's own, each with a scale of 16 bits: `int4:128`.

    Raises:
        SizeError: an unknown format, or a group that is no size.
    """
    name, colon, group = text.partition(":")
    found = STORED_FORMATS.get(name.lower())
    if found is None:
        raise SizeError(f"unknown number format `{text}`", *did_you_mean(name, STORED_FORMATS), f"formats: {listed(STORED_FORMATS)}")
    if not colon:
        return found
    if found.scale_bits or not re.fullmatch(r"[1-9][0-9]{0,8}", group):
        problem = f"`{name}` has groups of {found.group}" if found.scale_bits else f"`{group}` is no number of weights that share a scale"
        raise SizeError(f"unknown number format `{text}`: {problem}", "did you mean int4:128?")
    return StoredFormat(text.lower(), found.bits, _SCALE_BITS, int(group))
