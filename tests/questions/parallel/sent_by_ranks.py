"""What each process of a group sends in a training step of a module that is divided. `test_sent.py` runs it once for each process.

Tensors are counted as PyTorch hands them to the process group, whoever calls it: of k processes, which are taken to form a ring, each sends
(k - 1) / k of what is gathered or scattered, twice that of a sum, and all of what is sent to another. Losses and gradients are compared
with those of the undivided module, so that what is counted is enough for a right step.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import Counter
from fractions import Fraction
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleInterleaved1F1B
from torch.distributed.tensor import DTensor
from torch.nn import functional as F  # noqa: N812
from torch.nn.parallel import DistributedDataParallel
from torch.utils._python_dispatch import TorchDispatchMode

BATCH, TOKENS = 2, 8


class SentBytes(TorchDispatchMode):
    """Counts the bytes of floating point numbers that this process sends."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: Counter[str] = Counter()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Count what a collective is given, and run it."""
        name = str(func).split(".")[1] if str(func).startswith("c10d.") else ""
        if name:
            first = _floats(args[0])
            share = Fraction(dist.get_world_size() - 1, dist.get_world_size())
            # Of a gathering the first argument is the whole that comes of it, of a scattering the second what is divided.
            sent = {"allreduce_": 2 * share * first, "_allgather_base_": share * first, "send": first}
            sent["_reduce_scatter_base_"] = share * _floats(args[1]) if name == "_reduce_scatter_base_" else 0
            if name == "alltoall_base_":  # into the first what is divided of the second, but for this process's own part
                parts = args[4] if len(args) > 4 and args[4] else [1] * dist.get_world_size()
                sent[name] = _floats(args[1]) * (1 - Fraction(parts[dist.get_rank()], max(sum(parts), 1)))
            if name not in sent and first and name not in ("recv_", "recv_any_source_", "broadcast_", "barrier"):
                raise AssertionError(f"{name} is not counted")
            self.sent[name] += int(sent.get(name, 0))
        return func(*args, **(kwargs or {}))

    @property
    def all(self) -> int:
        """All of them."""
        return sum(self.sent.values())


def _floats(argument: Any) -> int:
    tensors = [argument] if isinstance(argument, Tensor) else list(argument) if isinstance(argument, list | tuple) else []
    return sum(x.numel() * x.element_size() for x in tensors if isinstance(x, Tensor) and x.is_floating_point())


# ---- tensor parallel groups, as Megatron divides them (Shoeybi et al. 2019, Korthikanti et al. 2022) -------------------------------------


def gathered(x: Tensor) -> Tensor:
    """Return the tokens of all processes, [b, n/k, d] -> [b, n, d]."""
    flat = x.movedim(1, 0).contiguous()
    found = flat.new_empty(flat.shape[0] * dist.get_world_size(), *flat.shape[1:])
    dist.all_gather_into_tensor(found, flat)
    return found.movedim(0, 1)


def scattered(x: Tensor) -> Tensor:
    """Return the sum over processes of this one's tokens, [b, n, d] -> [b, n/k, d]."""
    flat = x.movedim(1, 0).contiguous()
    found = flat.new_empty(flat.shape[0] // dist.get_world_size(), *flat.shape[1:])
    dist.reduce_scatter_tensor(found, flat)
    return found.movedim(0, 1)


def summed(x: Tensor) -> Tensor:
    """Return the sum over processes."""
    found = x.contiguous().clone()
    dist.all_reduce(found)
    return found


class Columns(torch.autograd.Function):
    """Matrices that read the same, divided by their results. Where tokens are divided, what they read is gathered twice."""

    @staticmethod
    def forward(ctx: Any, sequence: bool, x: Tensor, *weights: Tensor) -> tuple[Tensor, ...]:
        ctx.sequence = sequence
        ctx.save_for_backward(x, *weights)
        whole = gathered(x) if sequence else x
        return tuple(F.linear(whole, weight) for weight in weights)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Any, ...]:
        x, *weights = ctx.saved_tensors
        whole = gathered(x) if ctx.sequence else x
        of_x = sum(gradient @ weight for gradient, weight in zip(gradients, weights, strict=True))
        of_weights = [gradient.flatten(0, 1).T @ whole.flatten(0, 1) for gradient in gradients]
        return None, scattered(of_x) if ctx.sequence else summed(of_x), *of_weights


