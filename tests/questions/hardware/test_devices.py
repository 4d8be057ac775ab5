"""Devices: numbers that sources print, files of one's own, and mistakes in them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from generator.cli import main
from generator.questions.hardware.amounts import BANDWIDTH, OPERATIONS, amount, memory_amount
from generator.questions.hardware.device_names import device_named, devices
from generator.text.errors import SizeError
from generator.text.problems import ProblemsError
from tests.support.small_specs import LAYER, write_specs

OWN = """\
title: A board of our own
also: [ours]
peak:
  bfloat16: {is: 10.5 TFLOP/s, from: measured}
memory: {is: 8 GiB, from: measured}
bandwidth: {is: 100 GB/s, from: measured}
price: {is: 0.25 EUR/h, from: bill}
sources:
  measured: {text: our own measurement}
  bill: {text: the bill of May, url: "https://example.org/bill"}
"""


def test_numbers_are_those_that_are_printed() -> None:
    """Dense peaks in 10^12 operations a second, memory, bandwidth in 10^9 bytes a second, watts."""
    printed = {
        "a100": (312, 80 * 10**9, 2039, 400),
        "a100-pcie": (312, 80 * 10**9, 1935, 300),
        "h100": (989.4, 80 * 10**9, 3350, 700),
        "h100-pcie": (756.5, 80 * 10**9, 2000, 350),
        "mi300x": (1307.4, 192 * 10**9, 5300, 750),
        "rtx-4090": (165.2, 24 * 10**9, 1008, 450),
        "tpu-v4": (275, 32 * 2**30, 1200, 192),
    }
    for name, (peak, memory, bandwidth, power) in printed.items():
        one = device_named(name)
        assert (one.require_peak("bfloat16"), one.memory) == (Fraction(str(peak)) * 10**12, memory), name
        assert (one.bandwidth, one.power) == (bandwidth * 10**9, power), name


def test_each_number_has_a_source() -> None:
    for one in devices():
        given = {"memory", "bandwidth", *(f"peak.{key}" for key in one.peak)}
        given |= {key for key in ("link", "power", "price") if getattr(one, key) is not None}
        assert set(one.sources) == given, one.name


def test_a_file_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "specs" / "hardware"
    folder.mkdir(parents=True)
    (folder / "board.yaml").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    found = device_named("ours")
    assert (found.memory, found.bandwidth, found.price.amount if found.price else None) == (8 * 2**30, 10**11, Fraction(1, 4))
    assert device_named("specs/hardware/board.yaml") == found
    with pytest.raises(SizeError, match="no peak of products in float16"):
        found.require_peak("float16")


def test_all_mistakes_are_said_at_once(tmp_path: Path) -> None:
    text = OWN.replace("bfloat16:", "bfloat61:").replace("8 GiB", "8 XB").replace("from: bill}", "from: bil}").replace("100 GB/s", "0 GB/s")
    (tmp_path / "board.yaml").write_text(text)
    with pytest.raises(ProblemsError) as caught:
        device_named(str(tmp_path / "board.yaml"))
    said = str(caught.value)
    for expected in (
        "board.yaml:4:3: error: unknown number format `bfloat61`",
        "did you mean `bfloat16`",
        "board.yaml:5:14: error: `8 XB` is no amount of memory",
        "board.yaml:6:17: error: `0 GB/s` is no bandwidth",
        "`bil` is not among the sources",
        "no number comes from the source `bill`",
    ):
        assert expected in said


def test_devices_are_checked_as_devices_where_their_folder_or_a_file_of_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_specs(tmp_path, specs__layer=LAYER, specs__hardware__board=OWN) / "specs"
    monkeypatch.chdir(tmp_path)
    for path in ("specs/hardware", "specs/hardware/board.yaml"):
        assert main(["check", path]) == 0
        assert capsys.readouterr().out == "1 device: no mistakes\n"
    assert main(["check", "specs/layer.yaml", "specs/hardware"]) == 0
    assert capsys.readouterr().out == "1 spec and 1 device: no mistakes\n"
    assert main(["check", "specs"]) == 0
    assert capsys.readouterr().out == "1 spec: no mistakes\n"
    (folder / "hardware" / "board.yaml").write_text(OWN.replace("memory:", "memmory:"))
    (folder / "hardware" / "other.yaml").write_text("title: Another\n")
    assert main(["check", "specs/hardware"]) == 1
    said = capsys.readouterr().err
    assert "specs/hardware/board.yaml" in said
    assert "specs/hardware/other.yaml:1:1: error: `memory` is missing" in said
    assert "`layers` is missing" not in said
    assert main(["build", "specs/hardware"]) == 2
    assert "there are no specs in `specs/hardware`" in capsys.readouterr().err


def test_unknown_keys_and_missing_ones_are_said(tmp_path: Path) -> None:
    (tmp_path / "board.yaml").write_text(OWN.replace("memory:", "memmory:"))
    with pytest.raises(ProblemsError) as caught:
        device_named(str(tmp_path / "board.yaml"))
    assert "memmory" in str(caught.value)


def test_amounts() -> None:
    assert memory_amount("80GB") == 80 * 10**9
    assert memory_amount("80GiB") == memory_amount("80 gib") == 80 * 2**30
    assert amount("2.039 TB/s", BANDWIDTH, "bandwidth", "") == 2039 * 10**9
    assert amount("624 TOP/s", OPERATIONS, "peak", "") == amount("624 TFLOPS", OPERATIONS, "peak", "") == 624 * 10**12


def test_an_unknown_device_is_told_near_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "mlp", "b=1", "n=1", "d=4", "--device", "h10"]) == 2
    said = capsys.readouterr().err
    assert "there is no device named `h10`" in said
    assert "`h100`" in said


def test_it_fits_a_device_or_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "llama-3-8b", "b=1", "n=1", "m=128", "--device", "t4"]) == 0
    assert "does not fit into the 16 GB of NVIDIA T4" in capsys.readouterr().out  # 16,060,522,496 bytes of weights alone
    assert main(["memory", "llama-3-8b", "b=1", "n=1", "m=128", "--device", "a10"]) == 0
    assert "fits into the 24 GB of NVIDIA A10" in capsys.readouterr().out


def test_devices_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--devices", "h100", "--json"]) == 0
    said = capsys.readouterr().out
    assert '"peak.bfloat16"' in said
    assert "989400000000000" in said
    assert main(["list", "--devices", "h101x"]) == 2
