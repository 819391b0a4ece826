"""A node and everything it followed or was followed by, on one axis of time (chapter 18, section 8)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final

import altair as alt
import polars as pl

from memlab.around import Neighbourhood
from memlab.charts import theme
from memlab.charts.given import given
from memlab.hiding import day

DATASET: Final = "timeline"
INSTANT: Final = "instant"
MOST: Final = 30
_LABEL: Final = 44
_STEP: Final = 46
_HOW: Final = "what lab.around(node) returned"
# Room on both sides of the dates that are known, as a share of what they span.
_ROOM: Final = 0.12
_SCHEMA: Final = {
    "place": pl.Int32(), "node_id": pl.String(), "label": pl.String(), "title": pl.String(), "kind": pl.String(),
    "validity": pl.String(), "held": pl.String(), "hidden_by": pl.String(), "start": pl.Datetime("us", "UTC"),
    "end": pl.Datetime("us", "UTC"), "open_start": pl.Boolean(), "open_end": pl.Boolean(), "unknown": pl.Boolean(),
    "empty": pl.Boolean(), "late": pl.Boolean(), "in_cycle": pl.Boolean(),
}  # fmt: skip


def timeline_data(neighbourhood: Neighbourhood, most: int = MOST) -> pl.DataFrame:
    """Lay out when a node and its predecessors and successors held.

    Parameters
    ----------
    neighbourhood : Neighbourhood
    most : int
        Rows at most; those nearest to the node are kept.

    Returns
    -------
    polars.DataFrame
        A row a node, what came before first: ``place`` (0 is the node itself) · ``node_id`` · ``label``
        · ``title`` · ``kind`` · ``validity`` · ``held`` (the interval in words) · ``hidden_by`` ·
        ``start`` and ``end`` (where its bar stands; at the end of the axis where it is open) ·
        ``open_start`` · ``open_end`` · ``unknown`` (ended, nobody knows when) · ``empty`` (held at no
        time) · ``late`` (its bar begins in the right half of the axis) · ``in_cycle``.
    """
    one = given(neighbourhood, Neighbourhood, "neighbourhood", _HOW)
    nearest = one.timeline.sort(pl.col("place").abs(), maintain_order=True).head(most)
    rows = nearest.sort("place", maintain_order=True).to_dicts()
    first, last = _axis(rows, one.as_of)
    middle = first + (last - first) / 2
    made = []
    labels = _labels(rows)
    for row, label in zip(rows, labels, strict=True):
        since, until, unknown = row["valid_from"], row["effective_to"], bool(row["ended_always"])
        empty = not unknown and since is not None and until is not None and until <= since
        start, end = since or first, last if unknown or until is None else until
        made.append(
            {
                "place": row["place"], "node_id": row["node_id"], "label": label,
                "title": theme.line_of(row["title"]), "kind": row["kind"], "validity": row["validity"],
                "held": _held(since, until, unknown=unknown, empty=empty), "hidden_by": row["hidden_by"] or "holds",
                "start": start, "end": start if empty else end, "open_start": since is None,
                "open_end": until is None and not unknown, "unknown": unknown, "empty": empty,
                "late": start > middle, "in_cycle": row["in_cycle"],
            }
        )  # fmt: skip
    return pl.DataFrame(made, schema=_SCHEMA, orient="row")


def timeline(neighbourhood: Neighbourhood, width: int = 520) -> alt.LayerChart:
    """Draw when a node, all its predecessors and all its successors held.

    Parameters
    ----------
    neighbourhood : Neighbourhood
        What ``lab.around(node)`` returned.
    width : int
        In pixels.

    Returns
    -------
    altair.LayerChart
        A bar a node. An arrow is an open end, a dashed frame a node that ended at an unknown date and so
        is retired at every instant, the line the instant asked about.

    Raises
    ------
    InputError
        If it is no neighbourhood.
    """
    one = given(neighbourhood, Neighbourhood, "neighbourhood", _HOW)
    data = timeline_data(one)
    total = one.timeline.height
    first, last = _axis(one.timeline.to_dicts(), one.as_of)
    asked = day(one.as_of.replace(microsecond=0))
    told = [f"n = {total} node{'s' if total > 1 else ''} · the line is the instant asked: {asked}"]
    signs = ["arrow: open end"] if data["open_start"].any() or data["open_end"].any() else []
    signs += ["dashed: ended, nobody knows since when, so it holds at no instant"] if data["unknown"].any() else []
    told += [" · ".join(signs)] if signs else []
    told += [f"the {data.height} nearest of {total}"] if data.height < total else []
    told += ["nothing came before it and nothing followed it"] if total == 1 else []
    told += ["a cycle: it is said to follow itself, which retires nobody"] if data["in_cycle"].any() else []
    title = alt.TitleParams(f"What held when: {theme.line_of(one.title, 70)}", subtitle=told)
    return theme.styled(
        _drawn(data, one, first, last, width).properties(title=title, width=width, height=alt.Step(_STEP))
    )


def _drawn(data: pl.DataFrame, one: Neighbourhood, first: datetime, last: datetime, width: int) -> alt.LayerChart:
    labels = data["label"].to_list()
    here = data.filter(place=0)["label"].to_list()
    axis = alt.Axis(
        domain=False, ticks=False, grid=False, labelPadding=12, labelLimit=270, labelOverlap=False,
        labelFontWeight=alt.condition(
            f"indexof({theme.quoted(here[0])}, datum.label) == 0" if here else "false", alt.value("bold"),
            alt.value("normal"),
        ),
    )  # fmt: skip
    y = alt.Y("label:N", sort=labels, title=None, axis=axis)
    domain = [alt.DateTime(**_parts(first)), alt.DateTime(**_parts(last))]
    x = alt.X("start:T", title="time (UTC)", scale=alt.Scale(type="utc", domain=domain, nice=False),
              axis=alt.Axis(grid=True, tickCount=6))  # fmt: skip
    present = [name for name in theme.VALIDITY if name in set(data["validity"])]
    legend = alt.Legend(orient="bottom", title=None, symbolOpacity=1)
    colours = theme.palette({name: colour for name, (colour, _) in theme.VALIDITY.items()}, present)
    colour = alt.Color("validity:N", scale=colours, legend=legend)
    shapes = alt.Scale(domain=present, range=[theme.VALIDITY[name][1] for name in present])
    tooltip = [
        alt.Tooltip("title:N", title="title"),
        alt.Tooltip("kind:N", title="kind"),
        alt.Tooltip("node_id:N", title="id"),
        alt.Tooltip("held:N", title="held"),
        alt.Tooltip("hidden_by:N", title="now"),
        alt.Tooltip("place:Q", title="place"),
    ]
    drawn = data.with_columns(pl.col("start", "end").dt.strftime("%Y-%m-%dT%H:%M:%SZ"))
    base = alt.Chart().encode(y=y)
    known = base.transform_filter("!datum.unknown && !datum.empty")
    bars = known.mark_bar(height=13).encode(x=x, x2="end:T", color=colour, tooltip=tooltip)
    unknown = base.transform_filter("datum.unknown").mark_bar(
        height=13, filled=False, strokeDash=[4, 3], strokeWidth=1.5, fillOpacity=0
    ).encode(x=x, x2="end:T", color=colour, tooltip=tooltip)  # fmt: skip
    sign = base.transform_filter("!datum.open_start || datum.empty").mark_point(filled=True, size=110, opacity=1)
    signs = sign.encode(x=x, color=colour, shape=alt.Shape("validity:N", scale=shapes, legend=legend), tooltip=tooltip)
    left = base.transform_filter("datum.open_start").mark_point(
        shape="triangle-left", filled=True, size=170, opacity=1
    ).encode(x=x, color=colour, tooltip=tooltip)  # fmt: skip
    right = base.transform_filter("datum.open_end").mark_point(
        shape="triangle-right", filled=True, size=170, opacity=1
    ).encode(x=alt.X("end:T"), color=colour, tooltip=tooltip)  # fmt: skip
    early = base.transform_filter("!datum.late").mark_text(align="left", dy=-14, dx=-2, fontSize=11, opacity=0.8)
    late = base.transform_filter("datum.late").mark_text(align="right", dy=-14, dx=2, fontSize=11, opacity=0.8)
    instant = alt.InlineData(name=INSTANT, values=[{"at": one.as_of.strftime("%Y-%m-%dT%H:%M:%SZ")}])
    rule = alt.Chart(instant).mark_rule(strokeWidth=1.5, strokeDash=[5, 3]).encode(
        x=alt.X("at:T"), tooltip=[alt.Tooltip("at:T", title="asked at", format="%Y-%m-%d")]
    )  # fmt: skip
    layers: Any = alt.layer(
        bars, unknown, rule, signs, left, right, early.encode(x=x, text="held:N"),
        late.encode(x=alt.X("end:T"), text="held:N"),
        data=theme.rows(drawn, DATASET),
    )  # fmt: skip
    chart: alt.LayerChart = layers
    return chart


def _axis(rows: Iterable[dict[str, Any]], as_of: datetime) -> tuple[datetime, datetime]:
    """Where the axis begins and ends: past every date that is known and the instant asked."""
    known = [date for row in rows for date in (row["valid_from"], row["effective_to"]) if date is not None] + [as_of]
    first, last = min(known), max(known)
    # The calendar of Python ends at both sides; a room that leaves it is left out.
    room = max((last - first) * _ROOM, timedelta(days=180))
    return _moved(first, -room), _moved(last, room)


def _moved(date: datetime, by: timedelta) -> datetime:
    try:
        return date + by
    except OverflowError:
        return date


def _parts(date: datetime) -> dict[str, Any]:
    return {"year": date.year, "month": date.month, "date": date.day, "hours": date.hour, "utc": True}


def _labels(rows: Iterable[dict[str, Any]]) -> list[str]:
    """Name each row by its title, with its id where two share one."""
    made: list[str] = []
    for row in rows:
        label = theme.line_of(row["title"], _LABEL) or "(no title)"
        made.append(f"{label} ({theme.line_of(row['node_id'], 24)})" if label in made else label)
    return made


def _held(since: datetime | None, until: datetime | None, *, unknown: bool, empty: bool) -> str:
    start = day(since) if since else "always"
    if unknown:
        return f"ended, nobody knows when (from {start})" if since else "ended, nobody knows when"
    if empty and since and until:
        return f"held at no time: from {day(since)} to {day(until)}"
    if until is None:
        return f"from {start} on" if since else "no dates stated: it holds"
    return f"{start} to {day(until)}" if since else f"until {day(until)}"