class Sums(torch.autograd.Function):
    """The sum over processes of what each has a part of; by tokens divided, each gets those of its own."""

    @staticmethod
    def forward(ctx: Any, sequence: bool, x: Tensor) -> Tensor:
        ctx.sequence = sequence
        return scattered(x) if sequence else summed(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Any, ...]:
        return None, gathered(gradient) if ctx.sequence else gradient


class ColumnGroup:
    """Linear layers that read the same: the first that is called works for all."""

    def __init__(self, layers: list[nn.Linear], *, sequence: bool) -> None:
        self.sequence = sequence
        self.weights = [nn.Parameter(own(layer.weight, 0)) for layer in layers]
        self.results: list[Tensor] = []

    def result(self, place: int, x: Tensor) -> Tensor:
        if place == 0:
            self.results = list(Columns.apply(self.sequence, x, *self.weights))
        return self.results[place]


def own(weight: Tensor, dim: int) -> Tensor:
    return weight.detach().chunk(dist.get_world_size(), dim)[dist.get_rank()].clone()


def divide(module: nn.Module, *, sequence: bool) -> dict[str, Tensor]:
    """Divide a model in place over a tensor parallel group; return the weights of this process by name."""
    found: dict[str, Tensor] = {}

    def columns(path: str, around: nn.Module, *names: str) -> None:
        group = ColumnGroup([getattr(around, name) for name in names], sequence=sequence)
        for place, name in enumerate(names):
            getattr(around, name).forward = lambda x, place=place: group.result(place, x)
            found[f"{path}{name}"] = group.weights[place]

    def rows(path: str, around: nn.Module, name: str) -> None:
        weight = found[f"{path}{name}"] = nn.Parameter(own(getattr(around, name).weight, 1))
        getattr(around, name).forward = lambda x: Sums.apply(sequence, F.linear(x, weight))

    for number, block in enumerate(module.blocks):
        attention, world = block.attention, dist.get_world_size()
        attention.num_heads, attention.g = attention.num_heads // world, attention.g // world
        columns(f"blocks.{number}.attention.", attention, "q", "k", "v")
        rows(f"blocks.{number}.attention.", attention, "out")
        columns(f"blocks.{number}.mlp.", block.mlp, "gate", "up")
        rows(f"blocks.{number}.mlp.", block.mlp, "down")
    columns("", module, "logits")
    table = found["token_embedding"] = nn.Parameter(own(module.token_embedding.weight, 0))
    first = dist.get_rank() * table.shape[0]

    def look_up(tokens: Tensor) -> Tensor:
        inside = (tokens >= first) & (tokens < first + table.shape[0])
        return Sums.apply(sequence, F.embedding((tokens - first).clamp(0, table.shape[0] - 1), table) * inside[..., None])

    module.token_embedding.forward = look_up
    return found


# ---- ring attention (Liu et al. 2023) ----------------------------------------------------------------------------------------------------


def passed_on(*tensors: Tensor) -> list[Tensor]:
    """Send tensors to the next process, and return those of the one before."""
    world, rank = dist.get_world_size(), dist.get_rank()
    found = [torch.empty(x.shape) for x in tensors]
    handles = [dist.isend(x.contiguous(), (rank + 1) % world) for x in tensors]
    for x in found:
        dist.recv(x, (rank - 1) % world)
    for handle in handles:
        handle.wait()
    return found


class RingAttention(torch.autograd.Function):
    """Causal attention of this process's queries [b, g, r, n/k, e]; keys and values [b, g, 1, n/k, e] of the others come around."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        scores, values, turning = [], [], [k, v]
        for turn in range(dist.get_world_size()):
            turning = passed_on(*turning) if turn else turning
            scores.append(_scores(q, turning[0], turn))
            values.append(turning[1])
        log_sum = torch.cat(scores, -1).logsumexp(-1, keepdim=True)
        out = sum((one - log_sum).exp() @ value for one, value in zip(scores, values, strict=True))
        ctx.save_for_backward(q, k, v, out, log_sum)
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        q, k, v, out, log_sum = ctx.saved_tensors
        of_q, turning, gradients = torch.zeros_like(q), [k, v], [torch.zeros_like(k), torch.zeros_like(v)]
        along = (gradient * out).sum(-1, keepdim=True)
        for turn in range(dist.get_world_size()):
            if turn:
                turning, gradients = passed_on(*turning), passed_on(*gradients)
            weights = (_scores(q, turning[0], turn) - log_sum).exp()
            of_scores = weights * (gradient @ turning[1].transpose(-2, -1) - along) * q.shape[-1] ** -0.5
            of_q += of_scores @ turning[0]
            gradients[0] = gradients[0] + (of_scores.transpose(-2, -1) @ q).sum(2, keepdim=True)
            gradients[1] = gradients[1] + (weights.transpose(-2, -1) @ gradient).sum(2, keepdim=True)
        return of_q, *passed_on(*gradients)  # which are at home but for one step


def _scores(q: Tensor, k: Tensor, turn: int) -> Tensor:
    """Return the scores of this process's queries with the keys that have come so many steps, hidden where they are later."""
    world, rank, tokens = dist.get_world_size(), dist.get_rank(), q.shape[-2]
    places = torch.arange(tokens)
    later = places + tokens * ((rank - turn) % world) > places[:, None] + tokens * rank
    return (q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5).masked_fill(later, float("-inf"))


