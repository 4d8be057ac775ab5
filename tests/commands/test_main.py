"""The command line as a whole: help, usage errors, streams and exit codes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from generator.cli import main
from generator.commands.command_list import COMMANDS
from generator.commands.exit_codes import EXIT_CODES
from tests.support.small_specs import BROKEN, LAYER, PAIR, write_specs

ROOT = Path(__file__).parents[2]
GEN = [sys.executable, "-m", "generator.cli"]


def test_help_names_every_command(capsys) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    for command in COMMANDS:
        assert f"\n  {command.name} " in shown


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_help_of_a_command_is_what_its_option_prints(command, capsys) -> None:
    assert main([command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert main(["help", command]) == 0
    assert capsys.readouterr().out == shown


def test_exit_codes_stand_in_the_help_and_in_the_documentation(capsys) -> None:
    assert main(["help"]) == 0
    shown = capsys.readouterr().out
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    for code, meaning in EXIT_CODES:
        assert re.search(rf"^  {code} +{re.escape(meaning)}$", shown, re.MULTILINE)
        assert f"| {code} | {meaning} |" in page


def test_no_command_shows_the_help_and_is_wrong_usage(capsys) -> None:
    assert main([]) == 2
    assert "commands:" in capsys.readouterr().out


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_each_command_has_help_with_examples(command, capsys) -> None:
    assert main([command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"usage: gen {command} ")
    assert f"examples:\n  gen {command}" in shown


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys\nfrom generator.cli import main\nfrom generator.commands.command_list import COMMANDS\n"
        "for command in COMMANDS: main([command.name, '--help'])\n"
        "print(sorted({'sympy', 'jinja2', 'openpyxl', 'jsonschema', 'yaml', 'numpy', 'torch'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_version(capsys) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("archsheet ")


def test_an_unknown_command_suggests_near_ones(capsys) -> None:
    assert main(["biuld", "specs"]) == 2
    said = "error: there is no command `biuld`\n  did you mean `build`?\n  commands: build, watch, check, "
    assert capsys.readouterr().err.startswith(said)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--nonsense"], "error: `gen` has no option `--nonsense`\n  `gen help` explains the rest"),
        (["build"], "error: `gen build` needs PATH\n  `gen help build` explains the rest"),
        (["cost"], "error: `gen cost` needs NAME|FILE\n"),
        (["build", "mine", "--nonsense"], "error: `gen build` has no option `--nonsense`"),
        (["build", "mine", "--job", "2"], "error: `gen build` has no option `--job`\n  did you mean `--jobs`"),
        (["cost", "pair", "-n", "512"], "error: `gen cost` has no option `-n`\n  sizes and options of a spec are given as n=512"),
        (["cost", "pair", "--mode", "infer"], "error: --mode cannot be `infer`\n  did you mean `inference`?"),
        (["build", "mine", "--jobs"], "error: a value is missing behind --jobs"),
        (["sweep", "pair", "--min", "macs", "--max", "macs"], "error: --max and --min cannot both be given"),
        (["cost", "pair", "--json=3"], "error: --json takes no value; found `3`"),
        (["pull", "a.xlsx", "b.xlsx"], "error: `gen pull` has no use for `b.xlsx`"),
        (["help", "biuld"], "error: there is no command `biuld`\n  did you mean `build`?"),
        (["build", "mine", "--jobs", "0"], "`0` is not a number of processes; give 1 or more"),
        (["build", "mine", "--jobs", "two"], "`two` is not a number of processes; give 1 or more"),
        (["build", "nowhere"], "error: nowhere: no such file or folder"),
        (["check", "nowhere"], "error: nowhere: no such file or folder"),
        (["list", "nowhere/"], "error: nowhere: no such file or folder"),
        (["build", "empty"], "error: there are no specs in `empty`"),
        (["check", "empty"], "error: there are no specs in `empty`"),
        (["build", "mine", "--formats", "pdf"], "error: --formats: there is no format `pdf`"),
        (["build", "mine", "--formats", "exel"], "did you mean `excel`?"),
        (["build", "mine", "--formats", ","], "error: --formats: no format is given"),
        (["show", "mine"], "error: there is no spec named `mine`"),
        (["show", "mine/"], "error: mine/: a folder, not a file"),
        (["cost", "nowhere.yaml"], "error: nowhere.yaml: no such file"),
        (["cost", "multi_head_atention"], "did you mean `multi_head_attention`, "),
        (["cost", "pair", "--specs", "nowhere"], "error: nowhere: no such file or folder"),
    ],
)
def test_wrong_usage_is_explained(specs, capsys, arguments, message) -> None:
    (specs.parent / "empty").mkdir()
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.out == ""


def test_problems_of_specs_are_no_wrong_usage(specs, capsys) -> None:
    write_specs(specs, alone=BROKEN)
    assert main(["cost", "mine/alone.yaml", "b=1"]) == 1
    assert capsys.readouterr().err.startswith("mine/alone.yaml:9:11: error: unknown op `linaer`")


def test_a_mistake_of_ours_is_a_sentence_and_a_traceback_only_on_request(capsys, monkeypatch) -> None:
    from generator.commands import check

    def explode(*_: object) -> None:
        raise LookupError("no such luck")

    monkeypatch.setattr(check, "collect", explode)
    assert main(["check", "mine"]) == 70
    error = capsys.readouterr().err
    assert error.startswith("error: a mistake in gen itself: LookupError: no such luck (test_main.py, line ")
    assert "Traceback" not in error
    monkeypatch.setenv("GEN_DEBUG", "1")
    assert main(["check", "mine"]) == 70
    assert "Traceback" in capsys.readouterr().err


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*GEN, "schema"], stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_a_full_disk_is_named() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*GEN, "list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "error: No space left on device\n")


def _interrupt(process: subprocess.Popen[str]) -> None:
    """Interrupt until it is heard: a signal between Python's last look and its blocking read is only seen after the read."""
    for _ in range(6):
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10)
            return


