"""The quantities, each declared once: what it is called, what it counts, how it follows from a row's tally, and where it is shown.

Everything that names a quantity reads this: the page, the workbook, JSON, the Python API, the schema of specs, and every question that
can be asked. How each is measured stands in `generator.proof.verify.measurements`: without a measurement, nothing is verified.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sympy import Expr

    from generator.trace.tracer import Tally


class Shown(Enum):
    """A place where some quantities are shown, in the order in which they are declared."""

    BRIEF = "the first line of a page"
    ROWS = "the table of rows on a page"
    PRESETS = "the table of presets on a page"
    MODULE = "the docstring of a module"
    SHOW = "`gen show`"
    GROWTH = "orders of growth"
    DOMINANT = "the largest terms at presets; what doubling a size does to the work and to these"
    CROSSINGS = "where parts change places"
    CONTRACTIONS = "where linear layers and einsums change places"
    COMPARE = "`gen compare`, by default"
    SWEPT = "`gen compare --sweep`, by default"
    SWEEP = "`gen sweep`, by default"
    DIFF = "the rows of `gen diff`"
    PARTS = "shares of the parts of an architecture"
    PARTS_CHART = "the chart of them, where the work that is shown always is"
    CATALOGUE = "the formulas of the workbook of all architectures"
    LAYER = "a layer's cost in words: the first that is not zero"
    WORK = "what says most about the work: the first that is not zero"


@dataclass(frozen=True)
class Words:
    """What a quantity is called in one language.

    Args:
        title: a short heading.
        meaning: what is counted and by which convention.
        short: the heading of a narrow column; the title by default.
        spoken: inside a sentence; of those in `Shown.WORK`.
        headline: where it is spent, behind the number; of those in `Shown.WORK`.
    """

    title: str
    meaning: str
    short: str = ""
    spoken: str = ""
    headline: str = ""


class Worded:
    """What has words of its own in each language."""

    en: Words
    zh: Words

    def words(self, language: str) -> Words:
        """Return what it is called in a language. Raises KeyError for an unknown one."""
        return {"en": self.en, "zh": self.zh}[language]


@dataclass(frozen=True)
class Counts:
    """What a row's kernels have come to.

    Args:
        tally: the sums over its kernels.
        saved: elements of the storages that it keeps for the backward pass.
    """

    tally: Tally
    saved: Expr


@dataclass(frozen=True)
class Quantity(Worded):
    """A derived count.

    Args:
        key: the name used in JSON, claims, `expect` and the Python API, such as `matmul_flops`.
        unit: what is counted; see `UNITS`.
        en: in English.
        zh: in Chinese.
        of: how it follows from the counts of a row.
        sum_of: the keys of quantities of which it is the sum, where it is one; then it has no counts of its own.
        bias: how many of a row's counts are biases; None where they are not told apart.
        is_idle: whether it says nothing beside the other costs of a spec, so that tables of few quantities leave it out.
        shown: where it is shown, beside the places that show all.
    """

    key: str
    unit: str
    en: Words
    zh: Words
    of: Callable[[Counts], Expr] | None = None
    sum_of: tuple[str, ...] = ()
    bias: Callable[[Tally], Expr | int] | None = None
    is_idle: Callable[[Mapping[str, Expr]], bool] = lambda _: False
    shown: frozenset[Shown] = frozenset()

    @property
    def title(self) -> str:
        """A short heading for people, such as `Matmul FLOPs`."""
        return self.en.title

    @property
    def short(self) -> str:
        """The heading of a narrow column."""
        return self.en.short or self.en.title

    @property
    def meaning(self) -> str:
        """What is counted and by which convention."""
        return self.en.meaning


SHORT_UNITS: Final[Mapping[str, str]] = {"FLOP": "FLOP", "multiply-accumulates": "MAC"}  # what work is counted in, as GFLOP has it
UNITS: Final[Mapping[str, Mapping[str, str]]] = {
    "scalars": {"en": "scalars", "zh": "个"},
    "multiply-accumulates": {"en": "multiply-accumulates", "zh": "次乘加"},
    "FLOP": {"en": "FLOP", "zh": "FLOP"},
    "elements": {"en": "elements", "zh": "个元素"},
}


def _no_bias(_: Tally) -> int:
    return 0


PARAMS: Final = Quantity(
    "params",
    "scalars",
    Words("Parameters", "unique scalars that are learned, frozen ones too; a tied weight counts once; buffers do not count"),
    Words("参数量", "可学习的标量个数，包括冻结的；共享的权重只计一次；缓冲区不计"),
    of=lambda counts: counts.tally.params,
    bias=lambda tally: tally.bias_params,
    shown=frozenset(Shown) - {Shown.DOMINANT, Shown.CROSSINGS, Shown.CONTRACTIONS, Shown.SWEPT, Shown.WORK},
)
TRAINABLE_PARAMS: Final = Quantity(
    "trainable_params",
    "scalars",
    Words("Trainable parameters", "parameters that training changes; fewer than all only where some are frozen"),
    Words("可训练参数量", "训练会改变的参数；仅在冻结部分参数时少于全部参数"),
    of=lambda counts: counts.tally.trainable_params,
    bias=lambda tally: tally.trainable_bias_params,
    is_idle=lambda costs: costs["trainable_params"] == costs["params"],
    shown=frozenset({Shown.PRESETS, Shown.MODULE}),
)
ACTIVE_PARAMS: Final = Quantity(
    "active_params",
    "scalars",
    Words("Active parameters", "parameters used for one token; fewer than all only where experts are chosen"),
    Words("激活参数量", "处理一个词元时用到的参数；仅在选择专家的模型中少于全部参数"),
    of=lambda counts: counts.tally.active_params,
    bias=lambda tally: tally.bias_params,
    is_idle=lambda costs: costs["active_params"] == costs["params"],
    shown=frozenset({Shown.BRIEF, Shown.ROWS, Shown.PRESETS, Shown.MODULE, Shown.SHOW, Shown.GROWTH, Shown.COMPARE, Shown.DIFF}),
)
MACS: Final = Quantity(
    "macs",
    "multiply-accumulates",
    Words("MACs", "multiply-accumulates of contractions: linear, einsum, convolution, attention"),
    Words("乘加次数 (MAC)", "张量收缩中的乘加次数：线性层、einsum、卷积、注意力"),
    of=lambda counts: counts.tally.macs,
    bias=_no_bias,
    shown=frozenset(Shown) - {Shown.PRESETS, Shown.GROWTH, Shown.DOMINANT, Shown.SWEEP, Shown.PARTS, Shown.PARTS_CHART, Shown.WORK},
)
MATMUL_FLOPS: Final = Quantity(
    "matmul_flops",
    "FLOP",
    Words(
        "Matmul FLOPs",
        "2 x MACs: what torch.utils.flop_counter.FlopCounterMode counts; full square for causal masks",
        spoken="matmul FLOPs",
        headline="in the contractions of one forward pass",
    ),
    Words(
        "矩阵乘 FLOPs",
        "2 × 乘加次数，即 torch.utils.flop_counter.FlopCounterMode 的计数；因果掩码按整个方阵计",
        spoken="矩阵乘计算量",
        headline="矩阵乘计算量",
    ),
    of=lambda counts: 2 * counts.tally.macs,
    bias=_no_bias,
    shown=frozenset(
        {Shown.PRESETS, Shown.SHOW, Shown.GROWTH, Shown.DOMINANT, Shown.CONTRACTIONS, Shown.SWEEP, Shown.PARTS, Shown.WORK},
    ),
)
VECTOR_FLOPS: Final = Quantity(
    "vector_flops",
    "FLOP",
    Words(
        "Pointwise FLOPs",
        "elementwise work and reductions, one per primitive arithmetic operation",
        spoken="pointwise FLOPs",
        headline="of elementwise work in one forward pass",
    ),
    Words(
        "逐元素 FLOPs",
        "逐元素运算与归约，每次基本算术运算计一次",
        spoken="逐元素计算量",
        headline="逐元素计算量",
    ),
    of=lambda counts: counts.tally.vector_flops,
    shown=frozenset({Shown.ROWS, Shown.GROWTH, Shown.DIFF, Shown.CATALOGUE, Shown.LAYER, Shown.WORK}),
)
TOTAL_FLOPS: Final = Quantity(
    "total_flops",
    "FLOP",
    Words("Total FLOPs", "matmul FLOPs and pointwise FLOPs together"),
    Words("全部 FLOPs", "矩阵乘 FLOPs 与逐元素 FLOPs 之和"),
    sum_of=(MATMUL_FLOPS.key, VECTOR_FLOPS.key),
    shown=frozenset({Shown.CROSSINGS, Shown.COMPARE, Shown.SWEPT}),
)
BACKWARD_MATMUL_FLOPS: Final = Quantity(
    "backward_matmul_flops",
    "FLOP",
    Words("Backward matmul FLOPs", "contractions of the backward pass: one for each operand that needs a gradient"),
    Words("反向矩阵乘 FLOPs", "反向传播中的张量收缩：每个需要梯度的操作数各一次"),
    of=lambda counts: 2 * counts.tally.backward_macs,
    bias=_no_bias,
)
VISIBLE_MATMUL_FLOPS: Final = Quantity(
    "visible_matmul_flops",
    "FLOP",
    Words(
        "Visible matmul FLOPs",
        "matmul FLOPs without those of scores that a mask made of positions hides (causal, windows, documents), in products that make or "
        "read them: what a kernel that skips them does; masks that are data hide nothing here",
    ),
    Words(
        "可见矩阵乘 FLOPs",
        "矩阵乘 FLOPs，不计被位置掩码（因果、窗口、分段）遮住的注意力分数，即跳过它们的内核实际所做的计算；作为数据输入的掩码不计",
    ),
    of=lambda counts: 2 * counts.tally.visible_macs,
    bias=_no_bias,
    is_idle=lambda costs: costs["visible_matmul_flops"] == costs["matmul_flops"],
    shown=frozenset({Shown.PRESETS}),
)
VISIBLE_BACKWARD_MATMUL_FLOPS: Final = Quantity(
    "visible_backward_matmul_flops",
    "FLOP",
    Words("Visible backward matmul FLOPs", "the same of the backward pass"),
    Words("可见反向矩阵乘 FLOPs", "反向传播中的同类计数"),
    of=lambda counts: 2 * counts.tally.visible_backward_macs,
    bias=_no_bias,
    is_idle=lambda costs: costs["visible_backward_matmul_flops"] == costs["backward_matmul_flops"],
)
TRAIN_MATMUL_FLOPS: Final = Quantity(
    "train_matmul_flops",
    "FLOP",
    Words("Training matmul FLOPs", "contractions of one forward and one backward pass"),
    Words("训练矩阵乘 FLOPs", "一次前向与一次反向传播中的张量收缩"),
    sum_of=(MATMUL_FLOPS.key, BACKWARD_MATMUL_FLOPS.key),
    bias=_no_bias,
    shown=frozenset({Shown.COMPARE}),
)
SAVED_ELEMENTS: Final = Quantity(
    "saved_elements",
    "elements",
    Words(
        "Activation memory (kept for backward)",
        "elements of the tensors kept for the backward pass, each storage once, parameters excluded",
        short="Activation memory",
    ),
    Words("激活内存（为反向传播保留）", "为反向传播保留的张量的元素数；每块存储只计一次，不含参数", short="激活内存"),
    of=lambda counts: counts.saved,
    bias=_no_bias,
    shown=frozenset(Shown) - {Shown.BRIEF, Shown.PRESETS, Shown.MODULE, Shown.CONTRACTIONS, Shown.LAYER, Shown.WORK},
)
STATE_ELEMENTS: Final = Quantity(
    "state_elements",
    "elements",
    Words("KV cache and state", "elements kept between decoding steps: key-value cache, recurrent state"),
    Words("KV 缓存与状态", "解码各步之间需要保留的元素：键值缓存、循环状态"),
    of=lambda counts: counts.tally.state_elements,
    bias=_no_bias,
    is_idle=lambda costs: costs["state_elements"] == 0,
    shown=frozenset({Shown.PRESETS, Shown.MODULE, Shown.GROWTH, Shown.COMPARE, Shown.DIFF, Shown.CATALOGUE}),
)
TRAFFIC_ELEMENTS: Final = Quantity(
    "traffic_elements",
    "elements",
    Words("Memory traffic", "elements read and written by the unfused operations of one forward pass"),
    Words("访存量", "一次前向传播中，未融合的运算读写的元素数"),
    of=lambda counts: counts.tally.traffic_elements,
    shown=frozenset({Shown.GROWTH, Shown.COMPARE, Shown.SWEPT, Shown.DIFF, Shown.PARTS, Shown.CATALOGUE, Shown.LAYER}),
)

MEASURES: Final[tuple[Quantity, ...]] = (
    *(PARAMS, TRAINABLE_PARAMS, ACTIVE_PARAMS),
    *(MACS, MATMUL_FLOPS, VECTOR_FLOPS, TOTAL_FLOPS),
    BACKWARD_MATMUL_FLOPS,
    VISIBLE_MATMUL_FLOPS,
    VISIBLE_BACKWARD_MATMUL_FLOPS,
    TRAIN_MATMUL_FLOPS,
    SAVED_ELEMENTS,
    STATE_ELEMENTS,
    TRAFFIC_ELEMENTS,
)
"""What can be asked for: the quantities, and sums of them."""
QUANTITIES: Final = tuple(measure for measure in MEASURES if measure.of is not None)
"""What is counted for each row."""
BY_KEY: Final[Mapping[str, Quantity]] = {measure.key: measure for measure in MEASURES}


def shown_in(place: Shown, *of: Mapping[str, Expr]) -> tuple[Quantity, ...]:
    """Return the quantities of a place, in the order in which they are declared.

    Args:
        of: the costs of what is shown there; a quantity that says nothing beside any of them is left out.
    """
    found = (measure for measure in MEASURES if place in measure.shown)
    return tuple(measure for measure in found if not of or not all(measure.is_idle(costs) for costs in of))


def keys_in(place: Shown, *of: Mapping[str, Expr]) -> tuple[str, ...]:
    """Return the keys of the quantities of a place; see `shown_in`."""
    return tuple(measure.key for measure in shown_in(place, *of))


def cost_formula(costs: Mapping[str, Expr], key: str) -> Expr:
    """Return a measure of a row, or of the whole sheet, from its costs by quantity; also a sum of such: `macs + vector_flops`.

    Raises:
        KeyError: for an unknown one.
    """
    first, *others = summands(key)
    return sum((costs[other] for other in others), costs[first])


def summands(text: str) -> tuple[str, ...]:
    """Return the keys of what is counted, of a measure or of several joined by `+`. Raises KeyError for an unknown one."""
    return tuple(key for word in text.split("+") for key in BY_KEY[word.strip()].sum_of or (word.strip(),))


def title_of(text: str) -> str:
    """Return what people call a measure, or several joined by `+`; the text itself where it is none."""
    return " + ".join(BY_KEY[word.strip()].title if word.strip() in BY_KEY else word.strip() for word in text.split("+"))


def costs_of(counts: Counts) -> dict[str, Expr]:
    """Return each quantity of a row."""
    return {quantity.key: quantity.of(counts) for quantity in QUANTITIES if quantity.of is not None}