def ring_attention(q: Tensor, k: Tensor, v: Tensor, **_: object) -> Tensor:
    """Stand for `scaled_dot_product_attention` with grouped heads."""
    grouped = RingAttention.apply(q.unflatten(1, (k.shape[1], -1)), k[:, :, None], v[:, :, None])
    return grouped.flatten(1, 2)


# ---- the tasks ---------------------------------------------------------------------------------------------------------------------------


class Tasks:
    """Each divides a new module in its own way, and runs a step of it."""

    def __init__(self, code: str, name: str, sizes: dict[str, int]) -> None:
        spec = importlib.util.spec_from_file_location("generated", code)
        assert spec is not None
        assert spec.loader is not None
        self.code = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.code)
        self.name, self.sizes = name, sizes
        torch.manual_seed(1)
        self.tokens = torch.randint(0, sizes["vocab_size"], (BATCH, TOKENS))
        reference = self.module()
        loss = _loss(reference(self.tokens))
        loss.backward()
        self.loss = loss.detach()
        self.gradients = {name.removesuffix(".weight"): weight.grad for name, weight in reference.named_parameters()}

    def module(self, recompute: str = "none") -> nn.Module:
        """Return the module with the same weights each time."""
        torch.manual_seed(0)
        built: nn.Module = getattr(self.code, self.name)(recompute=recompute, **self.sizes)
        return built

    def compare(self, found: dict[str, Tensor], loss: Tensor) -> None:
        """Raise AssertionError unless the loss and all gradients are those of the undivided module."""
        torch.testing.assert_close(loss.detach(), self.loss, rtol=1e-4, atol=1e-4)
        for name, gradient in found.items():
            torch.testing.assert_close(gradient, self.gradients[name], rtol=1e-3, atol=1e-4)

    def tensor(self, *, sequence: bool, recompute: str = "none") -> int:
        """A tensor parallel group."""
        module = self.module(recompute)
        weights = divide(module, sequence=sequence)
        with SentBytes() as counter:
            loss = _loss(module(self.tokens))
            loss.backward()
        whole = {}
        for name, weight in weights.items():
            dim = 1 if name.endswith(("out", "down")) else 0
            parts = [torch.empty_like(weight.grad) for _ in range(dist.get_world_size())]
            dist.all_gather(parts, weight.grad)
            whole[name] = torch.cat(parts, dim)
        self.compare(whole, summed(loss.detach()))
        return counter.all

    def context(self, recompute: str = "none") -> int:
        """The tokens of each sample divided."""
        module, world, rank = self.module(recompute), dist.get_world_size(), dist.get_rank()
        for block in module.blocks:
            block.attention.angles = block.attention.angles[:, rank * TOKENS // world :]
        self.code.F = _Patched()
        with SentBytes() as counter:
            loss = _loss(module(self.tokens.chunk(world, 1)[rank]))
            loss.backward()
        self.code.F = F
        gradients = {name.removesuffix(".weight"): summed(weight.grad) for name, weight in module.named_parameters()}
        self.compare(gradients, summed(loss.detach()))
        return counter.all

    def replicas(self) -> dict[str, int]:
        """Replicas that divide nothing, and all (FSDP), each with all samples."""
        plain = DistributedDataParallel(self.module())
        with SentBytes() as counter:
            plain(self.tokens).pow(2).sum().backward()
        found = {"zero0": counter.all}
        module, mesh = self.module(), init_device_mesh("cpu", (dist.get_world_size(),))
        for zero in (2, 3):
            module = self.module()
            for layer in module.blocks:
                fully_shard(layer, mesh=mesh, reshard_after_forward=zero == 3)
            fully_shard(module, mesh=mesh, reshard_after_forward=zero == 3)
            with SentBytes() as counter:
                loss = _loss(module(self.tokens))
                loss.backward()
            gradients = {
                name.removesuffix(".weight"): weight.grad.full_tensor()
                for name, weight in module.named_parameters()
                if isinstance(weight.grad, DTensor)
            }
            self.compare(gradients, loss)
            found[f"zero{zero}"] = counter.all
        return found

    def pipeline(self, micro: int, pieces: int = 1) -> dict[str, int]:
        """Stages of one forward and one backward pass in turn, each of so many pieces with as many layers; microbatches have one sample."""
        whole, world, rank = self.module(), dist.get_world_size(), dist.get_rank()
        count = world * pieces
        layers = len(whole.blocks) // count
        numbers = range(rank, count, world)
        stages = [nn.Sequential(*_piece(whole, number, count, layers)) for number in numbers]
        held = _Held(stages)
        told = [PipelineStage(stage, number, count, torch.device("cpu")) for number, stage in zip(numbers, stages, strict=True)]

        def loss_fn(x: Tensor, _: Tensor) -> Tensor:
            return micro * _loss(x)

        plain = pieces == 1
        schedule = Schedule1F1B(told[0], micro, loss_fn=loss_fn) if plain else ScheduleInterleaved1F1B(told, micro, loss_fn=loss_fn)
        tokens = self.tokens.repeat(micro // BATCH, 1)
        losses: list[Tensor] = []
        first = (tokens,) if rank == 0 else ()
        last = {"target": tokens, "losses": losses} if rank == world - 1 else {}
        schedule.step(*first, **last)  # the first time it also tells the shapes
        whole.zero_grad()
        losses.clear()
        held.now = held.most = 0
        with SentBytes() as counter:
            schedule.step(*first, **last)
        gradients = {name: weight.grad for name, weight in whole.named_parameters() if weight.grad is not None}
        for name, gradient in gradients.items():
            torch.testing.assert_close(gradient / (micro // BATCH), self.gradients[name.removesuffix(".weight")], rtol=1e-3, atol=1e-4)
        weights = [weight for stage in stages for weight in stage.parameters()]
        assert len(gradients) == len(weights)
        return {"sent": counter.all, "in_flight": held.most, "parameters": sum(x.numel() for x in weights)}


def _piece(whole: nn.Module, number: int, count: int, layers: int) -> list[nn.Module]:
    """Return the modules of one of so many pieces of a model."""
    own_layers = whole.blocks[number * layers : (number + 1) * layers]
    return [whole.token_embedding] * (number == 0) + [*own_layers] + [whole.final_norm, whole.logits] * (number == count - 1)


class _Held:
    """Counts the microbatches of which pieces of a stage have run forward and not yet backward."""

    def __init__(self, pieces: list[nn.Sequential]) -> None:
        self.now = self.most = 0
        for piece in pieces:
            piece.register_forward_hook(self._forward)

    def _forward(self, _: nn.Module, __: Any, result: Tensor) -> None:
        self.now += 1
        self.most = max(self.most, self.now)
        result.register_hook(self._backward)

    def _backward(self, _: Tensor) -> None:
        self.now -= 1


class _Patched:
    """`torch.nn.functional` with attention around a ring."""

    scaled_dot_product_attention = staticmethod(ring_attention)

    def __getattr__(self, name: str) -> Any:
        return getattr(F, name)


def _loss(logits: Tensor) -> Tensor:
    return logits.pow(2).sum()


def main(task: dict[str, Any]) -> None:
    """Run all tasks, and print what this process sends in each."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{task['meeting']}", rank=task["rank"], world_size=task["world"])
    tasks = Tasks(task["code"], task["name"], task["sizes"])
    found: dict[str, Any] = {
        "tensor": tasks.tensor(sequence=False),
        "sequence": tasks.tensor(sequence=True),
        "tensor again": tasks.tensor(sequence=False, recompute="blocks"),
        "sequence again": tasks.tensor(sequence=True, recompute="blocks"),
        "context": tasks.context(),
        "context again": tasks.context("blocks"),
        **tasks.replicas(),
        "pipeline": tasks.pipeline(task["micro"]),
        "interleaved": tasks.pipeline(task["micro"], task["pieces"]),
    }
    dist.barrier()
    dist.destroy_process_group()
    print(json.dumps(found))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
