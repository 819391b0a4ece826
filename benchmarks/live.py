"""How long a move of the tuner takes: the kernel's part, and from the key to the painted chart, in a real browser.

    python benchmarks/live.py [--questions 2000] [--candidates 100] [--moves 40] [--designs-only] [--json FILE]

The exam is made up from a seed (``crowded.py``). Three ways to move a chart are measured in one run, move by
move in turn. Nothing is asserted: on a machine that does other work, read the ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "browser"))

from jupyterlab_page import missing, opened, served  # noqa: E402
from live_cells import DESIGNS, PAGE, designs_cells, tuner_cells  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

Times = dict[str, list[float]]
# After a move, before the next: the tuner's own idle work is under way by then, as it is under a hand.
REST = 250
FIELDS = ("kernel", "cpu", "changed", "frame")


def ask(page: Any, code: str) -> Any:
    """Run code in the notebook's kernel and return what it printed, read as JSON."""
    return json.loads(page.evaluate("code => bench.ask(code)", code) or "null")


def move(page: Any, chart: str, control: str, key: str) -> dict[str, float] | None:
    """Press a key on a control and return the milliseconds until its chart changed; None where it did not."""
    handle = page.locator(f".{control} .noUi-handle, .{control} input[type=checkbox]").first
    handle.focus()
    page.evaluate("chart => bench.arm(chart)", chart)
    page.keyboard.press(key)
    found: dict[str, float] | None = page.evaluate("() => bench.painted()")
    return found


def measured(page: Any, chart: str, control: str, keys: list[str], before: str = "") -> Times:
    """Move a control again and again; code of ``before`` runs in the kernel ahead of each move."""
    times: Times = {name: [] for name in FIELDS}
    for key in keys:
        ask(page, f"{before}\ntimed.clear(); print('0')")
        seen = move(page, chart, control, key)
        page.wait_for_timeout(REST)
        kernel = ask(page, "print(json.dumps(timed))")
        if seen and kernel:
            times["kernel"].append(sum(one[0] for one in kernel))
            times["cpu"].append(sum(one[1] for one in kernel))
            times["changed"].append(seen["changed"])
            times["frame"].append(seen["frame"])
    return times


def sweep(moves: int) -> list[str]:
    """Keys that go up and come back, so that every move changes something."""
    half = max(1, moves // 2)
    return ["ArrowRight"] * half + ["ArrowLeft"] * (moves - half)


def tuner_times(address: str, moves: int) -> dict[str, Times]:
    """The tuner as it ships: a threshold, and a switch that weighs the pools anew."""
    with opened(address, "tuner.ipynb") as (page, outside):
        page.locator(".memlab-bars svg.marks").wait_for()
        page.evaluate(PAGE)
        settled = "import asyncio\nwhile tuner._idle.busy: await asyncio.sleep(0.05)\nprint('0')"
        ask(page, settled)
        measured(page, "memlab-bars", "bench-gap", ["ArrowRight"] * 5)  # a start that does not count
        found = {"gap slider": measured(page, "memlab-bars", "bench-gap", sweep(moves))}
        ask(page, settled)
        some = [" "] * max(4, moves // 4)
        found["switch, weighed ahead"] = measured(page, "memlab-bars", "bench-switch", some)
        forget = "tuner._idle._jobs.clear(); tuner._decider._weighed.clear()"
        found["switch, weighed anew"] = measured(page, "memlab-bars", "bench-switch", some, forget)
        assert not outside, outside
    return found


def design_times(address: str, moves: int) -> dict[str, Times]:
    """The designs, in turn."""
    found: dict[str, Times] = {name: {field: [] for field in FIELDS} for name in DESIGNS}
    with opened(address, "designs.ipynb", height=2400) as (page, _):
        for name in DESIGNS:
            page.locator(f".bench-{name} svg.marks").wait_for()
        page.evaluate(PAGE)
        for at, key in enumerate(sweep(moves + 4)):
            for name in DESIGNS:
                once = measured(page, f"bench-{name}", f"bench-slider-{name}", [key])
                if at >= 4:  # a start that does not count
                    for field in FIELDS:
                        found[name][field] += once[field]
    return found


def told(title: str, found: dict[str, Times], first: str) -> Table:
    """Medians, the ninth of ten and the slowest, in milliseconds."""
    table = Table(title=title)
    heads = ("median · p90 · max, ms", "moves", "kernel", "its CPU", "key to changed chart", "… to next frame", "x")
    for head in heads:
        table.add_column(head, justify="left" if head is heads[0] else "right")
    base = statistics.median(found[first]["changed"]) if found[first]["changed"] else 1.0
    for name, times in found.items():
        if not times["changed"]:
            table.add_row(name, "0", *["–"] * 5)
            continue
        row = [spread(times["kernel"]), f"{statistics.median(times['cpu']):.0f}", spread(times["changed"])]
        ratio = f"{statistics.median(times['changed']) / base:.2f}"
        table.add_row(name, str(len(times["changed"])), *row, spread(times["frame"]), ratio)
    return table


def spread(values: list[float]) -> str:
    """Median, ninth decile and maximum."""
    ordered = sorted(values)
    ninth = ordered[min(len(ordered) - 1, int(0.9 * len(ordered)))]
    return f"{statistics.median(ordered):.0f} · {ninth:.0f} · {ordered[-1]:.0f}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=2000)
    parser.add_argument("--candidates", type=int, default=100)
    parser.add_argument("--title", type=int, default=2, help="length of the titles, in signs")
    parser.add_argument("--moves", type=int, default=40)
    parser.add_argument("--designs-only", action="store_true")
    parser.add_argument("--tuner-only", action="store_true")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    if missing():
        sys.exit(missing())
    folder = Path(tempfile.mkdtemp(prefix="bench-live-"))
    size = (args.questions, args.candidates, args.title)
    tuner_cells(folder / "tuner.ipynb", *size)
    designs_cells(folder / "designs.ipynb", *size, steps=args.moves + 8)
    report: dict[str, Any] = {"machine": f"{platform.machine()}, {os.cpu_count()} cores", "load": [os.getloadavg()[0]]}
    begun = time.perf_counter()
    with served(folder) as address:
        if not args.designs_only:
            report["tuner"] = tuner_times(address, args.moves)
        if not args.tuner_only:
            report["designs"] = design_times(address, args.moves)
    report["load"].append(os.getloadavg()[0])
    console = Console(width=130)
    what = f"{args.questions:,} questions, {args.candidates} candidates each"
    if "tuner" in report:
        console.print(told(f"The tuner, {what}", report["tuner"], "gap slider"))
    if "designs" in report:
        console.print(told("One chart of outcome bars, moved in three ways", report["designs"], "rows"))
    loads = " to ".join(f"{load:.1f}" for load in report["load"])
    console.print(f"{report['machine']} · load {loads} · {time.perf_counter() - begun:.0f} s in all")
    if args.json:
        args.json.write_text(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
