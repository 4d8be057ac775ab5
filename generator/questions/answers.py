"""Answers to one question at several sizes: each number of an answer is an array of those of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


class Answers:
    """Answers of one kind, in the shape to which the arrays that were asked for broadcast.

    Numbers and words of the answers are read as arrays (`answers.total`), parts of them as answers again (`answers.serving.seconds`,
    `answers.largest["b"].value`); where an answer has none, an array holds None. `answers[0, 1]` is a single one.

    Attributes:
        each: the answers, an array of objects.
    """

    def __init__(self, each: np.ndarray[Any, Any]) -> None:
        self.each = each

    @property
    def shape(self) -> tuple[int, ...]:
        """How many there are along each axis."""
        return tuple(self.each.shape)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._of(lambda one: getattr(one, name))

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, str):
            return self._of(lambda one: one[place])
        found = self.each[place]
        return Answers(found) if getattr(found, "ndim", 0) else found

    def __iter__(self) -> Iterator[Any]:
        return iter(self.each.flat)

    def __repr__(self) -> str:
        return f"<{' x '.join(map(str, self.shape))} answers: {self.each.flat[0]!r} ...>"

    def _of(self, read: Callable[[Any], Any]) -> Any:
        """Return what each answer has: as an array of numbers or words, or as answers of their parts."""
        import numpy as np

        values = [None if one is None else read(one) for one in self.each.flat]
        simple = all(isinstance(value, int | float | str | None) for value in values)
        if simple and None not in values:
            found = np.array(values)
            if found.dtype.kind in "biufU":
                return found.reshape(self.shape)
        objects = _objects(values, self.shape)
        return objects if simple else Answers(objects)


def answered_at(given: Mapping[str, Any], answer: Callable[[dict[str, Any]], Any]) -> Any:
    """Return the answer at sizes; where some are arrays, which broadcast, those at each of them, worked out one by one."""
    if not any(getattr(value, "ndim", 0) for value in given.values()):
        return answer({name: _plain(value) for name, value in given.items()})
    import numpy as np

    arrays = np.broadcast_arrays(*given.values())
    shape = arrays[0].shape
    places = zip(*(array.flat for array in arrays), strict=True)
    found = [answer({name: _plain(value) for name, value in zip(given, values, strict=True)}) for values in places]
    return Answers(_objects(found, shape))


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _objects(values: list[Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Return values as an array of objects, whatever they are."""
    import numpy as np

    found = np.empty(len(values), object)
    for place, value in enumerate(values):
        found[place] = value
    return found.reshape(shape)
