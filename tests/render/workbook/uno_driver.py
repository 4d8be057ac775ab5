"""Types values into workbooks that LibreOffice holds open, recalculates, and reads cells: thousands of cases without starting it anew.

Run by a Python that knows `uno` (LibreOffice's own, or the system's), which need not be the one that runs the tests:
`python uno_driver.py JOBS.json ANSWERS.json`. See `calculator.py` for what the files hold.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any

ERROR_RESULTS = 4  # com.sun.star.sheet.FormulaResult.ERROR


def connected(pipe: str) -> Any:
    import uno

    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    for _ in range(300):
        try:
            context = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
            return context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
        except Exception:  # noqa: BLE001 - not ready yet, whatever it says
            time.sleep(0.1)
    raise SystemExit("LibreOffice does not answer")


def hidden() -> Any:
    from com.sun.star.beans import PropertyValue

    found = PropertyValue()
    found.Name, found.Value = "Hidden", True
    return found


def typed(cell: Any, value: Any) -> None:
    if value is None:
        cell.setString("")
        cell.setFormula("")
    elif isinstance(value, str) and value.startswith("="):
        cell.setFormula(value)
    elif isinstance(value, str):
        cell.setString(value)
    else:
        cell.setValue(value)


def answered(document: Any, reads: list[list[str]]) -> dict[str, Any]:
    document.calculateAll()
    sheets = document.Sheets
    ranges = [sheets.getByName(title).getCellRangeByName(cells).getDataArray() for title, cells in reads]
    errors = {}
    for title in sheets.ElementNames:
        sheet = sheets.getByName(title)
        where = sheet.queryFormulaCells(ERROR_RESULTS).RangeAddressesAsString
        if where:
            errors[title] = where
    return {"ranges": ranges, "errors": errors}


def all_done(desktop: Any, jobs: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Do the jobs in their order. To open a workbook takes most of the time: jobs in a row with the same one open it once."""
    answers = []
    for file, with_it in groupby(jobs, key=lambda job: job["file"]):
        document = desktop.loadComponentFromURL(Path(file).as_uri(), "_blank", 0, (hidden(),))
        answers += [done(document, job) for job in with_it]
        document.close(True)
    return answers


def done(document: Any, job: dict[str, Any]) -> list[dict[str, Any]]:
    answers = []
    for case in job["cases"]:
        cells = [(document.Sheets.getByName(title).getCellRangeByName(at), value) for title, at, value in case]
        before = [cell.getFormula() for cell, _ in cells]
        for cell, value in cells:
            typed(cell, value)
        answers.append(answered(document, job["reads"]))
        for (cell, _), formula in zip(cells, before, strict=True):
            cell.setFormula(formula)
    return answers


def main(jobs_file: str, answers_file: str) -> None:
    asked = json.loads(Path(jobs_file).read_text(encoding="utf-8"))
    pipe = f"archsheet{time.time_ns()}"
    office = subprocess.Popen(
        ["soffice", f"-env:UserInstallation={asked['profile']}", "--headless", "--norestore", f"--accept=pipe,name={pipe};urp;"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        desktop = connected(pipe)
        answers = all_done(desktop, asked["jobs"])
        Path(answers_file).write_text(json.dumps(answers), encoding="utf-8")
        with suppress(Exception):  # it may be gone before it has answered, or be slow to go; the answers are there
            desktop.terminate()
            office.wait(timeout=30)
    finally:
        if office.poll() is None:
            office.terminate()


if __name__ == "__main__":
    main(*sys.argv[1:])
