"""Rows of a frame in the page: only those that are seen are sent; the kernel sorts, searches and turns the pages."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import anywidget
import polars as pl
import traitlets

from memlab.display import cell, one_line, shortened
from memlab.errors import InputError
from memlab.plain import check_number

_HERE: Final = Path(__file__).parent
# A page of rows stays small whatever a title holds.
_LONGEST: Final = 2000
# Text up to so many signs stands on one line.
_SHORT: Final = 22


class Table(anywidget.AnyWidget):
    """Show a frame page by page, to sort, search and select from, by mouse or by keyboard.

    Parameters
    ----------
    frame : polars.DataFrame
        Its order is kept until a heading is clicked; sorting is stable, and nulls come last.
    columns : mapping of str to str
        The columns to show and their headings, in this order; texts among them are searched.
    key : str
        The column that names a row: its values differ and are never null.
    page : int
        Rows on a page.
    caption : str
        What the table is, for readers of every kind.
    colours : mapping of str to mapping, optional
        For a column, the colour of each value: a square before the text.

    Attributes
    ----------
    frame : polars.DataFrame
        Setting it keeps heading, search and page; the page is the last one where there are fewer rows.
    selected : str
        The key of the selected row, empty where there is none, or where it has gone.
    search : str
        Rows are kept whose texts hold all of its words, in whatever case.
    sort, descending : str, bool
        The column sorted by, empty for the frame's own order.
    start : int
        Place of the first row shown, from 0: a multiple of ``page``.

    Raises
    ------
    InputError
        If a column is missing, or the key does not tell the rows apart.

    Examples
    --------
    >>> table = ml.widgets.Table(frame, {"question": "question", "gap": "gap (cosine)"})  # doctest: +SKIP
    >>> table.observe(lambda change: print(change["new"]), "selected")  # doctest: +SKIP
    """

    _esm = (_HERE / "table.js").read_text(encoding="utf-8")
    _css = (_HERE / "table.css").read_text(encoding="utf-8")
    caption = traitlets.Unicode().tag(sync=True)
    headings: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    page = traitlets.Int(10).tag(sync=True)
    search = traitlets.Unicode().tag(sync=True)
    sort = traitlets.Unicode().tag(sync=True)
    descending = traitlets.Bool().tag(sync=True)
    start = traitlets.Int().tag(sync=True)
    selected = traitlets.Unicode().tag(sync=True)
    view = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        frame: pl.DataFrame,
        columns: Mapping[str, str],
        *,
        key: str = "question_id",
        page: int = 10,
        caption: str = "",
        colours: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        check_number("", "page", page, 1, 1000, whole=True)
        self._columns = dict(columns)
        self._key = key
        self._colours = {name: dict(told) for name, told in (colours or {}).items()}
        self._kinds: dict[str, str] = {}
        self._folded: dict[str, tuple[pl.Series, pl.Series]] = {}
        self._ordered: tuple[tuple[object, ...], pl.DataFrame] | None = None
        self._frame = self._checked(frame)
        super().__init__(caption=caption, page=page)
        self.observe(self._moved, ["search", "sort", "descending", "start", "page"])
        self._show()

    @property
    def frame(self) -> pl.DataFrame:
        """The whole frame."""
        return self._frame

    @frame.setter
    def frame(self, frame: pl.DataFrame) -> None:
        self._frame = self._checked(frame)
        self._ordered = None
        self._show()

    @property
    def shown(self) -> pl.DataFrame:
        """The page as it stands: rows of the frame, with all of its columns."""
        return self._rows().slice(self.start, self.page)

    def _checked(self, frame: pl.DataFrame) -> pl.DataFrame:
        if not isinstance(frame, pl.DataFrame):
            raise InputError(f"give a polars frame, not {type(frame).__name__}", field="frame")
        for name in (self._key, *self._columns):
            if name not in frame.columns:
                raise InputError(f"missing; the frame has {', '.join(frame.columns)}", part="frame", field=name)
        keys = frame[self._key]
        if keys.null_count() or keys.n_unique() != frame.height:
            raise InputError("names two rows, or none; give a column with a value for each row", field=self._key)
        return frame

    @traitlets.validate("selected")
    def _known(self, proposal: dict[str, Any]) -> str:
        # A click may come late, on a row that has gone.
        value: str = proposal["value"]
        there = value and (self._frame[self._key].cast(pl.String) == value).any()
        return value if there else ""

    @traitlets.validate("sort")
    def _sortable(self, proposal: dict[str, Any]) -> str:
        value: str = proposal["value"]
        return value if value in self._columns else ""

    @traitlets.validate("start")
    def _placed(self, proposal: dict[str, Any]) -> int:
        height = self._rows().height
        last = max(0, height - 1) // self.page * self.page
        value: int = proposal["value"]
        return min(max(0, value // self.page * self.page), last)

    @traitlets.validate("page")
    def _some(self, proposal: dict[str, Any]) -> int:
        return min(max(1, int(proposal["value"])), 1000)

    def _moved(self, _: dict[str, Any]) -> None:
        self._show()

    def _show(self) -> None:
        """Send the page; one message, and none where nothing changed."""
        with self.hold_sync():
            self.start = self._placed({"value": self.start})
            self.selected = self._known({"value": self.selected})
            self.headings = [self._heading(name, label) for name, label in self._columns.items()]
            shown = self.shown.select(pl.col(self._key).cast(pl.String).alias("\0key"), *self._columns)
            self.view = {
                "rows": [[row[0], *map(_text, row[1:])] for row in shown.iter_rows()],
                "start": self.start,
                "found": self._rows().height,
                "total": self._frame.height,
            }

    def _heading(self, name: str, label: str) -> dict[str, Any]:
        # What once was long text stays so: columns that change their shape while a slider moves are hard to read.
        if self._kinds.get(name) != "text":
            self._kinds[name] = _kind(self._frame[name])
        return {"name": name, "label": label, "kind": self._kinds[name], "colours": self._colours.get(name, {})}

    def _rows(self) -> pl.DataFrame:
        """The frame searched and sorted; kept until one of the three changes."""
        asked = (self.search, self.sort, self.descending)
        if self._ordered is None or self._ordered[0] != asked:
            self._ordered = (asked, self._sorted(self._searched(self._frame)))
        return self._ordered[1]

    def _searched(self, frame: pl.DataFrame) -> pl.DataFrame:
        words = self.search.lower().split()
        texts = [self._fold(name) for name in self._columns if _is_text(frame.schema[name])]
        if not words or not texts:
            return frame
        whole = pl.DataFrame(texts).with_columns(pl.all().fill_null(""))
        holds = [pl.any_horizontal(pl.all().str.contains(word, literal=True)) for word in words]
        return frame.filter(whole.select(pl.all_horizontal(holds)).to_series())

    def _sorted(self, frame: pl.DataFrame) -> pl.DataFrame:
        if not self.sort:
            return frame
        kind = frame.schema[self.sort]
        by = pl.col(self.sort)
        if kind == pl.String:
            by = by.str.to_lowercase()
        elif _joins(kind):
            by = by.cast(pl.List(pl.String)).list.join(", ")
        return frame.sort(by, descending=self.descending, nulls_last=True, maintain_order=True)

    def _fold(self, name: str) -> pl.Series:
        """A column's text in small letters; most columns stay as they are when a slider moves."""
        column = self._frame[name]
        known = self._folded.get(name)
        if known is None or not known[0].equals(column):
            text = column.cast(pl.List(pl.String)).list.join(", ") if column.dtype == pl.List else column
            known = self._folded[name] = (column, text.cast(pl.String).str.to_lowercase().alias(name))
        return known[1]


def _is_text(kind: pl.DataType) -> bool:
    # Lists of lists are shown, and neither searched nor sorted as text.
    return isinstance(kind, pl.String | pl.Enum | pl.Categorical) or _joins(kind)


def _joins(kind: pl.DataType) -> bool:
    return isinstance(kind, pl.List) and not (kind.inner is not None and kind.inner.is_nested())


def _kind(column: pl.Series) -> str:
    """How a column is laid out: numbers to the right, short things on one line, text in lines."""
    if column.dtype.is_numeric():
        return "number"
    if column.dtype == pl.String and (column.str.len_chars().max() or 0) > _SHORT:  # type: ignore[operator]  # a count
        return "text"
    return "text" if column.dtype == pl.List else "short"


def _text(value: object) -> str:
    if isinstance(value, datetime):
        midnight = (value.hour, value.minute, value.second) == (0, 0, 0)
        return f"{value:%Y-%m-%d}" if midnight else f"{value:%Y-%m-%d %H:%M}"
    return one_line(shortened(cell(value), _LONGEST))
