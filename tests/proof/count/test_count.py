"""`count` on modules that were not written here, against what PyTorch itself says of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
from torch import Tensor, nn  # noqa: E402
from torch.nn.attention import SDPBackend, sdpa_kernel  # noqa: E402
from torch.utils._pytree import tree_leaves  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

import archsheet  # noqa: E402
from generator.proof.count.count_result import Counted  # noqa: E402
from tests.support.public import needs_transformers  # noqa: E402

Case = tuple[nn.Module, Any]


def floats(*shape: int) -> Tensor:
    return torch.randn(shape, requires_grad=True)


def ids(*shape: int) -> dict[str, Tensor]:
    return {"input_ids": torch.randint(0, 50, shape)}


TORCH: dict[str, Callable[[], Case]] = {
    "encoder": lambda: (nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2), floats(2, 3, 8)),
    "decoder layer": lambda: (nn.TransformerDecoderLayer(8, 2, 16), [floats(4, 3, 8), floats(5, 3, 8)]),
    "attention": lambda: (nn.MultiheadAttention(8, 2), [floats(2, 3, 8), floats(4, 3, 8), floats(4, 3, 8)]),
    "gru": lambda: (nn.GRU(4, 5, 2, bidirectional=True), floats(3, 2, 4)),
    "rnn": lambda: (nn.RNN(4, 5), floats(3, 2, 4)),
    "lstm cell": lambda: (nn.LSTMCell(4, 5), floats(2, 4)),
    "convolutions": lambda: (
        nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.ConvTranspose2d(4, 2, 2)),
        floats(2, 3, 6, 6),
    ),
    "volumes": lambda: (nn.Sequential(nn.Conv3d(2, 3, 2), nn.MaxPool3d(2), nn.Flatten(), nn.LazyLinear(4)), floats(2, 2, 5, 5, 5)),
    "signals": lambda: (nn.Sequential(nn.Conv1d(3, 4, 3, padding=1), nn.GroupNorm(2, 4), nn.PReLU(), nn.AvgPool1d(2)), floats(2, 3, 8)),
    "classes": lambda: (
        nn.Sequential(nn.Embedding(9, 4), nn.Flatten(), nn.Linear(12, 9), nn.LogSoftmax(-1)),
        torch.zeros(2, 3, dtype=torch.int64),
    ),
}


def bert() -> Case:
    from transformers import BertConfig, BertModel

    return BertModel(BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32)), ids(2, 6)


def gpt2() -> Case:
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(vocab_size=50, n_embd=16, n_layer=2, n_head=2, bos_token_id=1, eos_token_id=1)
    return GPT2LMHeadModel(config), ids(2, 6)


def llama() -> Case:
    from transformers import LlamaConfig, LlamaModel

    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 32}
    return LlamaModel(LlamaConfig(vocab_size=50, **sizes)), ids(2, 6)


def t5() -> Case:
    from transformers import T5Config, T5Model

    config = T5Config(vocab_size=50, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2)
    return T5Model(config), {**ids(2, 6), "decoder_input_ids": ids(2, 4)["input_ids"]}


def vit() -> Case:
    from transformers import ViTConfig, ViTModel

    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    return ViTModel(ViTConfig(image_size=16, patch_size=8, **sizes)), floats(2, 3, 16, 16)


def mixtral(*, experts: str = "eager") -> Case:
    from transformers import MixtralConfig, MixtralModel

    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 32}
    torch.manual_seed(0)
    model = MixtralModel(MixtralConfig(vocab_size=50, num_local_experts=4, **sizes))
    model.set_experts_implementation(experts)
    return model, {"input_ids": torch.arange(12).view(2, 6)}


def timm(name: str, size: int, **options: Any) -> Callable[[], Case]:
    def build() -> Case:
        from generator.proof.verify.references.timm_models import import_timm

        return import_timm().create_model(name, num_classes=10, **options), floats(1, 3, size, size)

    return build


TRANSFORMERS: dict[str, Callable[[], Case]] = {"bert": bert, "gpt2": gpt2, "llama": llama, "t5": t5, "vit": vit, "mixtral": mixtral}
TIMM: dict[str, Callable[[], Case]] = {
    "resnet18": timm("resnet18", 64),
    "vit_tiny": timm("vit_tiny_patch16_224", 32, img_size=32, depth=2),
    "mixer": timm("mixer_s16_224", 32, img_size=32),
    "swin": timm("swin_tiny_patch4_window7_224", 56, img_size=56, depths=(2, 2), num_heads=(3, 6)),
}
CASES = [
    *(pytest.param(build, id=name) for name, build in TORCH.items()),
    *(pytest.param(build, id=name, marks=[pytest.mark.slow, needs_transformers]) for name, build in TRANSFORMERS.items()),
    *(pytest.param(build, id=name, marks=pytest.mark.slow) for name, build in TIMM.items()),
]


@dataclass
class ByTorch:
    """What PyTorch's own counter says: by submodule forward, and in total backward; and the bytes that autograd keeps."""

    forward: Mapping[str, int]
    backward: int
    saved: int


