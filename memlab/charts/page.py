"""A chart as a page: one HTML file that holds its scripts and its font, and may ask for nothing from anywhere."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from typing import Any, Final

import altair as alt
import vl_convert

from memlab.charts.embed import font_face
from memlab.charts.theme import FAMILY, FONTS

VEGA_LITE: Final = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
# Vega makes its functions from text, so scripts may; a request to anywhere may not.
_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline';"
    " font-src data:; img-src data: blob:"
)
# The font must be there before the first text is measured.
_SHOW: Final = """
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const show = () => vegaEmbed("#chart", read("chart-spec"), {
  renderer: "svg", actions: { export: true, source: false, compiled: false, editor: false },
});
document.fonts.load('12px "FAMILY"', "가 a").catch(() => null).then(show).catch((error) => {
  document.getElementById("chart").textContent = String(error);
});
""".replace("FAMILY", FAMILY)


def as_page(spec: dict[str, Any], title: str) -> str:
    """Return a specification as a page of its own.

    Parameters
    ----------
    spec : dict
        Vega-Lite, with its data.
    title : str
        Of the window.
    """
    told = json.dumps(spec, ensure_ascii=False)
    # JSON reads the escape as the sign, and no text of it can end the script that holds it.
    held = told.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f"""<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{font_face(told)}
body {{ margin: 16px; font-family: {FONTS}; }}
#chart {{ width: 100%; }}
</style>
</head>
<body>
<div id="chart"></div>
<script type="application/json" id="chart-spec">{held}</script>
<script type="module">
{_script()}
</script>
</body>
</html>
"""


@cache
def _script() -> str:
    return str(vl_convert.javascript_bundle(_SHOW, vl_version=VEGA_LITE))
