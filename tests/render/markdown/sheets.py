"""Sheets written by hand, for tests of the pages: a small stack of blocks, and one with every odd character in its texts."""

from __future__ import annotations

from dataclasses import replace

from sympy import Eq, Expr, Integer, Mod

from generator.formulas.symbols import symbol
from generator.quantities import QUANTITIES
from generator.sheet.sheet import Constraint, Sheet, SheetClaim, SheetPreset, SheetRow, Size
from generator.spec.references import Reference

b, n, d, f, L, V = (symbol(name) for name in ("b", "n", "d", "f", "L", "V"))
ONE = Integer(1)
TOKENS = (b, n, d)
ODD = "a | b < c `x|y` ``` $5 and $6 *it* _is_ __so__ [l](u) ![i](u) <b>h</b> &amp; ~~s~~ #1 \\ 1. 🙂 注意力 --> %% {}"


def costs(**given: Expr) -> dict[str, Expr]:
    """All quantities; those not given are 0, the matmul FLOPs follow from the MACs."""
    found = dict.fromkeys((quantity.key for quantity in QUANTITIES), Integer(0)) | given
    seen = {"matmul_flops": 2 * found["macs"], "visible_matmul_flops": 2 * found["macs"]}
    of_weights = {key: given.get(key, found["params"]) for key in ("trainable_params", "active_params")}
    return found | seen | of_weights


def row(path: str, op: str, *inputs: str, shape: tuple[Expr, ...] = TOKENS, repeat: Expr = ONE, note: str = "", **given: Expr) -> SheetRow:
    """One row; `use ...` makes a group."""
    *_, name = path.split(".")
    is_group = op.startswith("use ")
    return SheetRow(path, name, path.count("."), op, inputs, (("", shape),), repeat, is_group, costs(**given), {"note": note})


PARAMS = {"params": 2 * 64_000 + 2 * (2 * 64 * 256 + 64 + 256)}  # of the preset `base`
STACK = ("Stack", "smith2020")  # the public implementation


def stack() -> Sheet:
    """Embedding, L residual blocks (of which each holds a smaller block), and a head; with presets and claims."""
    mlp = {"params": L * (2 * d * f + d + f), "macs": 2 * L * b * n * d * f}
    rows = (
        row("embedded", "embedding", "tokens", params=V * d),
        row("blocks", "use block", "embedded", repeat=L, vector_flops=L * b * n * d, **mlp),
        row("blocks.mlp", "use mlp", "x", repeat=L, **mlp),
        row("blocks.mlp.up", "linear", "x", shape=(b, n, f), repeat=L, params=L * (d * f + f), macs=L * b * n * d * f),
        row("blocks.mlp.down", "linear", "up", repeat=L, params=L * (d * f + d), macs=L * b * n * d * f),
        row("blocks.sum", "add", "x", "mlp", repeat=L, vector_flops=L * b * n * d, note="the residual"),
        row("end", "linear", "blocks", shape=(b, n, V), params=V * d, macs=b * n * d * V),
    )
    params = 2 * V * d + mlp["params"]
    macs = mlp["macs"] + b * n * d * V
    claimed = 2 * V * d + 2 * L * d * f
    return Sheet(
        name="stack",
        title="A stack",
        description="Blocks of a small MLP.\n\nIn `L` layers.",
        source="models/stack.yaml",
        source_hash="0" * 64,
        sizes=(
            Size("b", "batch size", "free"),
            Size("n", "sequence length", "free"),
            Size("d", "width", "free"),
            Size("f", "inner width", "default", 4 * d),
            Size("L", "layers", "free"),
            Size("V", "vocabulary", "free"),
        ),
        options={"bias": True},
        inputs={"tokens": (b, n)},
        outputs={"end": (b, n, V)},
        constraints=(Constraint("f % d == 0", Eq(Mod(f, d), 0)),),
        rows=rows,
        totals=costs(params=params, macs=macs, vector_flops=L * b * n * d),
        presets=(
            SheetPreset("base", {"d": 64, "L": 2, "V": 1000}, PARAMS, "smith2020", "as built", STACK),
            SheetPreset("long", {"d": 64, "f": 128, "L": 2, "V": 1000, "n": 512}, {"params": 1}, implementation=STACK),
        ),
        claims=(
            SheetClaim("2*b*n*L*d*f + b*n*d*V", "macs", "", macs, macs, "equal", Integer(0), "smith2020", "eq. 3"),
            SheetClaim("2*V*d + 2*L*d*f", "params", "", claimed, params, "differs", -L * (d + f), "smith2020", "no biases"),
        ),
        cite=("smith2020",),
        references={"smith2020": Reference("smith2020", "Smith, 2020", "Ann Smith: On stacks. 2020.", "https://example.org/a_(b)")},
    )


def odd() -> Sheet:
    """The stack, with characters that mean something to Markdown, Mermaid or GitHub wherever a spec can put text."""
    sheet = stack()
    reserved = ("class", "graph", "subgraph", "style", "default", "o", "x", "click")
    extra = tuple(row(name, "relu", "end" if i == 0 else reserved[i - 1], note=ODD) for i, name in enumerate(reserved))
    return replace(
        sheet,
        name="odd",
        title=ODD,
        description=f"- {ODD}\n\n1. {ODD}\n\n# {ODD}",
        source="odd/a--b-->c/odd.yaml",
        sizes=tuple(replace(size, meaning=ODD) for size in sheet.sizes),
        options={"kind": "a|b`c"},
        rows=(*sheet.rows, *extra),
        outputs={"click": (b, n, V)},
        claims=tuple(replace(claim, note=ODD) for claim in sheet.claims),
        references={"smith2020": Reference("smith2020", ODD, f"{ODD} see https://example.org/x_y|z).", "https://example.org/a b|c")},
    )


def wide(stages: int = 9, *, terms: int = 30) -> Sheet:
    """A model of many different blocks, whose totals have dozens of terms."""
    sheet = stack()
    blocks = []
    for i in range(stages):
        total = sum((Integer(k + 2) * symbol(f"c_{k}") * symbol(f"c_{k + 1}") ** 2 for k in range(terms)), Integer(i))
        path = f"stage_{i}"
        blocks.append(row(path, "use stage", "tokens" if i == 0 else f"stage_{i - 1}", repeat=L, params=L * total, macs=L * total * b))
        blocks += [row(f"{path}.part_{k}", "linear", "x" if k == 0 else f"part_{k - 1}", repeat=L) for k in range(6)]
    params = sum((block.costs["params"] for block in blocks), Integer(0))
    sizes = (*sheet.sizes, *(Size(f"c_{k}", "a width", "free") for k in range(terms + 1)))
    outputs = {f"stage_{stages - 1}": TOKENS}
    return replace(sheet, name="wide", sizes=sizes, rows=tuple(blocks), totals=costs(params=params.expand()), outputs=outputs, claims=())
