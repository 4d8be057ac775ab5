"""Independent measurements on real torch code: parameters, FLOPs, saved tensors, memory traffic, peak memory.

Nothing here knows the cost formulas of this package. Importing it imports torch.
"""

from generator.measure.kernel import Count, Kernel, KernelMode, TensorInfo, kernels
from generator.measure.labels import current_label, module_labels, record
from generator.measure.matmul import UncountedError, backward_matmul_flops, matmul_flops, matmul_kernels
from generator.measure.parameters import Parameters, UsedParameters, parameters
from generator.measure.peak import Peak, peak
from generator.measure.saved import Saved, SavedStorage, saved
from generator.measure.traffic import KernelTraffic, Traffic, kernel_traffic, traffic
from generator.measure.vector import vector_flops

__all__ = [
    "Count",
    "Kernel",
    "KernelMode",
    "KernelTraffic",
    "Parameters",
    "Peak",
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
