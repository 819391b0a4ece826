"""What every display of memlab shares: text that cannot steer a terminal, and tables for notebooks.

Colours are set only where the background is set with them, so that a dark theme stays legible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

COLOURS = {"resolved": "#009E73", "choose": "#0072B2", "none": "#6b6b6b"}
TERMINAL = {"resolved": "bold green", "choose": "bold blue", "none": "bold"}


def visible(text: str) -> str:
    """Show control characters as a sign, so that a title cannot steer the terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


_BREAKS = str.maketrans(dict.fromkeys("\n\r\t\v\f\x85\u2028\u2029", " "))


def one_line(text: str) -> str:
    """Show a text on one line: breaks as spaces, other control characters as a sign."""
    return visible(text.translate(_BREAKS))


def shortened(text: str, most: int = 60) -> str:
    """Cut a long title in its middle: titles of one series differ at their end."""
    if len(text) <= most:
        return text
    tail = most * 2 // 5
    return f"{text[: most - tail - 1].rstrip()}…{text[-tail:].lstrip()}"


def cell(value: object) -> str:
    """One value of a table."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "–"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "–"
    return str(value)


def plain(text: object, style: str = "") -> Text:
    """Text for rich: a title may hold square brackets, which a str would give for mark-up."""
    from rich.text import Text

    return Text(visible(cell(text)), style=style)


def titled(title: str, node_id: str) -> Text:
    """A title with its id under it, in one column."""
    from rich.text import Text

    return Text.assemble(visible(title), "\n", (visible(node_id), "dim"))


def table(columns: Mapping[str, str], caption: str | None = None) -> Table:
    """A table for 80 columns: ``columns`` gives each label its alignment."""
    from rich import box
    from rich.table import Table

    made = Table(title=caption, title_justify="left", title_style="dim", show_edge=False, box=box.SIMPLE_HEAD,
                 padding=(0, 1, 0, 0))  # fmt: skip
    for number, (label, justify) in enumerate(columns.items()):
        # The first column takes what the others leave; theirs are short and never broken.
        made.add_column(label, justify=_JUSTIFY[justify], overflow="fold", ratio=1 if number == 0 else None)
    return made


_JUSTIFY: Mapping[str, Any] = {"left": "left", "right": "right"}


def html_table(
    head: Iterable[str], rows: Iterable[Sequence[object]], caption: str = "", right: Collection[int] = ()
) -> str:
    """A table for a notebook; everything in it is text. ``right`` holds the places of its columns of numbers."""

    def style(place: int) -> str:
        return f'style="text-align:{"right" if place in right else "left"};padding:2px 10px;vertical-align:top"'

    labels = "".join(f"<th {style(place)}>{escape(label)}</th>" for place, label in enumerate(head))
    lines = (
        "".join(f"<td {style(place)}>{escape(one_line(cell(value)))}</td>" for place, value in enumerate(row))
        for row in rows
    )
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    if not body:
        return ""
    title = f'<div style="margin-top:6px;opacity:.75">{escape(caption)}</div>' if caption else ""
    return f"{title}<table><thead><tr>{labels}</tr></thead><tbody>{body}</tbody></table>"


def html_list(lines: Iterable[str], caption: str = "") -> str:
    """A list of lines for a notebook."""
    items = "".join(f"<li>{escape(one_line(line))}</li>" for line in lines)
    if not items:
        return ""
    return f'<div style="margin-top:6px;opacity:.75">{escape(caption)}</div><ul style="margin:2px 0">{items}</ul>'


def html_state(state: str, text: str) -> str:
    """A state in its colour, and what it is about."""
    colour = COLOURS.get(state, COLOURS["none"])
    return (
        f'<span style="background:{colour};color:#fff;border-radius:4px;padding:2px 8px;font-weight:600">'
        f"{escape(state)}</span> <b>{escape(one_line(text))}</b>"
    )


def jsonable(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Rows of a frame as plain values: enums as text, instants as ISO 8601."""
    enums = [name for name, kind in frame.schema.items() if isinstance(kind, pl.Enum | pl.Categorical)]
    instants = [name for name, kind in frame.schema.items() if isinstance(kind, pl.Datetime)]
    rows = frame.with_columns(pl.col(enums).cast(pl.String)).to_dicts()
    for row in rows:
        for name in instants:
            row[name] = row[name].isoformat() if row[name] is not None else None
    return rows
