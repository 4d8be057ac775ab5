"""From which batch, or number of tokens, a pass is bound by the arithmetic and no more by the memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from generator.questions.time.roofline import TimeSetting
from generator.questions.time.work import Work
from generator.sheet.costing import Cost
from generator.sheet.preset_totals import complete

_MOST = 1 << 40  # no size is looked for beyond


def compute_bound_from(
    cost: Cost, sizes_at: Callable[[int], Mapping[str, Any]], work: Callable[[Cost], Work], setting: TimeSetting
) -> int | None:
    """Return the least value of a size from which a pass is bound by compute, all else as it is; None where none is or none is known.

    More of a size is taken never to need more bytes for each operation, so the value is found by halving. Conditions of the spec, such as
    a greatest length, are not looked at.

    Args:
        sizes_at: the sizes of which all others follow, at a value of that size.
    """
    if setting.peak is None:
        return None
    peak, bandwidth = setting.peak, float(setting.device.bandwidth)

    def is_so(value: int) -> bool:
        sizes = {key: one for key, one in complete(cost.sheet.sizes, sizes_at(value)).items() if one is not None}
        least = work(Cost(cost.spec, cost.preset, sizes, cost.sheet, cost.dtype))
        return bool(float(least.flops) / peak >= float(least.bytes) / bandwidth)

    high = 1
    while not is_so(high):
        high *= 2
        if high > _MOST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_so(middle) else (middle, high)
    return high
