"""Make a notebook ready: charts that need no network, and tables that show whole titles."""

from __future__ import annotations

from typing import Final

_ROWS: Final = 30
_TEXT: Final = 120
_DIGITS: Final = 3


def ready(*, rows: int = _ROWS, text: int = _TEXT) -> None:
    """Set up charts and tables of the notebook that calls it; its first cell.

    Altair's charts then draw with the scripts that are installed here, where its default renderer would
    fetch them. polars' tables show whole titles, three decimals, and no line of types.

    Parameters
    ----------
    rows : int
        Rows of a table that are shown, the middle ones left out beyond that.
    text : int
        Signs of a text that are shown.
    """
    import altair as alt
    import polars as pl

    alt.renderers.enable("jupyter", offline=True)
    pl.Config.set_tbl_rows(rows)
    pl.Config.set_tbl_cols(-1)
    pl.Config.set_fmt_str_lengths(text)
    pl.Config.set_fmt_table_cell_list_len(6)
    pl.Config.set_float_precision(_DIGITS)
    pl.Config.set_tbl_hide_column_data_types(True)
    pl.Config.set_tbl_hide_dataframe_shape(True)
