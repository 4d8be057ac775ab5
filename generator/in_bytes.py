"""What is told in bytes, each declared once: elements in a number format, the most bytes alive at once, and work for each byte."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from generator.quantities import PARAMS, SAVED_ELEMENTS, STATE_ELEMENTS, TOTAL_FLOPS, TRAFFIC_ELEMENTS, Quantity, Worded, Words


@dataclass(frozen=True)
class InBytes:
    """Elements in bytes, in a model of a given number format.

    Args:
        key: the name used in JSON and the Python API, such as `saved_bytes`.
        of: whose elements they are; what it is called is what these are called.
        en: how they are counted, in English.
        zh: in Chinese.
        is_by_kind: whether masks, indices and statistics have sizes of their own (see `generator.sheet.saved_bytes`); otherwise each
            element counts as a number of the model.
    """

    key: str
    of: Quantity
    en: str
    zh: str
    is_by_kind: bool = False

    def how(self, language: str) -> str:
        """Return how they are counted. Raises KeyError for an unknown language."""
        return {"en": self.en, "zh": self.zh}[language]


SAVED_BYTES: Final = InBytes(
    "saved_bytes",
    SAVED_ELEMENTS,
    "Numbers in the model's number format; masks take 1 byte, indices 8, and statistics of normalisations at least 4.",
    "数值按所选格式计；掩码每个元素 1 字节，索引 8 字节，归一化统计量至少 4 字节。",
    is_by_kind=True,
)
TRAFFIC_BYTES: Final = InBytes(
    "traffic_bytes",
    TRAFFIC_ELEMENTS,
    "Every element that the unfused operations read or write, in the model's number format.",
    "未融合的运算读写的全部元素，按所选格式计。",
)
BYTES: Final = (
    InBytes(
        "param_bytes",
        PARAMS,
        "All parameters in the model's number format, without gradients and optimiser states.",
        "全部参数，按所选格式计，不含梯度与优化器状态。",
    ),
    SAVED_BYTES,
    InBytes(
        "state_bytes", STATE_ELEMENTS, "Kept between decoding steps, in the model's number format.", "解码各步间保留的内容，按所选格式计。"
    ),
    TRAFFIC_BYTES,
)


@dataclass(frozen=True)
class AtOnce(Worded):
    """The most bytes alive at once, which no sum over rows gives.

    Args:
        key: the name used in JSON and the Python API.
        en: in English.
        zh: in Chinese.
    """

    key: str
    en: Words
    zh: Words


PEAK_BYTES: Final = AtOnce(
    "peak_bytes",
    Words(
        "Peak memory of a training step",
        "Most bytes alive at once in a forward and backward pass without a past: inputs, activations, what operations need on the way, "
        "and their gradients; parameters, their gradients and optimiser states come on top. As a formula, of stacks and recurrences "
        "of seven layers or steps and more.",
        short="Peak memory",
    ),
    Words(
        "单步训练的峰值内存",
        "一次前向与反向传播（不带历史缓存）中同时占用的最多字节数：输入、激活、运算所需的临时张量及其梯度；参数、参数梯度与优化器状态另计。公式适用于不少于七层的堆叠和不少于七步的循环。",
        short="峰值内存",
    ),
)
FORWARD_PEAK_BYTES: Final = AtOnce(
    "forward_peak_bytes",
    Words(
        "Peak memory of a forward pass",
        "Most bytes alive at once in a forward pass without gradients: inputs, activations, what operations need on the way, and results; "
        "parameters come on top, and so does what caches keep, to which the tokens of this pass are added in place.",
        short="Peak of a forward pass",
    ),
    Words(
        "前向传播的峰值内存",
        "一次不求梯度的前向传播中同时占用的最多字节数：输入、激活、运算所需的临时张量与结果；参数与缓存中已有的内容另计，本次的词元就地写入缓存。",
        short="前向峰值内存",
    ),
)
STEP_PEAK_BYTES: Final = AtOnce(
    "step_peak_bytes",
    Words(
        "Peak memory of a training step with gradients",
        "Most bytes alive at once in a forward and backward pass without a past, the gradients of parameters among them from when they are "
        "made on (none is there before); parameters and optimiser states come on top.",
        short="Peak with gradients",
    ),
    Words(
        "含参数梯度的训练峰值内存",
        "一次前向与反向传播（不带历史缓存）中同时占用的最多字节数，参数梯度自产生起计入（此前不存在）；参数与优化器状态另计。",
        short="含梯度峰值内存",
    ),
)


@dataclass(frozen=True)
class Ratio(Worded):
    """A quantity for each byte of another.

    Args:
        key: the name used in JSON and the Python API.
        of: what is done.
        per: the bytes.
        unit: by language.
        en: in English.
        zh: in Chinese.
    """

    key: str
    of: Quantity
    per: InBytes
    unit: Mapping[str, str]
    en: Words
    zh: Words


INTENSITY: Final = Ratio(
    "arithmetic_intensity",
    TOTAL_FLOPS,
    TRAFFIC_BYTES,
    {"en": "FLOP per byte", "zh": "FLOP/字节"},
    Words("Arithmetic intensity", "Matmul and pointwise FLOPs by the bytes of traffic; low values mean that memory is the limit."),
    Words("算术强度", "矩阵乘与逐元素 FLOPs 之和除以访存字节数；数值低说明瓶颈在内存带宽。"),
)
