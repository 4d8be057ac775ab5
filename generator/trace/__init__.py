"""Symbolic execution: tensors with symbolic shapes, strides and storages, and the kernels that run on them."""
