"""What each process of a group sends in a step of a mixture whose experts are divided among them. `test_experts.py` runs it for each.

Tokens are handed to the processes of their experts and back by PyTorch's all-to-all; a router that spreads them evenly stands for the
learned choice, whose probabilities still weigh the results. Losses and gradients are compared with those of the undivided module.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from tests.questions.parallel.sent_by_ranks import SentBytes, summed

BATCH, TOKENS = 2, 8


class AllToAll(torch.autograd.Function):
    """Rows [sum(send), d] -> [sum(receive), d]: the first of them to the first process, and so on; gradients go back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, send: list[int], receive: list[int]) -> Tensor:
        ctx.send, ctx.receive = send, receive
        found = x.new_empty(sum(receive), x.shape[1])
        dist.all_to_all_single(found, x.contiguous(), receive, send)
        return found

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Any, ...]:
        found = gradient.new_empty(sum(ctx.send), gradient.shape[1])
        dist.all_to_all_single(found, gradient.contiguous(), ctx.send, ctx.receive)
        return found, None, None


def spread_evenly(router: nn.Module, count: int, each: int) -> None:
    """Let tokens choose so many experts each in turn, whatever they hold."""

    def forward(x: Tensor) -> tuple[Tensor, Tensor]:
        chosen = (torch.arange(x.shape[:-1].numel() * each) % count).view(*x.shape[:-1], each)
        return chosen, router.logits(x).softmax(-1).gather(-1, chosen)

    router.forward = forward


def divide(mixture: nn.Module) -> None:
    """Keep the experts of this process alone, and let tokens go to those of others."""
    world, rank, count = dist.get_world_size(), dist.get_rank(), len(mixture.experts)
    here = count // world
    mixture.experts = nn.ModuleList(mixture.experts[rank * here : (rank + 1) * here])

    def forward(x: Tensor) -> Tensor:
        chosen, gates = (one.flatten(0, -2) for one in mixture.routing(x))
        tokens, order = x.flatten(0, -2), chosen.flatten().argsort(stable=True)
        token = order // chosen.shape[-1]
        leave = chosen.flatten().bincount(minlength=count)
        arrive = torch.empty_like(leave)
        dist.all_to_all_single(arrive, leave)
        send, receive = (numbers.view(world, here).sum(1).tolist() for numbers in (leave, arrive))
        come = AllToAll.apply(tokens[token], send, receive)
        expert_of = torch.arange(here).repeat(world).repeat_interleave(arrive)
        made = torch.zeros_like(come)
        for number, expert in enumerate(mixture.experts):
            (places,) = torch.where(expert_of == number)
            made = made.index_add(0, places, expert(come[places].unsqueeze(0)).squeeze(0))
        back = AllToAll.apply(made, receive, send)
        mixed = torch.zeros_like(tokens).index_add(0, token, back * gates.flatten()[order, None])
        return mixed.unflatten(0, x.shape[:-1])

    mixture.forward = forward


def main(task: dict[str, Any]) -> None:
    """Run a step divided and undivided, compare them, and print what this process sends and holds."""
    torch.set_num_threads(1)
    world, rank, sizes = task["world"], task["rank"], task["sizes"]
    dist.init_process_group("gloo", init_method=f"file://{task['meeting']}", rank=rank, world_size=world)
    spec = importlib.util.spec_from_file_location("generated", task["code"])
    assert spec is not None
    assert spec.loader is not None
    code = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(code)
    built = []
    for _ in range(2):
        torch.manual_seed(0)
        module = code.Mixtral(**sizes)
        for block in module.blocks:
            spread_evenly(block.mlp.routing, sizes["num_experts"], sizes["top_k"])
        built.append(module)
    whole, own = built
    for block in own.blocks:
        divide(block.mlp)
    tokens = torch.randint(0, sizes["vocab_size"], (world * BATCH, TOKENS), generator=torch.Generator().manual_seed(1))
    expected = whole(tokens).pow(2).sum()
    expected.backward()
    with SentBytes() as counter:
        loss = own(tokens.chunk(world)[rank]).pow(2).sum()
        loss.backward()
    torch.testing.assert_close(summed(loss.detach()), expected.detach(), rtol=1e-4, atol=1e-4)
    here = sizes["num_experts"] // world
    gradients = {name: weight.grad for name, weight in whole.named_parameters()}
    for name, weight in own.named_parameters():
        before, dot, after = name.partition(".experts.")
        if dot:
            number, _, rest = after.partition(".")
            torch.testing.assert_close(weight.grad, gradients[f"{before}.experts.{int(number) + rank * here}.{rest}"], rtol=1e-3, atol=1e-4)
        else:
            torch.testing.assert_close(summed(weight.grad), gradients[name], rtol=1e-3, atol=1e-4)
    print(json.dumps({"sent": counter.all, "parameters": sum(weight.numel() for weight in own.parameters())}))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
