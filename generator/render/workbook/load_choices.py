"""What a reader chooses on the sheet of memory and time: where each choice stands, and what it is when the file is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from generator.questions.hardware.device_names import builtin_devices
from generator.questions.memory.optimisers import COPIES, NUMBERS_BY_SHAPE
from generator.questions.memory.stored_formats import STORED_FORMATS
from generator.questions.workload.workload_formulas import Workload
from generator.render.texts import Texts
from generator.render.workbook.devices import PEAKS

TRAINING, PROMPT, STEP = 1, 2, 3  # tasks, in the order of their names; a model that does not decode has the first two
COMPUTE: Final[Mapping[str, int]] = {"float32": 4, "bfloat16": 2, "float16": 2}  # formats of computing, and their bytes
SCENARIOS: Final = ("B", "C")  # the columns of both, on all sheets that have them
FIRST_CHOICE_ROW = 6
CHOICES: Final = (
    "task",
    "device",
    "batch",
    "length",
    "compute",
    "weights",
    "cache",
    "optimiser",
    "states",
    "master",
    "products",
    "efficiency",
    "price",
    "memory",
    "bandwidth",
    "peak",
)
GRID = 8  # values of either size
MESSAGE_ROW = FIRST_CHOICE_ROW + len(CHOICES)  # what is wrong with them
MEMORY: Final = (
    "weights",
    "states",
    "master",
    "gradients",
    "all_cache",
    "activations",
    "total",
    "total_gb",
    "twice_batch",
    "twice_length",
    "certainty",
    "device_memory",
    "left",
    "verdict",
    "largest",
)  # the lines on memory
FIRST_MEMORY_ROW = MESSAGE_ROW + 4
TIMES: Final = (
    "work",
    "moved",
    "compute_ms",
    "memory_ms",
    "bound_ms",
    "limit",
    "estimate_ms",
    "bound_rate",
    "estimate_rate",
    "step_cost",
    "million_cost",
)  # the lines on time
FIRST_TIME_ROW = FIRST_MEMORY_ROW + len(MEMORY) + 3
GRID_ROW = FIRST_TIME_ROW + len(TIMES) + 4  # of the lengths of the grid
BELOW_GRID = GRID_ROW + GRID + 5  # the first line of what comes after it
DEVICES: Final = ("a100-80gb", "h100-sxm")  # of the scenarios, when the file is written
FORMAT, OPTIMISER, EFFICIENCY = "bfloat16", "adamw", 0.5
OPTIMISERS = (*COPIES, *NUMBERS_BY_SHAPE)  # of which formulas say what they keep


def choice_row(key: str) -> int:
    """Return the row of a choice."""
    return FIRST_CHOICE_ROW + CHOICES.index(key)


def task_names(words: Texts, workload: Workload) -> list[str]:
    """Return what the tasks are called, in the order of their numbers."""
    return [words(f"load.{key}") for key in (("train", "prompt", "step") if workload.decodes else ("train", "inference"))]


def first_task(workload: Workload, scenario: int) -> int:
    """Return the task of a scenario when the file is written."""
    return (PROMPT, STEP)[scenario] if workload.decodes else (TRAINING, PROMPT)[scenario]


def offered(key: str, words: Texts, workload: Workload) -> list[str]:
    """Return what can be chosen; nothing where a number is typed."""
    return {
        "task": task_names(words, workload),
        "device": [device.name for device in builtin_devices()],
        "compute": [*COMPUTE],
        "weights": [*STORED_FORMATS],
        "cache": [*STORED_FORMATS],
        "optimiser": [*OPTIMISERS],
        "states": [*STORED_FORMATS],
        "master": [*STORED_FORMATS],
        "products": [*PEAKS],
    }.get(key, [])


def chosen(key: str, words: Texts, workload: Workload, scenario: int) -> str | float | None:
    """Return what is chosen when the file is written; None for a cell that is empty."""
    task = task_names(words, workload)[first_task(workload, scenario) - 1]
    found: dict[str, str | float] = {"task": task, "device": DEVICES[scenario], "compute": FORMAT, "optimiser": OPTIMISER}
    return {**found, "efficiency": EFFICIENCY}.get(key)
