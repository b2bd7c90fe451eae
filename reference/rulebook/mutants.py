"""Mutants: decisions whose answer is changed in one place of its text, as a slip of the pen would.

Knows how a decision is written down, and nothing of its meaning nor of the tests that kill a mutant.
"""

from __future__ import annotations

import ast
import copy
import enum
import inspect
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from typing import Any

import msgspec
from msgspec.structs import replace

from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.rulebook.book import rulebook_of
from plumbline.reference.rulebook.decisions import DECISIONS
from plumbline.reference.rulebook.values import Free

_OPERATORS: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE, ast.Eq),
    ast.LtE: (ast.Lt, ast.Gt, ast.Eq),
    ast.Gt: (ast.GtE, ast.LtE, ast.Eq),
    ast.GtE: (ast.Gt, ast.Lt, ast.Eq),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
}

_CALLED = {"min": ("max",), "max": ("min",), "fullmatch": ("match", "search")}
"""Functions that are taken for others."""

_WHOLE = {
    "tuple": ("{}[:-1]", "{}[1:]", "{}[::-1]", "()"),
    "int": ("{} + 1", "{} - 1"),
    "bool": ("not {}", "True", "False"),
    "Stamp": ("replace({0}, version={0}.version + 1)",),
}
"""What is returned in place of an argument that is returned as it is, by the argument's type."""


class Mutant(msgspec.Struct, frozen=True, kw_only=True):
    """One decision made wrong, unless the change makes no difference.

    Attributes:
        decision: the decision.
        function: who answers it: a dialect's own answer has a name of its own.
        right: what is returned, as it is written.
        wrong: what is returned instead.
        answer: the function that does.
        dialect: in which the answer is given.
    """

    decision: str
    function: str
    right: str
    wrong: str
    answer: Callable[..., Any]
    dialect: Dialect

    @property
    def name(self) -> str:
        """What it is called: no two are called alike."""
        return f"{self.function}: {self.wrong}"


@cache
def mutants() -> tuple[Mutant, ...]:
    """Every mutant of every decision, in the order of the decisions.

    Answers that some dialect gives otherwise are changed, too, each in a dialect that gives it. Raises
    ValueError where a decision is written otherwise than as a docstring and an answer.
    """
    found: list[Mutant] = []
    for decision in DECISIONS:
        answers: dict[Callable[..., Any], Dialect] = {}
        for dialect in (Dialect.GEODE, *Dialect):
            answers.setdefault(getattr(rulebook_of(dialect), decision), dialect)
        for answer, dialect in answers.items():
            found += _mutants_of(decision, answer, dialect)
    return tuple(found)


def _mutants_of(decision: str, answer: Callable[..., Any], dialect: Dialect) -> Iterator[Mutant]:
    match ast.parse(textwrap.dedent(inspect.getsource(answer))).body:
        case [ast.FunctionDef(body=[ast.Expr(), ast.Return(value=ast.expr() as returned)]) as function]:
            pass
        case _:
            # Code in front of an answer would stay unchanged in silence.
            raise ValueError(f"{decision} is not a docstring and an answer")
    right = ast.unparse(returned)
    names = {**answer.__globals__, "replace": replace}
    seen = {right}
    for changed in _Changes(function, answer).of(returned):
        wrong = ast.unparse(changed)
        if wrong in seen:
            continue
        seen.add(wrong)
        arguments = ", ".join(argument.arg for argument in function.args.args)
        yield Mutant(
            decision=decision,
            function=answer.__name__,
            right=right,
            wrong=wrong,
            answer=eval(f"lambda {arguments}: {wrong}", names),  # noqa: S307 - our own text
            dialect=dialect,
        )


