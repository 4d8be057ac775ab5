"""Peak memory, against arithmetic on paper and against torch's own memory profiler."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.profiler import ProfilerActivity, profile

from generator.proof.measure import peak
from tests.proof.measure.plain import DEVICES, Attention, conv_net, encoder_layer

both_devices = pytest.mark.parametrize("device", DEVICES)


def _two_layers(device: str, dtype: torch.dtype = torch.float32) -> nn.Sequential:
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4)).to(device, dtype)


@both_devices
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_two_layers_peak_where_relu_is_differentiated(device: str, dtype: torch.dtype) -> None:
    measured = peak(_two_layers(device, dtype), [torch.zeros(3, 4, device=device, dtype=dtype)])
    # x 12, ReLU's output 24, output 12 at the end of forward (ReLU's input is gone)
    assert measured.forward_elements == 48
    # then the gradients of the output 12, of ReLU's output 24 and of its input 24
    assert measured.elements == 108
    assert (measured.at, measured.in_backward) == ("threshold_backward", True)
    assert measured.gradient_elements == 4 * 8 + 8 + 8 * 4 + 4
    assert (measured.bytes, measured.forward_bytes, measured.gradient_bytes) == (
        108 * dtype.itemsize,
        48 * dtype.itemsize,
        76 * dtype.itemsize,
    )


@both_devices
def test_a_wide_temporary_makes_the_forward_pass_the_peak(device: str) -> None:
    def fn(x: Tensor) -> Tensor:
        factor = x.detach().expand(50, -1, -1).clone().sum()
        return x * factor

    measured = peak(fn, [torch.zeros(3, 4, device=device)])
    assert (measured.elements, measured.at, measured.in_backward) == (12 + 600 + 1, "sum", False)
    # the factor is kept for the backward pass; the caller holds x and the output
    assert measured.forward_elements == 12 + 1 + 12


@both_devices
def test_memory_that_is_freed_can_be_used_again(device: str) -> None:
    def fn(x: Tensor) -> Tensor:
        for _ in range(10):
            x = x + 1
        return x

    measured = peak(fn, [torch.zeros(3, 4, device=device)], input_gradients=False)
    assert measured.elements == 3 * 12  # the caller's input, and the sums before and after
    assert measured.forward_elements == 2 * 12
    assert not measured.in_backward
    assert measured.gradient_elements == 0


@both_devices
def test_buffers_and_given_weights_are_excluded_and_gradients_put_back(device: str) -> None:
    net = conv_net(device=device)
    net[8].bias.grad = torch.ones(5, device=device)
    before = net[8].bias.grad
    measured = peak(net, [torch.zeros(2, 3, 8, 8, device=device)])
    assert measured.gradient_elements == sum(parameter.numel() for parameter in net.parameters())
    assert net[8].bias.grad is before
    assert net[0].weight.grad is None
    weight = torch.zeros(6, 4, device=device, requires_grad=True)
    measured = peak(lambda x: functional.linear(x, weight), [torch.zeros(3, 4, device=device)], parameters=[weight])
    assert (measured.elements, measured.gradient_elements) == (12 + 18 + 18 + 12, 24)  # x, output, and a gradient for each


def _profiled(module: nn.Module, x: Tensor) -> int:
    """Peak in bytes as torch's profiler sees the allocator, with no dispatch mode; parameters excluded, their gradients included."""
    for parameter in module.parameters():
        parameter.grad = None
    x = x.detach().requires_grad_()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        output = module(x)
        torch.autograd.backward([output], [torch.ones_like(output)])
    assert profiler.profiler is not None
    events = [event for event in profiler.profiler.kineto_results.events() if event.name() == "[memory]"]
    live = highest = x.untyped_storage().nbytes()
    for event in sorted(events, key=lambda event: event.start_ns()):
        live += event.nbytes()
        highest = max(highest, live)
    return highest


@pytest.mark.filterwarnings("ignore")  # the profiler has much to say about itself
@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (_two_layers, (300, 4)),
        (lambda device: nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 8)).to(device), (20, 30, 8)),
        (lambda device: Attention(8, 2, device=device), (20, 30, 8)),
        (lambda device: encoder_layer(device=device), (20, 30, 8)),
    ],
)
def test_the_peak_is_what_the_memory_profiler_sees(make: Callable[[str], nn.Module], shape: tuple[int, ...]) -> None:
    module, x = make("cpu"), torch.randn(shape)
    _profiled(module, x)  # the first run allocates caches
    measured = peak(module, [x])
    # the profiler's peak includes those gradients of parameters that are there by then
    assert measured.bytes <= _profiled(module, x) <= measured.bytes + measured.gradient_bytes


@pytest.mark.parametrize("make", [_two_layers, lambda device: Attention(4, 2, device=device), lambda device: nn.LayerNorm(4).to(device)])
def test_cpu_and_meta_peak_alike(make: Callable[[str], nn.Module]) -> None:
    assert peak(make("cpu"), [torch.zeros(2, 3, 4)]) == peak(make("meta"), [torch.zeros(2, 3, 4, device="meta")])


TABLE = torch.nn.Parameter(torch.zeros(100, 50))
PLACES = torch.zeros(30, 50, dtype=torch.long)


@pytest.mark.parametrize(
    ("fn", "given"),
    [
        (lambda x: x.gather(0, PLACES).exp(), PLACES.nbytes),
        (lambda x: x.topk(20, 0).values.exp(), 0),
        (lambda _: TABLE[PLACES[:, 0]].exp(), PLACES.nbytes),
        (lambda x: (h := x.exp()).sin() + h.cos() + h.tanh(), 0),
    ],
    ids=["gather", "topk", "index", "sums"],
)
def test_the_peak_is_that_of_the_allocator_when_nobody_watches(fn: Callable[[Tensor], Tensor], given: int) -> None:
    """Derivatives that scatter do so in place, which they do not where torch sees that it is watched."""
    x = torch.ones(100, 50, requires_grad=True)
    measured = peak(fn, [x], parameters=[TABLE])
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiled:
        out = fn(x)
        out.backward(torch.ones_like(out))
    changes = [(event.start_ns(), event.nbytes()) for event in profiled.profiler.kineto_results.events() if event.name() == "[memory]"]
    allocated = max(accumulate(change for _, change in sorted(changes)))
    TABLE.grad = None
    assert measured.bytes - x.nbytes - given == allocated - measured.gradient_bytes
