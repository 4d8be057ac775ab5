"""The expressions of specs: a small whitelist grammar with Python's precedence. Nothing is ever evaluated as Python.

- condition: comparisons (== != < <= > >=) of two expressions, joined by `and` and `or`, grouped by parentheses
- expression: + - * / // % ** and unary -, parentheses, ceil floor min max log2 sqrt
- operands: names of sizes and numbers, such as 7, 30_000, 0.5, 1e6
"""

from __future__ import annotations

from dataclasses import replace

from generator.text.expression_errors import ExpressionError, expression_problem
from generator.text.expression_tokens import Token, number_value, tokenize
from generator.text.expression_tree import (
    BINDING,
    COMPARISON,
    POWER,
    SUM,
    UNARY,
    Ast,
    Binary,
    Bool,
    Call,
    Compare,
    Name,
    Number,
    Unary,
    names,
    unparse,
)
from generator.text.expression_values import evaluate_number, symbolic
from generator.text.suggest import did_you_mean, listed

__all__ = [
    "FUNCTIONS",
    "Ast",
    "Binary",
    "Bool",
    "Call",
    "Compare",
    "ExpressionError",
    "Name",
    "Number",
    "Unary",
    "evaluate_number",
    "expression_problem",
    "names",
    "parse_condition",
    "parse_expression",
    "parse_table_value",
    "symbolic",
    "unparse",
]

FUNCTIONS = ("ceil", "floor", "min", "max", "log2", "sqrt")
OF_TABLES = (*FUNCTIONS, "abs", "exp", "log", "sin", "cos", "where")
MAX_NESTING = 50
MAX_OPERATORS = 200
MAX_EXPONENT = 64

_SEVERAL_ARGUMENTS = ("min", "max")
_NO_OPERATORS = {
    "not": ("write the opposite comparison, such as a != b for not a == b",),
    "if": ("conditions are joined by `and` and `or`",),
    "mod": ("write % for the remainder",),
    "div": ("write // to divide and round down",),
}
_UNEXPECTED = {
    ")": ("there are more closing parentheses than opening ones",),
    ",": ("several are written as a list: [a, b]",),
}
_OF_PYTHON = {"int": "floor", "round": "floor", "trunc": "floor", "ceiling": "ceil", "log": "log2", "isqrt": "sqrt"}


def parse_expression(text: str) -> Ast:
    """Read an expression that gives a number.

    Raises:
        ExpressionError: if it is not one, with the place in the text.
    """
    ast = _Parser(text).parse()
    if isinstance(ast, (Compare, Bool)):
        raise _error(f"expected a number; found the condition `{unparse(ast)}`", ast)
    return ast


def parse_table_value(text: str) -> Ast:
    """Read an expression of the numbers of a place, which knows more functions: abs, exp, log, sin, cos, and where(condition, a, b).

    Raises:
        ExpressionError: if it is not one, with the place in the text.
    """
    return _number(_Parser(text, OF_TABLES).parse())


def parse_condition(text: str) -> Ast:
    """Read a condition: one comparison, or several joined by `and` and `or`.

    Raises:
        ExpressionError: if it is not one, with the place in the text.
    """
    ast = _Parser(text).parse()
    if not isinstance(ast, (Compare, Bool)):
        raise _error(f"expected a condition; `{unparse(ast)}` compares nothing", ast, "a condition is written as d % h == 0")
    return ast


