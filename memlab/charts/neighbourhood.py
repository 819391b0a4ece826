"""What is connected to a node as a small graph: each thing still itself (chapter 18, section 6)."""

from __future__ import annotations

from typing import Any, Final

import altair as alt
import polars as pl

from memlab.around import Neighbourhood
from memlab.charts import theme
from memlab.charts.given import given
from memlab.charts.lines import broken
from memlab.hiding import day

DATASETS: Final = ("nodes", "edges", "centre")
MOST: Final = 30
_HOW: Final = "what lab.around(node) returned"
_ROW: Final = 34
_LEAST: Final = 170
# Half the width of the drawing, in its own units; the box in the middle and the arc of the neighbours.
_HALF: Final = 100.0
_BOX: Final = 23.0
_INNER: Final = 31.0
_OUTER: Final = 41.0
_ARROWS: Final = {"out": "→", "in": "←", "beside": "–"}
_NODES: Final = {
    "node_id": pl.String(), "kind": pl.String(), "title": pl.String(), "label": pl.String(), "relation": pl.String(),
    "distance": pl.Int64(), "validity": pl.String(), "held": pl.String(), "side": pl.String(), "x": pl.Float64(),
    "y": pl.Float64(),
}  # fmt: skip
_EDGES: Final = {"source": pl.String(), "target": pl.String(), "type": pl.String(), "beside": pl.Boolean(),
                 "x": pl.Float64(), "y": pl.Float64(), "x2": pl.Float64(), "y2": pl.Float64()}  # fmt: skip