def test_ctrl_c_ends_in_one_word(specs) -> None:
    """The interrupt comes while a spec is being read, which takes as long as it must."""
    # A suite that runs in the background of a shell hands an ignored SIGINT down to its children.
    heeding = (
        "import signal, sys, time\n"
        "from generator.cli import main\n"
        "from generator.spec import yaml_reader\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "yaml_reader.load_source = lambda *_: (print('reading', flush=True), time.sleep(600))\n"
        "sys.exit(main())\n"
    )
    command = [sys.executable, "-c", heeding, "check", "mine"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=specs.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "reading\n"
            _interrupt(process)
            out, error = process.communicate(timeout=60)
        finally:
            process.kill()
        assert (process.returncode, out, error) == (130, "", "interrupted\n")


@pytest.mark.slow
def test_an_encoding_that_lacks_a_letter_does_not_matter(specs) -> None:
    write_specs(specs, alone=(specs / "alone.yaml").read_text().replace("Nothing", "Ἀθήνα"))
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*GEN, "list", "mine"], cwd=specs.parent, capture_output=True, text=True, check=True, env=environment)
    assert "????? to do with the others" in done.stdout


class Terminal:
    """Stands in for stderr on a terminal."""

    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        pass


@pytest.mark.parametrize(
    ("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({"NO_COLOR": ""}, True)]
)
def test_colour_is_for_terminals_that_want_it(specs, monkeypatch, environment, coloured) -> None:
    write_specs(specs, alone=BROKEN)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["check", "mine"]) == 1
    assert ("\033[1;31merror:\033[0m" in terminal.text) == coloured
    assert ("\033[" in terminal.text) == coloured


def test_no_colour_in_files(capsys) -> None:
    main(["show", "mine/pair.yaml"])
    assert "\033" not in capsys.readouterr().out


def test_a_spec_in_a_folder_nearby_is_found_by_what_is_suggested(specs, capsys) -> None:
    write_specs(specs, inner__deeper=LAYER, comparisons__side=LAYER)
    assert main(["cost", "deeper", "b=1", "k=2", "m=3"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: there is no spec named `deeper`\n  mine/inner/deeper.yaml has that name: add --specs mine\n")
    assert main(["cost", "deeper", "b=1", "k=2", "m=3", "--specs", "mine"]) == 0
    assert main(["cost", "side"]) == 2
    assert "has that name" not in capsys.readouterr().err  # comparisons are no specs


@pytest.mark.parametrize("command", ["check", "build"])
def test_a_file_uses_those_beside_it_and_those_of_other_folders_by_name(specs, capsys, command) -> None:
    around = write_specs(specs.parent / "work", user=PAIR, beside__layer=LAYER)
    formats = ["--formats", "modules"] if command == "build" else []
    assert main([command, "mine/pair.yaml", *formats]) == 0  # `layer` stands beside it
    capsys.readouterr()
    assert main([command, str(around / "user.yaml"), *formats]) == 1
    assert "  mine/layer.yaml has that name: add --specs mine\n" in capsys.readouterr().err
    assert main([command, str(around / "user.yaml"), "--specs", "work/beside", *formats]) == 0
    assert "mistake" not in capsys.readouterr().err