class _Parser:
    """Operator-precedence parser over the tokens of one text."""

    def __init__(self, text: str, functions: tuple[str, ...] = FUNCTIONS) -> None:
        self.tokens = tokenize(text)
        self.functions = functions
        self.at = 0
        self.nesting = 0
        self.operators = 0

    def peek(self) -> Token:
        return self.tokens[self.at]

    def parse(self) -> Ast:
        if self.peek().kind == "end":
            raise _error("the expression is empty", self.peek())
        ast = self.operation(0)
        if self.peek().kind != "end":
            notes = _UNEXPECTED.get(self.peek().text, ())
            raise _error(f"`{self.peek().text}` is not expected here", self.peek(), *notes)
        return ast

    def take(self) -> Token:
        token = self.peek()
        self.at += 1
        return token

    def operation(self, least: int) -> Ast:
        """Read operands joined by operators that bind at least as tightly as `least`."""
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise _error(f"the expression is nested deeper than {MAX_NESTING} levels", self.peek())
        left = self.operand()
        while True:
            self.refuse_missing_operator()
            binding = BINDING.get(self.peek().text, 0) if self.peek().kind == "operator" else 0
            if binding == 0 or binding < least:
                self.nesting -= 1
                return left
            left = self.joined(left, self.take(), binding)

    def joined(self, left: Ast, operator: Token, binding: int) -> Ast:
        self.operators += 1
        if self.operators > MAX_OPERATORS:
            raise _error(f"the expression has more than {MAX_OPERATORS} operators", operator)
        # A power groups from the right, and its exponent may have a minus of its own.
        right = self.operation(UNARY if binding == POWER else binding + 1)
        start, end = left.start, right.end
        if binding < COMPARISON:
            for side in (left, right):
                if not isinstance(side, (Compare, Bool)):
                    raise _error(f"`{operator.text}` joins conditions; `{unparse(side)}` is a number", side)
            return Bool(operator.text, left, right, start=start, end=end)
        if binding == COMPARISON:
            self.refuse_chain(left, operator, right)
            return Compare(operator.text, _number(left), _number(right), start=start, end=end)
        if operator.text == "**":
            _refuse_large_exponent(right)
        return Binary(operator.text, _number(left), _number(right), start=start, end=end)

    def operand(self) -> Ast:
        token = self.take()
        if token.kind == "number":
            return Number(number_value(token), start=token.start, end=token.end)
        if token.kind == "name":
            return self.name_or_call(token)
        if token.text in ("-", "+"):
            inner = _number(self.operation(UNARY))
            return Unary("-", inner, start=token.start, end=inner.end) if token.text == "-" else inner
        if token.text == "(":
            ast = self.operation(0)
            close = self.closing(token)
            return replace(ast, start=token.start, end=close.end)
        if token.kind == "end":
            before = self.tokens[self.at - 2]
            raise _error(f"the expression ends after `{before.text}`; a number, a name or a parenthesis is missing", before)
        raise _error(f"expected a number, a name or a parenthesis; found `{token.text}`", token)

    def name_or_call(self, token: Token) -> Ast:
        name = token.text
        if name in _NO_OPERATORS:
            raise _error(f"`{name}` is not an operator of this language", token, *_NO_OPERATORS[name])
        if self.peek().text != "(":
            if name in self.functions:
                raise _error(f"`{name}` is a function; its argument is missing", token, f"write {name}(...)")
            return Name(name, start=token.start, end=token.end)
        if name not in self.functions:
            meant = (f"did you mean `{_OF_PYTHON[name]}`?",) if name in _OF_PYTHON else did_you_mean(name, self.functions)
            known = f"functions are {listed(self.functions)}; to multiply, write {name}*(...)"
            raise _error(f"unknown function `{name}`", token, *meant, known)
        open_ = self.take()
        arguments: list[Ast] = []
        while self.peek().text != ")":
            argument = self.operation(0)
            arguments.append(_condition(argument) if name == "where" and not arguments else _number(argument))
            if self.peek().text != ",":
                break
            self.take()
        close = self.closing(open_)
        several, wanted = name in _SEVERAL_ARGUMENTS, 3 if name == "where" else 1
        if len(arguments) < 2 if several else len(arguments) != wanted:
            expected = "two or more arguments" if several else "a condition and two numbers" if wanted > 1 else "one argument"
            found = Token("name", name, token.start)
            raise _error(f"`{name}` takes {expected}; found {len(arguments)}", found)
        return Call(name, tuple(arguments), start=token.start, end=close.end)

    def closing(self, open_: Token) -> Token:
        if self.peek().text != ")":
            if self.peek().kind == "end":
                raise _error("this parenthesis is never closed", open_)
            raise _error(f"expected `)`; found `{self.peek().text}`", self.peek())
        return self.take()

    def refuse_missing_operator(self) -> None:
        token = self.peek()
        if token.kind == "end" or (token.kind == "operator" and token.text != "("):
            return
        if token.text in _NO_OPERATORS:
            raise _error(f"`{token.text}` is not an operator of this language", token, *_NO_OPERATORS[token.text])
        before = self.tokens[self.at - 1].text
        if before == "0" and token.text[:1] in "xXoObB" and token.text[1:].isalnum():
            raise _error(f"`0{token.text}` is not a number", token, "numbers are written in decimal")
        shown = "(...)" if token.text == "(" else token.text
        product = f"{'(...)' if before == ')' else before}*{shown}"
        raise _error(f"an operator is missing before `{token.text}`", token, f"to multiply, write {product}")

    def refuse_chain(self, left: Ast, operator: Token, right: Ast) -> None:
        token = self.peek()
        if token.kind == "operator" and BINDING.get(token.text) == COMPARISON:
            self.take()
            end = self.operation(SUM)
            a, b, c = unparse(left), unparse(right), unparse(end)
            split = f"write {a} {operator.text} {b} and {b} {token.text} {c}"
            raise _error("comparisons do not chain", token, split)


def _number(ast: Ast) -> Ast:
    if isinstance(ast, (Compare, Bool)):
        raise _error(f"expected a number; found the condition `{unparse(ast)}`", ast)
    return ast


def _condition(ast: Ast) -> Ast:
    if not isinstance(ast, (Compare, Bool)):
        raise _error(f"expected a condition; `{unparse(ast)}` compares nothing", ast, "a choice is written as where(i < j, a, b)")
    return ast


def _refuse_large_exponent(exponent: Ast) -> None:
    if not names(exponent) and not -MAX_EXPONENT <= evaluate_number(exponent, {}) <= MAX_EXPONENT:
        raise _error(f"the exponent `{unparse(exponent)}` is too large; exponents go to {MAX_EXPONENT}", exponent)


def _error(message: str, place: Token | Ast, *notes: str) -> ExpressionError:
    return ExpressionError(message, place.start, place.end - place.start, notes)
