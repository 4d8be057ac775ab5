"""What it saves, and costs, that blocks run once more in the backward pass instead of keeping what they save."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from generator.formulas.evaluate import evaluate
from generator.quantities import MATMUL_FLOPS
from generator.sheet.costing import Cost
from generator.sheet.number_formats import ITEM_BYTES, item_bytes
from generator.sheet.pass_peak import Pass
from generator.text.errors import SizeError
from generator.text.suggest import did_you_mean
from generator.trace.diary import ATTENTION, BLOCKS, Recompute

NOTHING: Final = "none"


@dataclass(frozen=True)
class Recomputed:
    """Recomputation in numbers, as `torch.utils.checkpoint` does it.

    Args:
        rule: which blocks.
        kept: bytes that derivatives keep at the end of the forward pass.
        kept_without: what they would keep if nothing ran once more.
        flops: of contractions that run once more; what comes behind the last tensor saved in a block does not.
        forward_flops: of the contractions of a forward pass.
        is_estimate: whether recurrences run once more, of which the replay is not exact.
    """

    rule: Recompute
    kept: int
    kept_without: int
    flops: int
    forward_flops: int
    is_estimate: bool

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "recompute": str(self.rule),
            "kept_bytes": self.kept,
            "kept_bytes_without": self.kept_without,
            "recomputed_matmul_flops": self.flops,
            "forward_matmul_flops": self.forward_flops,
            "is_estimate": self.is_estimate,
        }


def recompute_of(text: str) -> Recompute | None:
    """Return a rule as people write it: `none`, `attention`, `blocks` or `every:2`. Raises SizeError."""
    word, _, number = text.partition(":")
    if text in ("", NOTHING):
        return None
    if text in (ATTENTION, BLOCKS):
        return Recompute(text)
    if word == "every" and number.isdecimal() and int(number) > 0:
        return Recompute(BLOCKS, int(number))
    note = "it is none, attention, blocks, or every:2 for each second block"
    raise SizeError(f"`{text}` does not say what runs once more", *did_you_mean(word, (NOTHING, ATTENTION, BLOCKS, "every:2")), note)


def recomputed_words(rule: Recompute) -> str:
    """Say what runs, for people."""
    if rule.what == ATTENTION:
        return "what attends in blocks runs"
    return "all blocks run" if rule.every == 1 else f"each block of which the number is divisible by {rule.every} runs"


def recomputed(cost: Cost, rule: Recompute) -> Recomputed | None:
    """Return what a rule saves and costs at the sizes of a cost; None where the pass cannot be replayed.

    Raises:
        SizeError: single layers cannot run once more where all share their weights.
    """
    if cost.sheet.peak is None:
        return None
    peak, dtype = cost.sheet.peak.of(Pass.GRADIENTS), cost.dtype
    own, plain = (one.at(dtype, cost.dims) for one in (peak.recomputing(rule), peak))
    if own is None or plain is None:
        return None
    item = item_bytes(ITEM_BYTES[dtype])
    kept, without = (int(evaluate(one.bytes_kept(item), cost.dims)) for one in (own, plain))
    flops = again(cost, rule, MATMUL_FLOPS.key)
    is_estimate = any(row.op == "scan" and any(path.startswith(row.path) for path in own.reruns) for row in cost.sheet.rows)
    return Recomputed(rule, kept, without, int(flops), int(cost.value(MATMUL_FLOPS.key)), is_estimate)


def again(cost: Cost, rule: Recompute | None, quantity: str) -> Any:
    """Return how much of a quantity of contractions runs once more in the backward pass. Raises SizeError as `recomputed`."""
    peak = None if cost.sheet.peak is None or rule is None else cost.sheet.peak.of(Pass.GRADIENTS).recomputing(rule)
    found = None if peak is None else peak.at(cost.dtype, cost.dims)
    if found is None:
        return 0
    return sum(row.value(quantity) * found.reruns.get(row.row.path, 0) for row in cost.rows)