class _Changes:
    """The ways to change one expression of a decision in one place."""

    def __init__(self, function: ast.FunctionDef, answer: Callable[..., Any]) -> None:
        self._types = {one.arg: ast.unparse(one.annotation or ast.Name("")) for one in function.args.args}
        self._returns = ast.unparse(function.returns or ast.Name(""))
        self._names = answer.__globals__

    def of(self, returned: ast.expr) -> Iterator[ast.AST]:
        """What may be returned instead."""
        yield from self._anywhere(returned)
        match returned:
            case ast.Name(id=name) if name in self._types:
                yield from self._taken_for(name)
                if "None" in self._returns:
                    yield _read("None")
            case ast.Constant(value=value):
                yield from self._asked_for(value)
            case ast.Call(func=ast.Name(id=Free.__name__), args=[ast.Tuple(elts=[ast.Name(id=name), *_])]):
                yield from self._taken_for(name)

    def _asked_for(self, constant: Any) -> Iterator[ast.AST]:
        """An answer that is always the same could depend on what is asked."""
        for argument, kind in self._types.items():
            if kind == "int" and isinstance(constant, bool):
                yield from (_read(f"{argument} > 1"), _read(f"{argument} <= 1"))
            if kind != type(constant).__name__:
                continue
            yield _read(argument)
            if isinstance(constant, bool):
                yield _read(f"not {argument}")

    def _taken_for(self, argument: str) -> Iterator[ast.AST]:
        """What an argument that is returned may be taken for: a part of it, always the same, another."""
        whole = _WHOLE.get(self._types[argument].partition("[")[0], ())
        yield from (_read(way.format(argument)) for way in whole)
        kind = self._names.get(self._types[argument])
        if isinstance(kind, enum.EnumType):
            yield from (_read(f"{kind.__name__}.{one}") for one in _members(kind))
        elif isinstance(kind, type) and issubclass(kind, tuple) and not whole:
            yield from (
                _read(f"{argument}._replace({one}={argument}.{other}, {other}={argument}.{one})")
                for one, other in combinations(kind.__annotations__, 2)
                if kind.__annotations__[one] == kind.__annotations__[other]
            )
        if self._types[argument] == "str":
            several = (other for other, kind in self._types.items() if kind == "tuple[str, ...]")
            yield from (_read(f"(*{other}, {argument})[0]") for other in several)

    def _anywhere(self, node: ast.AST) -> Iterator[ast.AST]:
        """The node with one thing in it changed."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == Free.__name__:
            return  # several ways that are right: to take another of them is no mistake
        yield from self._instead(node)
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.AST):
                for changed in self._anywhere(value):
                    yield _with(node, name, changed)
            elif isinstance(value, list):
                for at, child in enumerate(value):
                    if isinstance(child, ast.AST):
                        for changed in self._anywhere(child):
                            yield _with(node, name, [*value[:at], changed, *value[at + 1 :]])

    def _instead(self, node: ast.AST) -> Iterator[ast.AST]:
        yield from (other() for other in _OPERATORS.get(type(node), ()))
        match node:
            case ast.Constant(value=bool(value)):
                yield ast.Constant(not value)
            case ast.Constant(value=int(value)):
                # Below nothing there is no count and no position, though Python finds one.
                yield from (ast.Constant(value + way) for way in (1, -1) if value + way >= 0)
            case ast.Name(id=name):
                yield from (ast.Name(other) for other in self._taken_names(name))
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                kind = self._names.get(owner)
                others = _members(kind) if isinstance(kind, enum.EnumType) else _CALLED.get(name, ())
                yield from (_with(node, "attr", other) for other in others if other != name)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield operand
            case ast.IfExp(body=body, orelse=orelse):
                yield from (body, orelse)
            case ast.Call(func=ast.Name(id="min" | "max"), args=arguments):
                yield from arguments
            case ast.Tuple(elts=[_, *_] as parts):
                yield _with(node, "elts", parts[::-1])
                yield from (_with(node, "elts", [*parts[:at], *parts[at + 1 :]]) for at in range(len(parts)))
            case ast.comprehension(ifs=[_, *_]):
                yield _with(node, "ifs", [])

    def _taken_names(self, name: str) -> Iterator[str]:
        """Names that one may be taken for: other arguments of its type, other constants of its kind."""
        yield from _CALLED.get(name, ())
        if name in self._types:
            alike = (other for other, kind in self._types.items() if kind == self._types[name])
            yield from (other for other in alike if other != name)
        elif name.isupper() and not name.startswith("_"):  # one of a module's own has no kind
            family = name.partition("_")[0] + "_"
            yield from (other for other in self._names if other.startswith(family))


def _members(kind: enum.EnumType) -> tuple[str, ...]:
    return tuple(kind.__members__)


def _with(node: ast.AST, field: str, value: Any) -> ast.AST:
    changed = copy.copy(node)
    setattr(changed, field, value)
    return changed


def _read(text: str) -> ast.AST:
    return ast.parse(text, mode="eval").body
