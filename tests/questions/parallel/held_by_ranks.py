"""What each process of a group holds of a module that PyTorch has divided. `test_parallel.py` runs it once for each process."""

from __future__ import annotations

import json
import sys
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.distributed.tensor.placement_types import Replicate

from generator.api import load

STYLES: dict[str, Any] = {
    "COLUMN": ColwiseParallel,
    "ROW": RowwiseParallel,
    "WORDS embedding": lambda: RowwiseParallel(input_layouts=Replicate()),
    "WORDS linear": ColwiseParallel,
}


def held(module: nn.Module) -> int:
    """Return how many numbers of its parameters this process holds."""
    parts = [weight.to_local() if isinstance(weight, DTensor) else weight for weight in module.parameters()]
    return sum(part.numel() for part in parts)


def main(task: dict[str, Any]) -> None:
    """Divide a module as the task says, train one step where its replicas are divided, and print what this process holds."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{task['meeting']}", rank=task["rank"], world_size=task["world"])
    mesh = init_device_mesh("cpu", (task["world"],))
    torch.manual_seed(0)
    module = load(task["spec"]).module(**task["sizes"])
    found = {}
    if task["how"] == "data":
        for layer in module.blocks:
            fully_shard(layer, mesh=mesh)
        fully_shard(module, mesh=mesh)
        optimiser = torch.optim.AdamW(module.parameters())
        module(torch.randint(0, 8, (2, 4))).sum().backward()
        optimiser.step()
        states = [x for state in optimiser.state.values() for x in state.values() if x.ndim]
        found["states"] = sum((x.to_local() if isinstance(x, DTensor) else x).numel() for x in states)
        gradients = [weight.grad for weight in module.parameters()]
        found["gradients"] = sum((x.to_local() if isinstance(x, DTensor) else x).numel() for x in gradients)
    else:
        layers = range(task["sizes"]["L"])
        for path, style in task["places"].items():
            names = [path.replace("blocks.", f"blocks.{number}.", 1) for number in layers] if path.startswith("blocks.") else [path]
            for name in names:
                parallelize_module(module, mesh, {name: STYLES[style]()})
    found["parameters"] = held(module)
    dist.barrier()
    dist.destroy_process_group()
    print(json.dumps(found))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
