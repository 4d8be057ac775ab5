"""What a page works least times out from: the arithmetic and traffic that a pass cannot do without, as formulas in a pool."""

from __future__ import annotations

from typing import Any

from generator.questions.workload.workload_formulas import workload_of
from generator.render.site.formula_pool import FormulaPool
from generator.sheet.sheet import Sheet


def time_data(sheet: Sheet, pool: FormulaPool) -> dict[str, Any]:
    """Return the numbers of formulas, none of which is shown; `templates/site/time.js` puts them together as `gen time` does."""
    work = workload_of(sheet)

    def hidden(expr: Any) -> int:
        return pool.add(expr, is_drawn=False)

    return {
        "flops": hidden(work.flops),
        "backward": hidden(work.backward_flops),
        "inputs": hidden(work.inputs),
        "results": hidden(work.results),
        "read": [[*pool.quotient(share, is_drawn=False), hidden(count)] for share, count in work.read],
        "caches": [[hidden(one.elements), [[hidden(full), hidden(seen)] for full, seen in one.seen]] for one in work.caches],
        "past": [hidden(one.other if one.is_past else one.other - one.new) for one in sheet.growths],
        "items": hidden(work.items[0]),
        "unit": work.items[1],
    }