def called(module: nn.Module, inputs: Any) -> list[Tensor]:
    out = module(**inputs) if isinstance(inputs, Mapping) else module(*inputs) if isinstance(inputs, list) else module(inputs)
    return [one for one in tree_leaves(out) if isinstance(one, Tensor)]


@contextmanager
def in_parts() -> Iterator[None]:
    """Attention by matrix products, as PyTorch's counter says 0 of its fused attention on CPU."""
    with sdpa_kernel(SDPBackend.MATH):
        yield


def by_torch(module: nn.Module, inputs: Any) -> ByTorch:
    owned = {one.untyped_storage().data_ptr() for one in (*module.parameters(), *module.buffers())}
    saved: dict[int, tuple[int, Any]] = {}

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in owned:
            saved[storage.data_ptr()] = (storage.nbytes(), storage)  # held, so that its place is not given to another
        return tensor

    torch.manual_seed(0)
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        called(module, inputs)
    forward, backward = FlopCounterMode(display=False), FlopCounterMode(display=False)
    torch.manual_seed(0)
    with in_parts(), forward:
        outputs = [one for one in called(module, inputs) if one.requires_grad]
    with backward:
        torch.autograd.backward(outputs, [torch.ones_like(one) for one in outputs])
    head = type(module).__name__
    flops = {name: sum(ops.values()) for name, ops in forward.get_flop_counts().items()}
    by_path = {name.removeprefix(f"{head}."): flops[name] for name in flops if name.startswith(f"{head}.")}
    return ByTorch({**by_path, "": forward.get_total_flops()}, backward.get_total_flops(), sum(size for size, _ in saved.values()))


@pytest.mark.parametrize("build", CASES)
def test_flops_and_what_is_kept_are_what_pytorch_says(build: Callable[[], Case]) -> None:
    torch.manual_seed(0)
    module, inputs = build()
    found = archsheet.count(module, inputs)
    truth = by_torch(module, inputs)
    assert not found.uncounted
    counted = {one.path: one.counts["matmul_flops"] for one in found.tree.walk() if one.same_as is None}
    assert {path: counted[path] for path in truth.forward} == truth.forward  # what is never called, such as a list, is a sum
    assert (found.backward_matmul_flops, found.saved_bytes) == (truth.backward, truth.saved)
    assert found.params == sum(one.numel() for one in module.parameters())
    for key in ("backward_matmul_flops", "saved_elements", "traffic_elements", "vector_flops", "macs"):
        assert sum(_own(one, key) for one in found.tree.walk()) == found.value(key)
    assert found.matmul_flops == 2 * (found.macs or 0)


def _own(one: Any, key: str) -> int:
    return int(one.counts[key] - sum(part.counts[key] for part in one.parts))


@pytest.mark.parametrize(
    "build", [TORCH["decoder layer"], TORCH["convolutions"], TORCH["gru"]], ids=["decoder layer", "convolutions", "gru"]
)
def test_each_submodule_has_its_own_part_of_the_backward_pass(build: Callable[[], Case]) -> None:
    """What PyTorch counts backward where one submodule after the other is left without gradients of weights tells their parts."""
    torch.manual_seed(0)
    module, inputs = build()
    found = archsheet.count(module, inputs)
    for one in found.tree.walk():
        frozen = [parameter for name, parameter in module.named_parameters() if name.rpartition(".")[0] == one.path]
        if not frozen or not one.calls:  # the weights of what is never called are the work of the module around it
            continue
        before = by_torch(module, inputs).backward
        for parameter in frozen:
            parameter.requires_grad_(requires_grad=False)
        less = archsheet.count(module, inputs)
        assert before - by_torch(module, inputs).backward == _backward(found, one.path) - _backward(less, one.path)
        for parameter in frozen:
            parameter.requires_grad_()


