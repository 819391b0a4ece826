"""The charts of the chapter's experiments: each takes the table of a finding (``memlab.exam.study``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import altair as alt
import polars as pl

from memlab.charts import theme
from memlab.charts.gap import CLASSES
from memlab.charts.shares import shares
from memlab.exam.study import Finding

Chart = alt.TopLevelMixin
_WIDTH: Final = 460
# The shipped font has no minus sign; a hyphen keeps a label in one font.
_MINUS: Final = "replace(datum.label, '−', '-')"


def draw(finding: Finding, subtitle: Sequence[str] = ()) -> Chart | None:
    """Draw a finding; None where it has nothing to draw.

    Parameters
    ----------
    finding : Finding
    subtitle : sequence of str
        Where the figures come from: n, the exam, and who wrote it.
    """
    table = next(iter(finding.tables.values()))
    if table.is_empty() or not table.width:
        return None
    return _CHARTS[finding.name](finding, [*subtitle])


def _shares(y: str, color: str | None, panel: str | None, **more: Any) -> Callable[[Finding, list[str]], Chart]:
    def drawn(finding: Finding, subtitle: list[str]) -> Chart:
        table = next(iter(finding.tables.values()))
        return shares(
            table, y=y, color=color, panel=panel, title=finding.claim.title, subtitle=subtitle, width=_WIDTH, **more
        )

    return drawn


def _titled(chart: Any, finding: Finding, subtitle: list[str]) -> Chart:
    title = alt.TitleParams(finding.claim.title, subtitle=subtitle)
    styled: Chart = theme.styled(chart.properties(title=title))
    return styled


def _depth(finding: Finding, subtitle: list[str]) -> Chart:
    """Gold in the pool by depth, of the title arm and of all arms."""
    names = ["all arms", "title alone"]
    colour = alt.Color("arms:N", title=None, scale=alt.Scale(domain=names, range=list(theme.SERIES[:2])),
                       legend=alt.Legend(orient="bottom", symbolOpacity=1))  # fmt: skip
    base = alt.Chart(theme.rows(finding.tables["depth"], "depth")).encode(
        x=alt.X("depth:Q", title="nodes that each arm puts forward (log scale)", scale=alt.Scale(type="log", base=2),
                axis=alt.Axis(values=sorted(finding.tables["depth"]["depth"].unique().to_list()), grid=False)),
        color=colour,
    )  # fmt: skip
    told = [alt.Tooltip("arms:N"), alt.Tooltip("depth:Q"), alt.Tooltip("pool:Q", title="candidates a question"),
            alt.Tooltip("count:Q"), alt.Tooltip("n:Q", title="of"), alt.Tooltip("share:Q", format=".3f")]  # fmt: skip
    y = alt.Y("share:Q", title="gold in the pool (share of answerable)", scale=alt.Scale(domain=[0, 1]))
    line = base.mark_line(strokeWidth=2).encode(y=y)
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        y=y,
        tooltip=told,
        shape=alt.Shape("arms:N", title=None, scale=alt.Scale(domain=names, range=["circle", "diamond"])),
    )
    texts = base.mark_text(dy=-12, fontSize=11).encode(y=y, text="count:Q")
    band = base.mark_area(opacity=0.13).encode(y=alt.Y("low:Q"), y2="high:Q")
    chart = alt.layer(band, line, points, texts).properties(width=_WIDTH, height=260)
    return _titled(chart, finding, subtitle)


def _arms(finding: Finding, subtitle: list[str]) -> Chart:
    """Which sets of arms bring the gold (UpSet: Lex et al., IEEE TVCG 2014)."""
    sets = finding.tables["sets"]
    arms = [name for name in sets.columns if name != "count"]
    label = pl.concat_str([pl.when(pl.col(a)).then(pl.lit(a + " ")).otherwise(pl.lit("")) for a in arms])
    data = sets.with_columns(set=label.str.strip_chars().replace("", "none"))
    order = data["set"].to_list()
    held = data.unpivot(on=arms, index=["set", "count"], variable_name="arm", value_name="in")
    x = alt.X("set:N", sort=order, axis=None)
    bars = alt.Chart(theme.rows(data, "sets")).encode(x=x)
    y = alt.Y("count:Q", title="questions whose gold they bring", axis=alt.Axis(tickCount=4))
    up = alt.layer(
        bars.mark_bar(width=26, color=theme.SERIES[0]).encode(y=y, tooltip=["set:N", "count:Q"]),
        bars.mark_text(dy=-7).encode(y=y, text="count:Q"),
    ).properties(width=alt.Step(54), height=170)
    rows = alt.Chart(theme.rows(held, "dots")).encode(x=x, y=alt.Y("arm:N", sort=arms, title=None))
    dots = rows.mark_point(filled=True, size=150, opacity=1).encode(
        color=alt.condition("datum['in']", alt.value(theme.INK), alt.value("#D8DCE0"))
    )
    joined = rows.transform_filter("datum['in']").mark_line(color=theme.INK, strokeWidth=2).encode(detail="set:N")
    down = alt.layer(joined, dots).properties(width=alt.Step(54), height=24 * len(arms))
    return _titled(alt.vconcat(up, down, spacing=4).resolve_scale(x="shared"), finding, subtitle)


def _signals(finding: Finding, subtitle: list[str]) -> Chart:
    """How similarity and gap are spread, by what became of the first by meaning."""
    data = finding.tables["questions"].unpivot(on=["similarity", "gap"], index="class", variable_name="signal")
    areas = {row["signal"]: row for row in finding.tables["signals"].iter_rows(named=True)}
    panels = []
    for name, label in (
        ("similarity", "raw similarity of the first (cosine)"),
        ("gap", "gap: first minus second (cosine)"),
    ):
        area = areas[name]
        told = "" if area["auc"] is None else f"AUC {area['auc']:.3f} ({area['low']:.3f} to {area['high']:.3f})"
        part = data.filter(pl.col("signal") == name).with_columns(pl.col("value").round(4))
        panels.append(
            alt.Chart(theme.rows(part, name), title=alt.TitleParams(told, fontSize=12, fontWeight="normal", offset=4))
            .transform_density("value", groupby=["class"], as_=["value", "density"], counts=False, steps=120)
            .mark_area(opacity=0.4, line={"strokeWidth": 1.8})
            .encode(
                x=alt.X("value:Q", title=label),
                y=alt.Y("density:Q", title="density", stack=None, axis=alt.Axis(labels=False, ticks=False)),
                color=alt.Color(
                    "class:N", title=None, scale=theme.palette(CLASSES), legend=alt.Legend(orient="bottom")
                ),
            )
            .properties(width=300, height=200)
        )
    return _titled(alt.hconcat(*panels, spacing=26), finding, subtitle)


def _titles(finding: Finding, subtitle: list[str]) -> Chart:
    """Words of a title by kind, and whose questions each kind stands first on."""
    lengths, won = finding.tables["lengths"], finding.tables["won"]
    kinds = lengths["kind"].to_list()
    base = alt.Chart(theme.rows(lengths, "lengths")).encode(y=alt.Y("kind:N", sort=kinds, title=None))
    tip = ["kind:N", alt.Tooltip("n:Q", title="nodes"), "q25:Q", "median:Q", "q75:Q", "longest:Q"]
    left = alt.layer(
        base.mark_bar(height=14, opacity=0.5, color=theme.SERIES[0]).encode(
            x=alt.X("q25:Q", title="words of a title (middle half, median)", scale=alt.Scale(zero=True)), x2="q75:Q"
        ),
        base.mark_tick(thickness=3, height=20, color=theme.INK).encode(x="median:Q", tooltip=tip),
        base.mark_text(align="left", dx=8, dy=0).encode(x="q75:Q", text=alt.Text("median:Q", format=".0f")),
    ).properties(width=250, height=36 * len(kinds))
    told = won.with_columns(
        share=pl.col("count") / pl.col("n"),
        first_kind=pl.col("first_kind").fill_null("nothing"),
        gold_kind=pl.col("gold_kind").fill_null("unknown"),
    )
    grid = alt.Chart(theme.rows(told, "won")).encode(
        x=alt.X("first_kind:N", title="kind that stands first", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("gold_kind:N", title="kind that was asked for", sort=kinds),
    )
    right = alt.layer(
        grid.mark_rect().encode(
            color=alt.Color("share:Q", title="share of the row", scale=alt.Scale(domain=[0, 1], scheme="blues"),
                            legend=alt.Legend(orient="bottom", format=".1f", gradientLength=160)),
            tooltip=["gold_kind:N", "first_kind:N", "count:Q", alt.Tooltip("n:Q", title="of"),
                     alt.Tooltip("right:Q", title="the gold itself")],
        ),
        grid.mark_text(fontSize=12).encode(
            text="count:Q", color=alt.condition("datum.share > 0.55", alt.value("white"), alt.value(theme.INK))
        ),
    ).properties(width=alt.Step(74), height=36 * max(1, told["gold_kind"].n_unique()))  # fmt: skip
    return _titled(
        alt.hconcat(left, right, spacing=40).resolve_scale(color="independent", y="independent"), finding, subtitle
    )


def _factorial(finding: Finding, subtitle: list[str]) -> Chart:
    """The eight cells, and the effects with their intervals."""
    cells = finding.tables["cells"].with_columns(
        net=(pl.col("right") - pl.col("wrong")) / pl.col("n"),
        bar=pl.col("bar").replace_strict({1: "one word", 2: "two words"}),
    )
    domain = ["one word", "two words"]
    colour = alt.Color("bar:N", title="bar", legend=alt.Legend(orient="bottom"),
                       scale=alt.Scale(domain=domain, range=list(theme.SERIES[:2])))  # fmt: skip
    base = alt.Chart().encode(
        x=alt.X("gap:N", sort=["none", "gap"], title="gap asked for", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("net:Q", title="right minus wrong, a question", axis=alt.Axis(labelExpr=_MINUS)),
        color=colour,
    )
    told = ["bar:N", "order:N", "gap:N", "right:Q", "wrong:Q", "first:Q", "n:Q"]
    shape = alt.Shape("bar:N", legend=None, scale=alt.Scale(domain=domain, range=["circle", "diamond"]))
    left = (
        alt.layer(
            base.mark_line(strokeWidth=2),
            base.mark_point(filled=True, size=90, opacity=1).encode(shape=shape, tooltip=told),
        )
        .properties(width=130, height=220)
        .facet(column=alt.Column("order:N", title=None, header=alt.Header(labelExpr="'order: ' + datum.value")),
               data=theme.rows(cells, "cells"))
    )  # fmt: skip
    effects = finding.tables["effects"].filter(pl.col("cost") == 1)
    order = effects["effect"].to_list()
    rows = alt.Chart(theme.rows(effects, "effects")).encode(y=alt.Y("effect:N", sort=order, title=None))
    x = alt.X("score:Q", title="change of right minus wrong, a question", axis=alt.Axis(labelExpr=_MINUS))
    zero = alt.Chart(alt.InlineData(values=[{"zero": 0}]))
    x_low = alt.X("low:Q", axis=alt.Axis(labelExpr=_MINUS))
    right = alt.layer(
        zero.mark_rule(color="#888").encode(x=alt.X("zero:Q", axis=alt.Axis(labelExpr=_MINUS))),
        rows.mark_rule(strokeWidth=2, color=theme.SERIES[0], opacity=0.65).encode(x=x_low, x2="high:Q"),
        rows.mark_point(filled=True, size=70, opacity=1, color=theme.SERIES[0]).encode(
            x=x, tooltip=["effect:N", alt.Tooltip("score:Q", format="+.3f"), alt.Tooltip("low:Q", format="+.3f"),
                          alt.Tooltip("high:Q", format="+.3f"), "n:Q"]),
    ).properties(width=270, height=alt.Step(24))  # fmt: skip
    return _titled(alt.hconcat(left, right, spacing=30).resolve_scale(color="independent"), finding, subtitle)


def _unanswerable(finding: Finding, subtitle: list[str]) -> Chart:
    """What becomes of each kind of question without an answer."""
    table = finding.tables["unanswerable"]
    colours = {"resolved": theme.WRONG, "choose": theme.CHOOSE, "none": theme.NONE}
    data = table.with_columns(
        row=pl.format("{} (n = {})", "unanswerable", "n"),
        end=pl.col("share").cum_sum().over("unanswerable"),
    ).with_columns(start=pl.col("end") - pl.col("share"), middle=pl.col("end") - pl.col("share") / 2)
    base = alt.Chart(theme.rows(data, "unanswerable")).encode(
        y=alt.Y("row:N", title=None, axis=alt.Axis(labelLimit=220, domain=False, ticks=False))
    )
    bars = base.mark_bar(height=24).encode(
        x=alt.X("start:Q", title="share of questions", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".1f")),
        x2="end:Q",
        color=alt.Color("state:N", title=None, scale=theme.palette(colours), legend=alt.Legend(orient="bottom")),
        tooltip=["unanswerable:N", "state:N", "count:Q", "n:Q", alt.Tooltip("share:Q", format=".3f"),
                 alt.Tooltip("low:Q", title="95 % from", format=".3f"), alt.Tooltip("high:Q", format=".3f")],
    )  # fmt: skip
    inside = (
        base.transform_filter("datum.share > 0.04")
        .mark_text(color=theme.INK_ON_COLOUR)
        .encode(x="middle:Q", text="count:Q")
    )
    thin = (
        base.transform_filter("datum.state == 'resolved'")
        .transform_calculate(told="datum.count + ' resolved, and so wrong'")
        .mark_text(align="left", dx=8, fontSize=11, color=theme.FAINT)
        .encode(x=alt.value(_WIDTH), text="told:N")
    )
    return _titled(alt.layer(bars, inside, thin).properties(width=_WIDTH, height=alt.Step(38)), finding, subtitle)


_CHARTS: Final[dict[str, Callable[[Finding, list[str]], Chart]]] = {
    "depth": _depth,
    "arms": _arms,
    "kinds": _shares("gold_kind", "episodes", "measure", y_title="kind asked for"),
    "signals": _signals,
    "titles": _titles,
    "length": _shares("gold_kind", "counted", "measure", y_title="kind asked for"),
    "bar": _shares("step", None, "measure"),
    "factorial": _factorial,
    "encoder": _shares("measure", "encoder", "arms"),
    "language": _shares("reuse", "question and title", "measure", y_title="title words reused"),
    "pieces": _shares("measure", "pieces", None),
    "unanswerable": _unanswerable,
    "gate": _shares("questions", "gate", None),
    "validity": _shares("measure", "filter", None),
}