def neighbourhood_data(neighbourhood: Neighbourhood, most: int = MOST) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Lay out a node and what is connected to it: by kind, in two arcs, the same way every time.

    Parameters
    ----------
    neighbourhood : Neighbourhood
    most : int
        Neighbours at most; the nearest are kept.

    Returns
    -------
    tuple of polars.DataFrame
        Nodes, the one in the middle first: ``node_id`` · ``kind`` · ``title`` · ``label`` ·
        ``relation`` (how it is connected, in words) · ``distance`` · ``validity`` · ``held`` · ``side``
        (``middle``, ``left``, ``right``) · ``x`` and ``y`` (from -100 to 100 and from 1, the highest, to -1).
        Edges between them: ``source`` · ``target`` · ``type`` · ``beside`` (neither end is the node in
        the middle) · ``x`` · ``y`` · ``x2`` · ``y2``.
    """
    one = given(neighbourhood, Neighbourhood, "neighbourhood", _HOW)
    order = {kind: number for number, kind in enumerate(theme.KINDS)}
    others = one.nodes.filter(pl.col("distance") > 0).sort("distance", maintain_order=True).head(most)
    kind = pl.col("kind").replace_strict(order, default=len(order), return_dtype=pl.Int64)
    told = _relations(one)
    rows = others.with_columns(
        relation=pl.col("node_id").replace_strict(told, default="", return_dtype=pl.String)
    ).sort(kind, "relation", "distance", maintain_order=True).to_dicts()  # fmt: skip
    # The first half of the order fills the right arc, the rest the left one, so that kinds stay together.
    right = rows[: (len(rows) + 1) // 2]
    left = rows[len(right) :]
    made = [_node(one.node | {"relation": ""}, "middle", 0.0, 0.0)]
    for side, part in (("right", right), ("left", left)):
        for number, row in enumerate(part):
            y = 1 - (2 * number + 1) / max(len(part), 1)
            reach = _INNER + (_OUTER - _INNER) * (1 - y * y) ** 0.5
            made.append(_node(row, side, reach if side == "right" else -reach, y))
    nodes = pl.DataFrame(made, schema=_NODES, orient="row")
    places = {row["node_id"]: row for row in made}
    edges = [
        {"source": a, "target": b, "type": type_, "beside": one.node_id not in (a, b),
         "x": places[a]["x"], "y": places[a]["y"], "x2": places[b]["x"], "y2": places[b]["y"]}
        for a, type_, b in one.edges.select("source", "type", "target").unique(maintain_order=True).iter_rows()
        if a in places and b in places and a != b
    ]  # fmt: skip
    return nodes, pl.DataFrame(edges, schema=_EDGES, orient="row")


def neighbourhood(neighbourhood: Neighbourhood, width: int = 700) -> alt.LayerChart:
    """Draw a node and what is connected to it, connected and distinct.

    Parameters
    ----------
    neighbourhood : Neighbourhood
        What ``lab.around(node)`` returned.
    width : int
        In pixels; at 700 thirty neighbours can be read.

    Returns
    -------
    altair.LayerChart
        Each kind has a colour and a shape. An arrow says which way an edge runs (→ away from the node);
        what does not hold at the instant asked is hollow; beyond thirty the rest is counted.

    Raises
    ------
    InputError
        If it is no neighbourhood.
    """
    one = given(neighbourhood, Neighbourhood, "neighbourhood", _HOW)
    nodes, edges = neighbourhood_data(one)
    shown, total = nodes.height - 1, one.nodes.filter(pl.col("distance") > 0).height
    asked = day(one.as_of.replace(microsecond=0))
    counted = f"n = {total} connected node{'' if total == 1 else 's'}"
    counted += f", {total - shown} left out (the farthest)" if total > shown else ""
    told = [f"{counted} · hollow: does not hold at {asked} · → away from the node, ← towards it"]
    told += ["nothing is connected to it"] if not total else []
    rows = max(nodes.filter(side="right").height, nodes.filter(side="left").height)
    title = alt.TitleParams(f"Connected and distinct: {theme.line_of(one.title, 80)}", subtitle=told)
    height = max(rows * _ROW + 20, _LEAST)
    # The lines of the box are broken anew for another width; rows keep their distance.
    box = {"data": DATASETS[2], "from": "title", "to": "told", "beside": 14, "part": _BOX / _HALF, "size": 13.5,
           "lines": _lines(nodes.head(1), width)}  # fmt: skip
    return theme.styled(
        _drawn(nodes, edges, width).properties(
            title=title, width=width, height=height, usermeta={"memlab": {"lowered": False, "broken": [box]}}
        )
    )


def _lines(node: pl.DataFrame, width: int) -> int:
    """How many lines the title takes in its box."""
    return max(1, len(broken(node["title"][0], width * _BOX / _HALF - 14, 13.5, 4)))


def _relations(one: Neighbourhood) -> dict[str, str]:
    """How each node is connected, in words: the edges that lead to it, each with its direction."""
    told: dict[str, list[str]] = {}
    for row in one.edges.iter_rows(named=True):
        # Of an edge between two neighbours the farther end is the one that it explains.
        if row["direction"] == "beside":
            continue
        way = f"{_ARROWS[row['direction']]} {theme.line_of(row['type'], 24)}{' in a piece' if row['through'] else ''}"
        told.setdefault(row["node_id"], []).append(way)
    return {name: ", ".join(dict.fromkeys(ways)) for name, ways in told.items()}


def _node(row: dict[str, Any], side: str, x: float, y: float) -> dict[str, Any]:
    away = f"{row['distance']} away" if row["distance"] > 1 else ""
    held = "" if row["validity"] == "current" else row["validity"]
    relation = " · ".join(part for part in (row["relation"], away, held) if part)
    return {
        "node_id": row["node_id"], "kind": row["kind"], "title": theme.line_of(row["title"]),
        "label": theme.line_of(row["title"], 90) or "(no title)", "relation": relation, "distance": row["distance"],
        "validity": row["validity"], "held": row["hidden_by"] or "holds", "side": side,
        "x": round(x, 3), "y": round(y, 4),
    }  # fmt: skip


def _drawn(nodes: pl.DataFrame, edges: pl.DataFrame, width: int) -> alt.LayerChart:
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-_HALF, _HALF], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-1, 1], nice=False))
    kinds = [kind for kind in theme.KINDS if kind in set(nodes["kind"])]
    kinds += sorted(set(nodes["kind"]) - set(kinds))
    looks = [theme.KINDS.get(kind, (theme.SERIES[4], "cross")) for kind in kinds]
    legend = alt.Legend(orient="bottom", title=None, symbolOpacity=1, symbolFillColor=alt.Undefined)
    scale = alt.Scale(domain=kinds, range=[colour for colour, _ in looks])
    shapes = alt.Scale(domain=kinds, range=[shape for _, shape in looks])
    colour = alt.Color("kind:N", scale=scale, legend=legend)
    shape = alt.Shape("kind:N", scale=shapes, legend=legend)
    tooltip = [
        alt.Tooltip("title:N", title="title"),
        alt.Tooltip("kind:N", title="kind"),
        alt.Tooltip("node_id:N", title="id"),
        alt.Tooltip("relation:N", title="connected"),
        alt.Tooltip("held:N", title="now"),
    ]
    lines = alt.Chart(theme.rows(edges, DATASETS[1])).encode(
        x=x, y=y, x2="x2:Q", y2="y2:Q",
        tooltip=[alt.Tooltip("type:N", title="edge"), alt.Tooltip("source:N", title="from"),
                 alt.Tooltip("target:N", title="to")],
    )  # fmt: skip
    ways = (
        lines.transform_filter("!datum.beside").mark_rule(strokeWidth=1.3, opacity=0.45),
        lines.transform_filter("datum.beside").mark_rule(strokeWidth=1, opacity=0.3, strokeDash=[3, 3]),
    )
    around = alt.Chart(theme.rows(nodes.filter(pl.col("side") != "middle"), DATASETS[0])).encode(x=x, y=y)
    holds = around.transform_filter("datum.validity == 'current'").mark_point(filled=True, size=120, opacity=1)
    hollow = around.transform_filter("datum.validity != 'current'").mark_point(
        filled=False, size=100, strokeWidth=2, opacity=1
    )
    marks = [part.encode(color=colour, shape=shape, tooltip=tooltip) for part in (holds, hollow)]
    texts = [
        _text(around, side, second=second, tooltip=tooltip) for side in ("left", "right") for second in (False, True)
    ]
    layers: Any = alt.layer(*ways, *marks, *texts, *_middle(nodes.head(1), scale, width, tooltip))
    chart: alt.LayerChart = layers
    return chart


def _text(around: alt.Chart, side: str, *, second: bool, tooltip: list[alt.Tooltip]) -> alt.Chart:
    """The title beside a neighbour, or how it is connected under it."""
    away = 10 if side == "right" else -10
    room = alt.expr(f"width * {(_HALF - _OUTER) / 2 / _HALF:.3f} - 12")
    part = around.transform_filter(f"datum.side == '{side}'")
    mark: alt.Chart = part.mark_text(
        align="left" if side == "right" else "right", dx=away, dy=8 if second else -6, limit=room,
        fontSize=11 if second else 12, opacity=0.75 if second else 1,
    )  # fmt: skip
    return mark.encode(text="relation:N" if second else "label:N", tooltip=tooltip)


def _middle(node: pl.DataFrame, scale: alt.Scale, width: int, tooltip: list[alt.Tooltip]) -> list[alt.Chart]:
    """The node itself: a box with its title in lines and its kind."""
    row = node.row(0, named=True)
    room = width * _BOX / _HALF - 14
    lines = broken(row["title"], room, 13.5, 4) or ["(no title)"]
    high = 15 * (len(lines) + 1) + 12
    told = node.with_columns(told=pl.lit("\n".join(lines)), kind_told=pl.lit(f"{row['kind']} · {row['validity']}"))
    base = alt.Chart(theme.rows(told, DATASETS[2]))
    x = alt.X("left:Q", axis=None, scale=alt.Scale(domain=[-_HALF, _HALF], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-1, 1], nice=False))
    box = base.transform_calculate(left=str(-_BOX), right=str(_BOX)).mark_bar(
        height=high, cornerRadius=6, fill="#F3F6F9", strokeWidth=2.5, orient="horizontal"
    ).encode(x=x, x2="right:Q", y=y, stroke=alt.Color("kind:N", scale=scale, legend=None), tooltip=tooltip)  # fmt: skip
    named = base.mark_text(
        lineBreak="\n", lineHeight=15, fontSize=12.5, fontWeight="bold", baseline="top", dy=-high / 2 + 8,
        color=theme.INK_ON_COLOUR,
    )  # fmt: skip
    kind = base.mark_text(
        fontSize=11, limit=alt.expr(f"width * {_BOX / _HALF} - 8"), baseline="bottom", dy=high / 2 - 6, color="#4A5560"
    )
    place = {"x": alt.X("x:Q"), "y": y}
    return [box, named.encode(**place, text="told:N", tooltip=tooltip), kind.encode(**place, text="kind_told:N")]
