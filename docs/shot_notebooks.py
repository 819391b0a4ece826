"""Picture every notebook as JupyterLab shows it: ``python docs/shot_notebooks.py [NN …]``.

One tall picture each, 1300 pixels wide, in ``build/shots/notebooks/``; with ``--dark``, ``--narrow`` (500
pixels) and ``--zoom`` (200 %) one more of each sort; with ``--voila`` as an app.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "browser"))

from jupyterlab_page import missing  # noqa: E402
from notebook_pages import NOTEBOOKS, Opened, dark, run, serving, whole  # noqa: E402

SHOTS = ROOT / "build" / "shots" / "notebooks"
_WAYS = {"": (1300, 1000, 1.0), "narrow": (500, 900, 1.0), "zoom": (650, 500, 2.0)}


def main() -> int:
    """Run the notebooks that are named by their number, or all, and picture them."""
    lacks = missing()
    if lacks:
        print(lacks)
        return 2
    flags = {word.removeprefix("--") for word in sys.argv[1:] if word.startswith("--")}
    numbers = tuple(word for word in sys.argv[1:] if not word.startswith("--"))
    chosen = [file for file in NOTEBOOKS if not numbers or file.name.startswith(numbers)]
    wrong = 0
    with serving("lab", ROOT / "notebooks") as place:
        for file in chosen:
            for way in ["", *sorted(flags & set(_WAYS))]:
                width, height, scale = _WAYS[way]
                with run(place, file.name, width=width, height=height, scale=scale) as opened:
                    whole(opened.page, _named(file, way))
                    if not way and "dark" in flags:
                        dark(opened.page)
                        whole(opened.page, _named(file, "dark"))
                    wrong += _told(file, opened)
    if "voila" in flags:
        with serving("voila", ROOT / "notebooks") as place:
            for file in chosen:
                with run(place, file.name) as opened:
                    opened.page.screenshot(path=_named(file, "voila"), full_page=True)
                    wrong += _told(file, opened)
    return 1 if wrong else 0


def _named(file: Path, way: str) -> Path:
    return SHOTS / f"{file.stem}{'-' + way if way else ''}.png"


def _told(file: Path, opened: Opened) -> int:
    found = opened.wrong()
    print(file.name, "·", "; ".join(found) or "all right", flush=True)
    return len(found)


if __name__ == "__main__":
    raise SystemExit(main())
