"""Sheets written by hand: an encoder like BERT with everything that is awkward in a spreadsheet, and variations of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from sympy import Eq, Expr, Integer, Max, Mod, ceiling, floor

from generator.formulas.symbols import symbol
from generator.quantities import QUANTITIES
from generator.render.workbook import build_workbook
from generator.sheet.sheet import ClaimCheck, Constraint, Sheet, SheetClaim, SheetPreset, SheetRow, Size
from generator.spec.references import Reference

ONE = Integer(1)

# d1, R and C are no names in Excel, and N is n.
b, n, m, d, h, e, f, L, N, R, C, d1 = (symbol(name) for name in ["b", "n", "m", "d", "h", "e", "f", "L", "N", "R", "C", "d1"])

SIZES = (
    Size("b", "batch size", "free"),
    Size("n", "sequence length", "free"),
    Size("m", "tokens attended to", "default", n),
    Size("d", "model width", "free"),
    Size("h", "number of heads", "free"),
    Size("e", "head width", "derived", d / h),
    Size("f", "inner width of the feed-forward network", "default", 4 * d),
    Size("L", "number of layers", "free"),
    Size("N", "greatest sequence length", "free"),
    Size("R", "rows of a patch", "free"),
    Size("C", "number of classes", "free"),
    Size("d1", "width of the embedding", "free"),
)
HOSTILE = '=HYPERLINK("https://example.org","click")'


def costs(**given: Expr) -> dict[str, Expr]:
    """All quantities; those not given are 0, the matmul FLOPs follow from the MACs."""
    found: dict[str, Expr] = dict.fromkeys((quantity.key for quantity in QUANTITIES), Integer(0))
    found |= given
    matmul, backward = 2 * found["macs"], found["backward_matmul_flops"]
    seen = {"visible_matmul_flops": matmul, "visible_backward_matmul_flops": backward}
    of_weights = {key: given.get(key, found["params"]) for key in ("trainable_params", "active_params")}
    return found | seen | {"matmul_flops": matmul, **of_weights}


def row(path: str, op: str, shape: Sequence[Expr], repeat: Expr = ONE, note: str = "", **given: Expr) -> SheetRow:
    """One leaf; costs are those of one layer and are multiplied by the repeat."""
    *_, name = path.split(".")
    total = {key: repeat * value for key, value in given.items()}
    return SheetRow(path, name, path.count("."), op, (), (("", tuple(shape)),), repeat, False, costs(**total), {"note": note})


def linear(path: str, k: Expr, width: Expr, tokens: Expr, repeat: Expr = ONE) -> SheetRow:
    """A linear layer over b x tokens."""
    work = b * tokens * k * width
    return row(
        path, "linear", (b, tokens, width), repeat, params=k * width + width, macs=work, vector_flops=b * tokens * width,
        backward_matmul_flops=4 * work, saved_elements=b * tokens * k, traffic_elements=b * tokens * (k + width) + k * width,
    )  # fmt: skip


def grouped(rows: Sequence[SheetRow]) -> tuple[SheetRow, ...]:
    """Fill in the groups: rows whose op begins with `use` cost what the leaves below them cost."""
    filled = []
    for line in rows:
        below = [other for other in rows if other.path.startswith(line.path + ".") and not other.op.startswith("use")]
        added = {quantity.key: sum((leaf.costs[quantity.key] for leaf in below), Integer(0)) for quantity in QUANTITIES}
        filled.append(replace(line, is_group=True, costs=added) if line.op.startswith("use") else line)
    return tuple(filled)


def sums(rows: Sequence[SheetRow]) -> dict[str, Expr]:
    """Return the totals of the leaves."""
    return {q.key: sum((line.costs[q.key] for line in rows if not line.is_group), Integer(0)) for q in QUANTITIES}


def encoder_rows() -> tuple[SheetRow, ...]:
    patches = ceiling(n / R) * R
    chosen = (("values", (b, C)), ("indices", (b, C)))
    top = replace(row("chosen", "top_k", (b, C), vector_flops=b * C * floor(n / 2), state_elements=2 * b * m * d), shapes=chosen)
    return grouped(
        [
            row("words", "embedding", (b, n, d1), params=N * d1, traffic_elements=b * n * d1, note=HOSTILE),
            linear("widened", d1, d, n),
            row("blocks", "use encoder_block", (b, n, d), L),
            row("blocks.attention", "use multi_head_attention", (b, n, d), L),
            linear("blocks.attention.q", d, d, n, L),
            linear("blocks.attention.k", d, d, m, L),
            row("blocks.attention.scores", "einsum", (b, h, n, m), L, macs=b * n * m * d, saved_elements=b * n * m * h),
            row("blocks.attention.heads", "rearrange", (b, h, n, e), L),
            row("blocks.norm", "layer_norm", (b, n, d), L, params=2 * d, vector_flops=9 * b * n * d + 4 * b * n),
            row("blocks.mlp", "use mlp", (b, n, d), L),
            linear("blocks.mlp.up", d, f, n, L),
            linear("blocks.mlp.down", f, d, n, L),
            row("padded", "pad", (b, patches, d), traffic_elements=b * d * (n + patches), vector_flops=b * Max(n, m) * d / 2),
            top,
            row("mask", "mask", (Integer(1), Integer(512)), note="a shape of numbers only"),
        ]
    )


def check(printed: Expr, scope: str, *, rows: Sequence[SheetRow], of: str = "macs", requires: Sequence[Any] = ()) -> ClaimCheck:
    """How a formula is held against the leaves of a scope."""
    leaves = [line for line in rows if not line.is_group and line.path.startswith(scope)]
    total = sum((line.costs[of] for line in leaves), Integer(0))
    return ClaimCheck(printed, tuple(requires), tuple(line.path for line in leaves), Integer(0), total)


def encoder() -> Sheet:
    """Two presets that leave the batch open, one of which sets a default; one claim that holds and one that does not."""
    rows = encoder_rows()
    totals = sums(rows)
    published = {"d": 64, "h": 4, "L": 2, "N": 128, "R": 16, "C": 10, "d1": 32, "n": 100}
    params = 128 * 32 + (32 * 64 + 64) + 2 * (2 * (64 * 64 + 64) + 2 * 64 + (64 * 256 + 256) + (256 * 64 + 64))
    scores, wrong = L * b * n * m * d, 4 * L * d**2
    return Sheet(
        name="encoder",
        title="An encoder & more",
        description="A stack of blocks.\nWith everything that is awkward in a spreadsheet: names such as R, C and d1, and n beside N.",
        source="models/encoder.yaml",
        source_hash="0123456789abcdef" * 4,
        sizes=SIZES,
        options={"bias": True, "kind": "gelu"},
        inputs={"tokens": (b, n)},
        outputs={"chosen": (b, C)},
        constraints=(
            Constraint("d % h == 0", Eq(Mod(d, h), 0)),
            Constraint("n <= N", n <= N),
        ),
        rows=rows,
        totals=totals,
        presets=(
            SheetPreset("small", published, {"params": params}, "smith2020"),
            SheetPreset("large", {**published, "d": 96, "h": 6, "L": 4, "f": 100, "m": 7}, {}, "smith2020"),
        ),
        claims=(
            SheetClaim(
                "L*b*n*m*d",
                "macs",
                "blocks.attention.scores",
                scores,
                scores,
                "equal",
                Integer(0),
                "smith2020",
                check=check(scores, "blocks.attention.scores", rows=rows),
            ),
            SheetClaim(
                "4*L*d**2",
                "params",
                "",
                wrong,
                totals["params"],
                "differs",
                wrong - totals["params"],
                "",
                "=1+1 is no reason",
                check=check(wrong, "", rows=rows, of="params"),
            ),
        ),
        cite=("smith2020",),
        references={"smith2020": Reference("smith2020", "Smith, 2020", "Ann Smith: On encoders. 2020.", "https://example.org/smith2020")},
    )


def without_presets() -> Sheet:
    return replace(encoder(), name="unpublished", presets=())


def many_terms(terms: int) -> Sheet:
    """A sheet whose closed form is longer than a cell can hold."""
    sizes = tuple(Size(f"width_of_part_{i}", f"width of part {i}", "free") for i in range(terms))
    parts = [symbol(size.name) for size in sizes]
    total = sum((k * part * other for k, part in enumerate(parts, start=2) for other in parts), Integer(0))
    rows = (row("everything", "linear", (parts[0],), params=total),)
    presets = (SheetPreset("ones", {size.name: i + 1 for i, size in enumerate(sizes)}, {}),)
    plain: Mapping[str, object] = {}
    return Sheet("many", "Many terms", "", "many.yaml", "0" * 64, sizes, plain, {}, {}, (), rows, sums(rows), presets)


SHEETS = {"encoder": encoder, "unpublished": without_presets, "many": lambda: many_terms(25)}


@cache
def built(name: str, language: str = "en") -> bytes:
    """Return the workbook of one of the sheets, built once for all tests."""
    return build_workbook(SHEETS[name](), language)