def _backward(found: Counted, path: str) -> int:
    return next(one.counts["backward_matmul_flops"] for one in found.tree.walk() if one.path == path)


def mamba() -> Case:
    from transformers import MambaConfig, MambaModel

    return MambaModel(MambaConfig(vocab_size=50, hidden_size=16, num_hidden_layers=2, state_size=4)), ids(2, 6)


@pytest.mark.slow
@needs_transformers
@pytest.mark.parametrize(
    "build", [mamba, timm("efficientnet_b0", 32), timm("convnext_atto", 32, depths=(1, 1, 1, 1))], ids=["mamba", "efficientnet", "convnext"]
)
def test_convolutions_in_groups_cost_twice_as_much_backward_and_not_more(build: Callable[[], Case]) -> None:
    """PyTorch's counter takes their weight gradients for those of one group; here each operand of each contraction has a gradient."""
    torch.manual_seed(0)
    module, inputs = build()
    module.train()
    if not isinstance(inputs, dict):
        inputs = floats(2, *inputs.shape[1:])  # batch norms want two images
    found = archsheet.count(module, inputs)
    truth = by_torch(module, inputs)
    assert found.matmul_flops == truth.forward[""]
    assert (found.backward_matmul_flops, found.saved_bytes) == (2 * truth.forward[""], truth.saved)
    assert not found.uncounted


def test_the_example_of_the_documentation_comes_to_what_it_says() -> None:
    text = (Path(__file__).parents[3] / "docs" / "count.md").read_text(encoding="utf-8")
    lines = text[text.index("```python") :].partition("```python\n")[2].partition("```")[0].splitlines()
    names: dict[str, Any] = {}
    for line in lines:
        asked, _, said = line.partition("  # ")
        if said:
            assert eval(asked, names) == eval(said)  # noqa: S307  # of our own text
        else:
            exec(asked, names)  # noqa: S102  # as above


@pytest.mark.slow
@needs_transformers
def test_parameters_are_those_that_are_published() -> None:
    """BERT base: 110 M (Devlin et al., 2019), GPT-2 small as its weights have it, ResNet-18 11.69 M (timm's table of results)."""
    from transformers import BertConfig, BertModel, GPT2Config, GPT2Model

    from generator.proof.verify.references.timm_models import import_timm

    with torch.device("meta"):
        known = [(BertModel(BertConfig()), ids(1, 4), 109_482_240), (GPT2Model(GPT2Config()), ids(1, 4), 124_439_808)]
        known.append((import_timm().create_model("resnet18"), torch.empty(1, 3, 64, 64, device="meta"), 11_689_512))
    for module, inputs, published in known:
        on_meta = {name: x.to("meta") for name, x in inputs.items()} if isinstance(inputs, dict) else inputs
        assert archsheet.count(module, on_meta).params == published


def test_an_lstm_that_is_one_kernel_on_cpu_has_the_flops_of_its_parts() -> None:
    module = nn.LSTM(4, 5, 2, bidirectional=True)
    found = archsheet.count(module, floats(3, 2, 4))
    counter = FlopCounterMode(display=False)
    with counter:
        nn.LSTM(4, 5, 2, bidirectional=True, device="meta")(torch.empty(3, 2, 4, device="meta"))
    assert (found.matmul_flops, found.uncounted) == (counter.get_total_flops(), ())
    assert any("`mkldnn_rnn_layer`" in note for note in found.notes)


def test_the_fast_path_of_an_encoder_layer_is_named_and_counted_in_its_parts() -> None:
    module, x = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), floats(2, 3, 8)
    trained = archsheet.count(module.train(), x)
    fast = archsheet.count(module.eval(), x)
    assert fast.matmul_flops == trained.matmul_flops == by_torch(module.train(), x).forward[""]
    assert any("`_transformer_encoder_layer_fwd`" in note for note in fast.notes)
    assert (fast.backward_matmul_flops, fast.peak_bytes) == (None, None)


@pytest.mark.slow
@needs_transformers
def test_grouped_products_of_experts_are_those_of_one_expert_after_the_other() -> None:
    grouped, one_by_one = (archsheet.count(*mixtral(experts=kind)) for kind in ("grouped_mm", "eager"))
    assert not grouped.uncounted
    for key in ("macs", "matmul_flops", "backward_matmul_flops", "params", "active_params"):
        assert grouped.value(key) == one_by_one.value(key)


