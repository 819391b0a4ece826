"""Make a notebook ready: charts that need no network, and tables that read well."""

from __future__ import annotations

from datetime import datetime
from html import escape
from typing import TYPE_CHECKING, Any, Final

from memlab.display import html_table
from memlab.errors import InputError
from memlab.hiding import day

if TYPE_CHECKING:
    import polars as pl

_ROWS: Final = 30
# Three decimals would tell anything smaller as 0.
_SMALL: Final = 0.0005


def ready(rows: int = _ROWS) -> None:
    """Set up the notebook that calls this in its first cell.

    Altair's charts then draw with the scripts that are installed here, where its default renderer would
    fetch them. polars' frames show as plain tables: text on the left and whole, numbers on the right with
    three decimals, no line of types.

    Parameters
    ----------
    rows : int
        Rows of a table that are shown, at least 1; the table says how many there are.

    Raises
    ------
    InputError
        If ``rows`` is no such number.

    Notes
    -----
    Outside a notebook it sets Altair's renderer and nothing else.
    """
    import altair as alt
    import polars as pl
    from IPython.core.getipython import get_ipython

    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise InputError(f"must be a whole number of at least 1, not {rows!r}", field="rows")
    alt.renderers.enable("jupyter", offline=True)
    shell: Any = get_ipython()
    if shell is not None:
        html = shell.display_formatter.formatters["text/html"]
        html.for_type(pl.DataFrame, lambda frame: frame_html(frame, rows))


def frame_html(frame: pl.DataFrame, rows: int = _ROWS) -> str:
    """Return a frame as an HTML table; everything in it is text.

    Parameters
    ----------
    frame : polars.DataFrame
        Instants are told as days where they are midnights in UTC, lists joined by commas.
    rows : int
        Rows that are shown.
    """
    numbers = {place for place, kind in enumerate(frame.dtypes) if kind.is_numeric()}
    shown = ([_told(value) for value in row] for row in frame.head(rows).iter_rows())
    left_out = f"the first {rows} of {frame.height} rows" if frame.height > rows else ""
    return (
        html_table(frame.columns, shown, left_out, right=numbers)
        or f"<i>no rows: {escape(', '.join(frame.columns))}</i>"
    )


def _told(value: object) -> object:
    if isinstance(value, datetime):
        return day(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    # A p-value that is small is not 0.
    return f"{value:.1g}" if isinstance(value, float) and 0 < abs(value) < _SMALL else value
