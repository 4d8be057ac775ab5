"""Brings in the module that a user names, FILE.py:Class or PACKAGE.MODULE:Class, and says where his code fails if it does."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import linecache
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import nn

from generator.proof.count.unfit import UnfitError
from generator.text.suggest import did_you_mean, listed

_PREFIX = "archsheet_counted_"  # so that FILE.py takes the place of no other module, whatever it is called
_OURS = Path(__file__).parents[2]
_COUNTERS = _OURS / "proof" / "measure" / "kernel.py"
# What to do where PyTorch says something like this.
_HINTS = {
    "torch._dynamo": "what PyTorch compiles, such as flex_attention, does not run under the counters",
    "a leaf Variable that requires grad": "an input that gets a gradient is changed in place: write `nograd` behind it",
}


class UserCodeError(Exception):
    """The code that the user asked to run has failed.

    Args:
        message: where and how, in one line.
        notes: the line, what was passed, and where it was raised.
    """

    def __init__(self, message: str, *notes: str) -> None:
        super().__init__(message)
        self.notes = notes


@dataclass(frozen=True)
class NamedCode:
    """Where the user's code stands.

    Args:
        word: what the user has written.
        home: the folder of his file, or of the package.
        found: the class, function or module that he names.
    """

    word: str
    home: Path
    found: Any


def find(word: str) -> NamedCode:
    """Import what a user names. Raises UnfitError for what there is not, UserCodeError where importing it fails."""
    place, name = _split(word)
    if place.endswith(".py"):
        file = Path(place)
        if not file.is_file():
            raise UnfitError(f"{place}: no such file", "it is written FILE.py:Class, or PACKAGE.MODULE:Class for what can be imported")
        home = file.resolve().parent
        module = _imported(file, home)
    else:
        module = _module(place)
        home = _home(module)
    return NamedCode(word, home, _named(module, place, name) if name else _only_class(module, place))


def build(source: NamedCode, args: Sequence[Any], kwargs: Mapping[str, Any], config: Path | None, device: str) -> nn.Module:
    """Return the module that a class or a function makes.

    Args:
        config: the config.json of a public model, of which the class takes the configuration as its first argument; in any other file of
            JSON the keys are names of arguments.
        device: where its weights are made.

    Raises:
        UnfitError: arguments that it does not take; or what comes is no module.
        UserCodeError: it has failed.
    """
    found = source.found
    if isinstance(found, nn.Module):
        if args or kwargs or config:
            raise UnfitError(f"`{source.word}` is a module already, which takes no arguments")
        return found
    first, more = _configured(found, config) if config is not None else ((), {})
    given, named = [*first, *args], {**more, **kwargs}
    _require_taken(found, source.word, given, named)
    said = ", ".join([*map(_brief, given), *(f"{name}={_brief(value)}" for name, value in named.items())])
    with located(source, f"it was made by {source.word.rpartition(':')[2]}({said})"), torch.device(device):
        torch.manual_seed(0)  # so that weights, on which the choice of experts depends, are the same each time
        made = found(*given, **named)
    if not isinstance(made, nn.Module):
        raise UnfitError(f"`{source.word}` returns something of type `{type(made).__name__}`, where a torch.nn.Module is needed")
    return made


@contextmanager
def located(source: NamedCode, *passed: str) -> Iterator[None]:
    """Run the user's code: what it prints goes to stderr, and what it raises becomes a UserCodeError with its place.

    Args:
        passed: what the code was given, in words.
    """
    try:
        with redirect_stdout(sys.stderr):
            yield
    except (UnfitError, UserCodeError, KeyboardInterrupt):
        raise
    except SystemExit as error:
        raise UserCodeError(
            f"{source.word} ended the process (exit code {error.code})", *passed, 'guard it: if __name__ == "__main__":'
        ) from error
    except Exception as error:
        if _is_ours(error):
            raise
        raise _failure(source.home, error, passed) from error


def require_inputs(module: nn.Module, names: Sequence[str], positional: int) -> None:
    """Raise UnfitError where the forward of a module takes no inputs of these names, or not so many."""
    signature = inspect.signature(module.forward)
    try:
        signature.bind(*[None] * positional, **dict.fromkeys(names))
    except TypeError as error:
        taken = [one.name for one in signature.parameters.values() if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
        unknown = [name for name in names if name not in taken]
        notes = did_you_mean(unknown[0], taken) if unknown else ()
        raise UnfitError(
            f"--inputs do not fit the forward of {type(module).__name__}: {error}", *notes, f"it takes {listed(taken) or 'nothing'}"
        ) from None


def _split(word: str) -> tuple[str, str]:
    place, colon, name = word.rpartition(":")
    if not colon or place == "" or name.startswith(("/", "\\")):  # C:\model.py
        place, name = word, ""
    if not place.endswith(".py") and not all(part.isidentifier() for part in place.split(".")):
        raise UnfitError(f"`{word}` is neither FILE.py:Class nor PACKAGE.MODULE:Class", "such as model.py:Net or torch.nn:LSTM")
    return place, name


def _imported(file: Path, home: Path) -> ModuleType:
    name = f"{_PREFIX}{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise UnfitError(f"{file}: Python cannot import it")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    if str(home) not in sys.path:
        sys.path.insert(0, str(home))  # as `python FILE.py` does, for what stands beside it
    with located(NamedCode(str(file), home, None), "it was imported"):
        spec.loader.exec_module(module)
    return module


def _module(place: str) -> ModuleType:
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        with located(NamedCode(place, Path.cwd(), None), "it was imported"):
            return importlib.import_module(place)
    except UserCodeError as error:
        missing = error.__cause__
        if isinstance(missing, ModuleNotFoundError) and missing.name and (place == missing.name or place.startswith(f"{missing.name}.")):
            raise UnfitError(
                f"there is no module `{missing.name}` to import", f"the file {place}.py would be written `{place}.py:Class`"
            ) from None
        raise


def _home(module: ModuleType) -> Path:
    file = getattr(sys.modules[module.__name__.partition(".")[0]], "__file__", None)
    return Path(file).resolve().parent if file else Path.cwd()


def _named(module: ModuleType, place: str, name: str) -> Any:
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            known = [one for one, value in vars(found).items() if _makes_modules(value)]
            raise UnfitError(f"{place} has no `{name}`", *did_you_mean(part, known), f"it has {listed(known) or 'no class of modules'}")
        found = getattr(found, part)
    if not callable(found):
        raise UnfitError(f"`{name}` of {place} is a {type(found).__name__}, neither a class nor a function nor a module")
    return found


def _only_class(module: ModuleType, place: str) -> Any:
    own = [name for name, value in vars(module).items() if _makes_modules(value) and value.__module__ == module.__name__]
    if len(own) == 1:
        return vars(module)[own[0]]
    notes = (f"its classes: {listed(own)}",) if own else ()
    raise UnfitError(f"{place}: which class is to be counted?", f"it is written {place}:{own[0] if own else 'Class'}", *notes)


def _makes_modules(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, nn.Module)


def _configured(found: Any, config: Path) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments that a file of JSON stands for: the configuration of a public model, or one for each key."""
    try:
        data = json.loads(config.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UnfitError(f"{config}: it is no JSON: {error}") from None
    if not isinstance(data, dict):
        raise UnfitError(f"{config}: it holds no object with keys")
    kind = getattr(found, "config_class", None)
    if kind is None and "model_type" in data and _is_of_transformers(found):
        from transformers import CONFIG_MAPPING

        if data["model_type"] not in CONFIG_MAPPING:
            raise UnfitError(
                f"{config}: transformers knows no model_type `{data['model_type']}`", *did_you_mean(str(data["model_type"]), CONFIG_MAPPING)
            )
        kind = CONFIG_MAPPING[data["model_type"]]
    return ((kind.from_dict(data),), {}) if kind is not None else ((), data)


def _is_of_transformers(found: Any) -> bool:
    """Say whether something is made of the configuration of a public model: a part of one, or what chooses the class by it."""
    return str(found.__module__).startswith("transformers.") or next(iter(inspect.signature(found).parameters), "") == "config"


def _require_taken(found: Callable[..., Any], word: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    if not isinstance(found, type) and not inspect.isfunction(found):  # of which the signature may be that of something around it
        return
    try:
        signature = inspect.signature(found)
    except ValueError:  # of something that is not written in Python
        return
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        taken = [one.name for one in signature.parameters.values() if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
        unknown = [name for name in kwargs if name not in taken]
        notes = did_you_mean(unknown[0], taken) if unknown else ()
        raise UnfitError(f"--args do not fit {word}: {error}", *notes, f"it takes {listed(taken) or 'nothing'}") from None


def _failure(home: Path, error: Exception, passed: Sequence[str]) -> UserCodeError:
    said = f"{type(error).__name__}: {str(error).strip() or 'without a message'}".splitlines()
    if isinstance(error, SyntaxError) and error.filename:
        return UserCodeError(f"{_shown(error.filename)}:{error.lineno}:{error.offset}: {said[0]}", *passed)
    frames = list(_frames(error))
    own = [frame for frame in frames if Path(frame.filename).resolve().is_relative_to(home)] or frames
    if not own:
        return UserCodeError(said[0], *said[1:], *passed)
    last = own[-1]
    line = linecache.getline(last.filename, last.lineno or 0).strip()
    inside = [] if frames[-1] is last else [f"raised in {_shown(frames[-1].filename)}:{frames[-1].lineno}"]
    inside += [hint for word, hint in _HINTS.items() if word in f"{type(error).__module__}: {said[0]}"]
    shown = [f"{last.lineno} | {line}"] if line else []
    return UserCodeError(f"{_shown(last.filename)}:{last.lineno}: {said[0]}", *shown, *said[1:8], *passed, *inside)


def _is_ours(error: Exception) -> bool:
    """Say whether it is a counter that has failed, and not the code that it watches."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [Path(frame.filename).is_relative_to(_OURS) for frame in frames]
    watching = [i for i, frame in enumerate(frames) if _is_watching(frame)]
    if watching and watching[-1] + 1 < len(frames):
        return ours[watching[-1] + 1]  # what looks at an operation, which itself goes on in PyTorch
    return ours[-1] and frames[-1].name != build.__name__  # there the user's function may refuse its arguments


def _is_watching(frame: traceback.FrameSummary) -> bool:
    return Path(frame.filename) == _COUNTERS and frame.name == "__torch_dispatch__"


def _frames(error: Exception) -> Iterator[traceback.FrameSummary]:
    """Yield what ran when it was raised, without what is ours and what has no file; outermost call first."""
    for frame in traceback.extract_tb(error.__traceback__):
        path = Path(frame.filename)
        if _is_watching(frame):  # it runs each operation once more
            return
        if path.is_file() and not path.is_relative_to(_OURS):
            yield frame


def _shown(filename: str) -> str:
    """Return a path as short as it can be said: from here on, or from where packages are installed."""
    path = Path(filename)
    for folder in (Path.cwd(), *map(Path, dict.fromkeys(sysconfig.get_paths().values()))):
        if path.is_relative_to(folder):
            return path.relative_to(folder).as_posix()
    return path.as_posix()


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else type(value).__name__