@pytest.mark.slow
@needs_transformers
@pytest.mark.parametrize("experts", ["grouped_mm", "eager"])
def test_one_token_reads_the_experts_that_it_chooses(experts: str) -> None:
    module, _ = mixtral(experts=experts)
    found = archsheet.count(module, {"input_ids": torch.tensor([[3]])})
    one_expert = 3 * 16 * 32
    assert found.active_params == (found.params or 0) - 2 * (4 - 2) * one_expert


class Exponential(torch.autograd.Function):
    """A function with a derivative of its own."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return gradient * x.exp()


class Around(nn.Module):
    """A linear layer with anything behind it."""

    def __init__(self, then: Callable[[Tensor], Any], layer: nn.Module | None = None) -> None:
        super().__init__()
        self.layer = layer or nn.Linear(4, 4)
        self.then = then

    def forward(self, x: Tensor) -> Any:
        return self.then(self.layer(x))


@pytest.mark.parametrize(
    ("then", "said"),
    [
        (lambda x: Exponential.apply(x), "`Exponential` is an autograd function"),  # noqa: PLW0108  # a bound method of C
        (lambda x: torch.from_numpy(x.detach().numpy().copy()), "`Tensor.numpy`"),
        (lambda x: x.detach(), "no output depends on anything that requires a gradient"),
        (lambda x: (x, object()), "the output has `object`"),
        (torch.jit.script(nn.ReLU()), "`then` is scripted by TorchScript"),
    ],
    ids=["autograd function", "numpy", "no gradient", "opaque output", "scripted"],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_counters_do_not_see_is_said(then: Callable[[Tensor], Any], said: str) -> None:
    found = archsheet.count(Around(then), torch.ones(2, 4))
    assert any(said in note for note in found.notes)
    assert found.matmul_flops == 2 * 2 * 4 * 4


@torch.library.custom_op("archsheet_tests::product", mutates_args=())
def product(a: Tensor, b: Tensor) -> Tensor:
    """A matrix product of which PyTorch knows nothing, with the name of none."""
    return a @ b


@torch.library.custom_op("archsheet_tests::add", mutates_args=())
def add(a: Tensor, b: Tensor) -> Tensor:
    """The same with the name of an operation that is free of products."""
    return a @ b


@pytest.mark.parametrize("name", ["product", "add"])
def test_an_operation_of_another_package_is_named_and_never_counted_as_nothing(name: str) -> None:
    op = getattr(torch.ops.archsheet_tests, name)
    found = archsheet.count(Around(lambda x: op(x, x.T)), torch.ones(4, 4), mode="inference")
    assert {(one.what, one.quantity) for one in found.uncounted} == {
        (f"archsheet_tests::{name}", key) for key in ("macs", "matmul_flops", "vector_flops")
    }
    assert (found.matmul_flops, found.at_least("matmul_flops")) == (None, 2 * 4 * 4 * 4)


def test_an_operation_without_a_rule_is_named_with_its_submodule() -> None:
    found = archsheet.count(Around(lambda x: x, nn.Bilinear(3, 4, 5)).layer, [floats(2, 3), floats(2, 4)])
    assert {one.what for one in found.uncounted if one.quantity == "matmul_flops"} == {"_trilinear"}
    inside = archsheet.count(Around(lambda x: x, nn.Sequential(nn.Linear(4, 4), Around(torch.linalg.inv))), torch.eye(4))
    assert {one.module for one in inside.uncounted if one.quantity == "matmul_flops"} == {"layer.1"}
    assert inside.to_dict()["matmul_flops"] is None


def test_what_a_checkpoint_keeps_is_not_told_and_its_second_run_is_counted() -> None:
    inner = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
    found = archsheet.count(Around(lambda x: checkpoint(inner, x, use_reentrant=False)), floats(2, 4))
    whole = archsheet.count(Around(inner), floats(2, 4))
    assert (found.saved_elements, found.is_missing("saved_bytes")) == (None, True)
    again = 2 * 2 * 4 * 4  # of its first layer: the second's result is needed by nobody
    assert found.backward_matmul_flops == (whole.backward_matmul_flops or 0) + again


def test_sparse_gradients_leave_the_forward_pass_counted() -> None:
    found = archsheet.count(nn.Embedding(5, 4, sparse=True), torch.zeros(2, dtype=torch.int64))
    assert (found.params, found.matmul_flops, found.backward_matmul_flops) == (20, 0, None)
    assert any("sparse_coo" in one.why for one in found.uncounted)


class Shared(nn.Module):
    """A layer that is called twice under two names, and one that has its weight."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = self.a
        self.c = nn.Linear(4, 4)
        self.c.weight = self.a.weight

    def forward(self, x: Tensor) -> dict[str, Any]:
        return {"last": self.c(self.b(self.a(x))), "more": [x * 2]}


