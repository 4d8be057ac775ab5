"""Independent measurements on real torch code: parameters, FLOPs, saved tensors, memory traffic, peak memory.

Nothing here knows the cost formulas of this package. Importing it imports torch.
"""

from generator.proof.measure import meta as meta  # how meta tensors behave from here on
from generator.proof.measure.kernel import Count, KernelMode, MeasuredKernel, TensorInfo, kernels
from generator.proof.measure.matmul_flops import backward_matmul_flops, matmul_flops, matmul_kernels
from generator.proof.measure.parameters import Parameters, UsedParameters, parameters
from generator.proof.measure.peak import MeasuredPeak, peak
from generator.proof.measure.saved import Saved, SavedStorage, saved
from generator.proof.measure.stretches import current_label, module_labels, record
from generator.proof.measure.traffic import KernelTraffic, Traffic, kernel_traffic, traffic
from generator.proof.measure.uncounted import UncountedError
from generator.proof.measure.vector import vector_flops

__all__ = [
    "Count",
    "KernelMode",
    "KernelTraffic",
    "MeasuredKernel",
    "MeasuredPeak",
    "Parameters",
    "Saved",
    "SavedStorage",
    "TensorInfo",
    "Traffic",
    "UncountedError",
    "UsedParameters",
    "backward_matmul_flops",
    "current_label",
    "kernel_traffic",
    "kernels",
    "matmul_flops",
    "matmul_kernels",
    "module_labels",
    "parameters",
    "peak",
    "record",
    "saved",
    "traffic",
    "vector_flops",
]
