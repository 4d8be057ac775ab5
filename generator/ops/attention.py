"""Attention: fused, or written out where PyTorch has no kernel for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from sympy import Expr, Ge, Integer, Rational, floor

from generator.formulas.human import counted
from generator.formulas.places import ALWAYS, Condition, both, compared, index
from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.divisibility import suggested_condition
from generator.ops.mask import laid_over, spread
from generator.ops.params import FLAG, SIZE, Flag
from generator.trace.attention import Scores, float_mask, fused_attention, positions, same_block, written_out
from generator.trace.create import triangle
from generator.trace.hidden import Hides
from generator.trace.tensor import Shape, Tensor


@dataclass(frozen=True)
class Attention(Op):
    """softmax(q k^T / sqrt(e)) v in one kernel that keeps no scores: F.scaled_dot_product_attention (Dao et al., 2022).

    q [b, h, n, e], k and v [b, g, m, e] -> [b, h, n, e]. With fewer heads of keys and values (g divides h) each serves h/g heads of
    queries. MACs: 2*b*h*n*m*e, the full rectangle also where a mask hides some; `visible_matmul_flops` leaves those out. Other operations:
    5 a score, 6 with a mask, and one for each element of q and of the repeated k, which are scaled. Kept for the backward pass: q, k, v,
    the result and one number a query, not the scores; the backward pass is counted without the scores that it computes again.

    causal: query i sees keys 0..i; then n = m. With `offset: m - n` the queries are the last n of m tokens, as in decoding with a cache;
    that takes a mask [n, m] of numbers, which is kept too.
    window: hides keys that are so many tokens or more away: a causal query sees itself and the w - 1 before it. It takes such a mask too.
    documents: several documents of so many tokens stand behind each other, the last may be shorter, and see their own tokens; n = m.
    `in: [q, k, v, hidden]` with a bool tensor, true where a key must not be looked at, [b, m] or with more of the first axes of the scores
    [b, h, n, m], hides those, as `op: mask` does.

    No kernel of PyTorch does the following: with one of them the scores are written out, and kept.
    `in: [q, k, v, bias]` with a float tensor, aligned at the right of [b, h, n, m], is added to the scaled scores.
    soft_cap: scores become c * tanh(scores / c), before bias and mask (Gemma 2).
    sinks: a learnt score for each head, [h] parameters, takes its part of the softmax and has no value (GPT-OSS).
    """

    name: ClassVar[str] = "attention"
    is_bare: ClassVar[bool] = True
    arity: ClassVar[tuple[int, int | None]] = (3, 5)
    input_kinds: ClassVar[tuple[Any, ...] | None] = ("float", "float", "float")

    causal: Flag = param(FLAG, "hide later tokens", default=False)
    offset: Expr | None = param(SIZE, "how many tokens stand before the queries among the keys, such as m - n", default=None)
    scale: Expr | None = param(SIZE, "factor of the scores; e**-0.5 by default", default=None)
    window: Expr | None = param(SIZE, "hide keys that are so many tokens or more away", default=None)
    documents: Expr | None = param(SIZE, "tokens of each document: keys of others are hidden", default=None)
    soft_cap: Expr | None = param(SIZE, "the cap c that makes c * tanh(scores / c) of scores", default=None)
    sinks: Flag = param(FLAG, "learn a score for each head, beside those of the keys", default=False)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Check the shapes, then attend."""
        q, k, v, *others = inputs
        self._check(row, q, k, v)
        shape = (*q.shape[:3], k.shape[2])
        bias, hidden = self._others(row, others, shape)
        is_scaled = not row.same(q.shape[3] if self.scale is None else self.scale, Integer(1))
        if self.causal:
            row.require(Ge(shape[3], shape[2]), option=self.causal.option)
        made = [triangle(row.t, *shape[2:], sides=self._sides)] if self._makes_mask(len(inputs) > 3) else []
        made += [same_block(row.t, shape[2])] if self.documents is not None else []
        seen = positions(row.t, made, hidden)
        if seen is not None:
            row.t.name(seen=seen)
        condition = self._condition(*shape[2:])
        if not self._is_written_out(bias is not None):
            part = row.t.hidden.part(row.t.path, condition, shape, row.t.facts)
            mask = None if seen is None else float_mask(row.t, seen)
            is_hidden = bool(self.causal) or mask is not None
            return fused_attention(row.t, q, k, v, hidden=is_hidden, mask=mask, is_scaled=is_scaled, hides=1 - part)
        how = Scores(
            is_scaled,
            self.soft_cap is not None,
            self.soft_cap is not None and row.same(self.soft_cap, Integer(1)),
            bias,
            seen,
            None if condition == ALWAYS else Hides(condition),
            row.weight("weight", (q.shape[1],)) if self.sinks else None,
        )
        return written_out(row.t, q, k, v, how)

    def _is_written_out(self, has_bias: bool) -> bool:
        return has_bias or self.soft_cap is not None or bool(self.sinks)

    @property
    def _sides(self) -> int:
        """How many diagonals bound what is seen."""
        return 1 if self.window is None else 2

    def _makes_mask(self, has_others: bool) -> bool:
        """Whether the module makes a mask of positions; the kernel by itself knows only that of as many keys as queries."""
        alone = self.offset is None and self.documents is None and not has_others and not self._is_written_out(False)
        return self.window is not None or (bool(self.causal) and not alone)

    def _condition(self, n: Expr, m: Expr) -> Condition:
        """Return which scores [b, h, n, m] positions let be seen."""
        ahead = index(3) - index(2) - (m - n)
        seen = compared("<=", ahead, Integer(0)) if self.causal else ALWAYS
        if self.window is not None:
            seen = both(seen, compared("<", -ahead, self.window))
            seen = seen if self.causal else both(seen, compared("<", ahead, self.window))
        if self.documents is not None:
            seen = both(seen, compared("==", floor(index(2) / self.documents), floor(index(3) / self.documents)))
        return seen

    def _others(self, row: RowScope, others: list[Tensor], scores: Shape) -> tuple[Tensor | None, Tensor | None]:
        """Return the bias and the mask among the further inputs. Raises OpError."""
        found: dict[str, Tensor] = {}
        for x, name in zip(others, row.input_names[3:], strict=True):
            if x.kind not in ("float", "bool") or x.kind in found:
                wrong = f"{name} is another" if x.kind in found else f"{name} holds indices"
                raise OpError(
                    f"`{row.name}` reads, beside queries, keys and values, a bias (numbers) and a mask (dtype: bool), one of each; {wrong}",
                    at="in",
                )
            found[x.kind] = self._bias(row, name, x, scores) if x.kind == "float" else laid_over(row, "the scores", scores, (name, x))
        return found.get("float"), found.get("bool")

    @staticmethod
    def _bias(row: RowScope, name: str, x: Tensor, scores: Shape) -> Tensor:
        """Return a bias with its sizes written as those of the scores. Raises OpError."""
        under = scores[max(0, len(scores) - x.rank) :]
        same = x.rank <= len(scores) and all(a == 1 or row.same(a, b) for a, b in zip(x.shape, under, strict=True))
        if not same:
            raise OpError(
                f"`{row.name}` cannot add {name} to its scores: their shapes do not fit",
                f"{name} is {row.show(x.shape)}; the scores are {row.show(scores)}",
                at="in",
            )
        return replace(x, shape=tuple(a if a == 1 else b for a, b in zip(x.shape, under, strict=True)))

    def _check(self, row: RowScope, q: Tensor, k: Tensor, v: Tensor) -> None:
        self._check_settings(row)
        found = "; ".join(f"{name} is {row.show(x.shape)}" for name, x in zip(row.input_names[:3], (q, k, v), strict=True))
        names = row.input_names[:3]

        def fail(message: str, *notes: str, at: str = "in") -> None:
            raise OpError(message, found, *notes, at=at)

        if any(x.rank != 4 for x in (q, k, v)):
            fail(f"`{row.name}` needs queries, keys and values of four axes: batch, heads, tokens, width")
        if not all(row.same(a, b) for a, b in zip(k.shape, v.shape, strict=True)):
            fail(
                f"`{row.name}` needs keys and values of one shape",
                "for values of another width write the rows out: einsum, softmax, einsum",
            )
        if not (row.same(q.shape[0], k.shape[0]) and row.same(q.shape[3], k.shape[3])):
            fail(f"`{row.name}` compares {names[0]} with {names[1]}, but their batch or width differs")
        if not row.t.facts.divisible(q.shape[1], k.shape[1]):
            heads, groups = row.text(q.shape[1]), row.text(k.shape[1])
            fail(
                f"`{row.name}` shares {counted(groups, 'head')} of keys among {counted(heads, 'head')}",
                *suggested_condition(row, q.shape[1], k.shape[1]),
            )
        if self.causal or self.window is not None or self.documents is not None:
            self._check_positions(row, q, k, found)
        for name, x in zip(names, (q, k, v), strict=True):
            if x.strides[-1] != 1:
                fail(f"`{row.name}` needs the width of {name} to be the fastest axis in memory, which a rearrangement has changed")

    def _check_settings(self, row: RowScope) -> None:
        others = [key for key in ("window", "documents", "soft_cap") if getattr(self, key) is not None]
        others += ["sinks"] if self.sinks else list(row.input_names[3:])
        if self.causal.option is not None and others:
            raise OpError(f"beside `{others[0]}`, `causal` of `{row.name}` is written out: true or false", at="causal")
        if self.sinks.option is not None:
            raise OpError(f"`sinks` of `{row.name}` is written out: true or false", at="sinks")
        if self.documents is not None and self.offset is not None:
            raise OpError(
                f"`{row.name}` has documents, the tokens of which are counted from the first; they take no offset", at="documents"
            )
        for key in ("window", "documents", "soft_cap"):
            size = getattr(self, key)
            if size is not None and size.is_nonpositive:
                raise OpError(f"`{key}` of `{row.name}` must be greater than 0; it is {row.text(size)}", at=key)

    def _check_positions(self, row: RowScope, q: Tensor, k: Tensor, found: str) -> None:
        n, m = q.shape[2], k.shape[2]
        given = n if self.offset is None else n + self.offset
        if not row.same(given, m):
            key = "causal" if self.causal else "window" if self.window is not None else "documents"
            what = {"causal": "is causal", "window": "has a window", "documents": "has documents"}[key]
            raise OpError(
                f"`{row.name}` {what}, but has {row.text(n)} queries for {row.text(m)} keys",
                found,
                *([f"did you mean offset: {row.text(m - n)}?"] if self.documents is None else []),
                at=key if self.offset is None else "offset",
            )
        for key in ("window", "documents"):
            if getattr(self, key) is not None:
                row.require(Ge(row.whole(getattr(self, key), at=key), 1))

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Queries do not see each other; keys are mixed along tokens, and all along the width. A bias or a mask belongs to the scores."""
        if self.documents is not None and operand < 3 and axis == 2:
            return Along.MIXES if operand else Along.COUNTS
        if 0 < operand < 3 and axis == 2 and self.causal:
            return Along.BACK
        return Along.mixing(operand < 3 and (axis == 3 or (operand > 0 and axis == 2)))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The mask, and the arguments of the call or the lines that stand for it."""
        names, has_bias = c.inputs, any(x.kind == "float" for x in c.tensors[3:])
        masks = [spread(name, x.rank, 4) for name, x in zip(names[3:], c.tensors[3:], strict=True) if x.kind == "bool"]
        by_option = self.causal.option is not None
        makes = self._makes_mask(len(names) > 3) or (by_option and self.offset is not None)
        seen = [self._positions(c)] if makes else []
        if self.documents is not None:
            place = f"torch.arange({names[0]}.shape[-2], device={names[0]}.device)"
            w = c.operand(self.documents)
            seen.append(f"({place}[:, None] // {w} == {place} // {w})")
        seen += [f"~{mask}" for mask in masks]
        condition = f" if {c.run_option(self.causal)} else None" if by_option and makes else ""
        common = {"target": c.target, "seen": f"{' & '.join(seen)}{condition}" if seen else None}
        if self._is_written_out(has_bias):
            return {**common, **self._written(c, has_seen=bool(seen))}
        arguments = [f"attn_mask={c.target}_seen"] if seen else []
        if not seen and (self.causal or by_option):
            arguments.append(f"is_causal={c.run_option(self.causal)}")
        if self.scale is not None:
            arguments.append(f"scale={c.size(self.scale)}")
        if c.tensors[0].shape[1] != c.tensors[1].shape[1]:
            arguments.append("enable_gqa=True")
        call = f"F.scaled_dot_product_attention({', '.join([*names[:3], *arguments])})"
        return {**common, "lines": [], "sinks": None, "result": call}

    def _positions(self, c: CodeScope) -> str:
        """Return the mask of positions: ones between diagonals."""
        (q, k), (x, y) = c.inputs[:2], c.tensors[:2]
        n, m = f"{q}.shape[-2]", f"{k}.shape[-2]"
        shift = "" if x.shape[2] == y.shape[2] else f"{m} - {n}"
        text = f"torch.ones({n}, {m}, dtype=torch.bool, device={q}.device)"
        if self.window is None:
            return f"{text}.tril({shift})"
        w = c.operand(self.window)
        ahead = shift if self.causal else f"{shift} + {w} - 1" if shift else f"{w} - 1"
        return f"{text}.tril({ahead}).triu({f'{shift} - {w} + 1' if shift else f'1 - {w}'})"

    def _written(self, c: CodeScope, *, has_seen: bool) -> dict[str, Any]:
        """Return the lines of an attention that is written out."""
        q, k, v = c.inputs[:3]
        scores, weights = f"{c.target}_scores", f"{c.target}_weights"
        factor = c.operand(c.tensors[0].shape[3] ** Rational(-1, 2) if self.scale is None else self.scale)
        biases = [name for name, x in zip(c.inputs[3:], c.tensors[3:], strict=True) if x.kind == "float"]
        if c.tensors[0].shape[1] == c.tensors[1].shape[1]:
            product, result = f"{q} @ {k}.transpose(-2, -1)", f"{weights} @ {v}"
        else:  # heads that share keys stand side by side
            share = f"unflatten(1, ({k}.shape[1], -1))"
            product = f"({q}.{share} @ {k}[:, :, None].transpose(-2, -1)).flatten(1, 2)"
            result = f"({weights}.{share} @ {v}[:, :, None]).flatten(1, 2)"
        lines = [f"{scores} = {product} * {factor}"]
        if self.soft_cap is not None:
            cap = c.operand(self.soft_cap)
            lines.append(f"{scores} = ({scores} / {cap}).tanh() * {cap}")
        lines += [f"{scores} = {scores} + {bias}" for bias in biases]
        if has_seen:
            lines.append(f'{scores} = {scores}.masked_fill(~{c.target}_seen, float("-inf"))')
        if not self.sinks:
            lines.append(f"{weights} = {scores}.softmax(-1)")
            return {"lines": lines, "sinks": None, "result": result}
        sinks = f"self.{c.name}[:, None, None].expand({scores}.shape[0], -1, {scores}.shape[2], 1)"
        lines.append(f"{scores} = torch.cat(({scores}, {sinks}), -1)")
        lines.append(f"{weights}, _ = {scores}.softmax(-1).split(({k}.shape[2], 1), -1)")
        return {"lines": lines, "sinks": c.init(c.tensors[0].shape[1]), "result": result}