def test_what_is_shared_has_its_parameters_once_and_its_work_each_time() -> None:
    found = archsheet.count(Shared(), floats(2, 4))
    assert (found.params, found.macs) == (4 * 4 + 4 + 4, 3 * 2 * 4 * 4)
    parts = {one.path: (one.same_as, one.calls, one.counts["params"], one.counts["macs"]) for one in found.tree.parts}
    assert parts == {"a": (None, 2, 20, 64), "b": ("a", 0, 0, 0), "c": (None, 1, 4, 32)}
    assert "`c.weight` is `a.weight`: its parameters count once" in found.notes


@dataclass
class Output:
    """An output that PyTorch's trees do not know."""

    first: Tensor
    others: list[Tensor]


def test_the_backward_pass_starts_at_every_tensor_of_a_dataclass() -> None:
    first, *others = (nn.Linear(4, 4) for _ in range(3))

    def backward(parts: list[nn.Module]) -> int:
        return archsheet.count(Around(lambda x: Output(first(x), [layer(x) for layer in parts])), floats(2, 4)).backward_matmul_flops or 0

    assert backward(others) - backward([]) == 2 * 2 * (2 * 2 * 4 * 4)


def test_the_module_is_the_same_afterwards() -> None:
    module = nn.Sequential(nn.BatchNorm1d(4), nn.Dropout(), nn.Linear(4, 2))
    before = {name: value.clone() for name, value in module.state_dict().items()}
    x, state = floats(3, 4), torch.random.get_rng_state()
    archsheet.count(module, x)
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())
    assert all(parameter.grad is None for parameter in module.parameters())
    assert not any(one._forward_hooks or one._forward_pre_hooks for one in module.modules())
    assert torch.equal(state, torch.random.get_rng_state())


class Careless(nn.Module):
    """A module that changes its inputs and itself."""

    def __init__(self) -> None:
        super().__init__()
        self.table: Tensor | None = None

    def forward(self, x: Tensor, seen: list[int]) -> Tensor:
        if self.table is None:
            self.table = torch.arange(4.0).cos()
        seen.append(len(seen))
        return x.mul_(2) + self.table


def test_inputs_are_the_same_in_each_pass_and_afterwards() -> None:
    x, seen = torch.ones(2, 4), [0]
    found = archsheet.count(Careless(), [x, seen])
    assert (seen, x.sum().item()) == ([0], 8)
    assert found.vector_flops == 2 * 2 * 4
    assert "its first run also had `arange` and `cos`; counted are later runs" in found.notes


def test_nested_tensors_are_named() -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    padding = torch.tensor([[False, False, True], [False, False, False]])
    found = archsheet.count(nn.TransformerEncoder(layer, 1).eval(), {"src": torch.ones(2, 3, 8), "src_key_padding_mask": padding})
    assert (found.matmul_flops, found.params) == (None, 600)
    assert any("nested tensor" in one.why for one in found.uncounted)


def test_on_meta_tensors_what_needs_numbers_is_left_out() -> None:
    found = archsheet.count(nn.Linear(4, 5, device="meta"), torch.empty(2, 4, device="meta"))
    assert (found.params, found.matmul_flops, found.saved_elements, found.peak_bytes) == (25, 80, None, None)
    assert found.to_dict()["left_out"]["peak_bytes"] == "measured on tensors that have values, not on the meta device"


def test_an_exception_of_the_module_is_passed_on_and_leaves_no_hooks() -> None:
    module = nn.Sequential(nn.Linear(4, 5))
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        archsheet.count(module, floats(2, 3))
    assert not module[0]._forward_hooks
    with pytest.raises(ValueError, match="unknown mode 'eval'"):
        archsheet.count(module, floats(2, 4), mode="eval")
