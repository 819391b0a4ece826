"""A study as files: ``index.html``, ``study.json``, ``settings.toml``, ``charts/`` and ``tables/``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import altair as alt
import polars as pl

from memlab import charts
from memlab.charts.provenance import subtitle
from memlab.charts.study import draw
from memlab.defaults import save_both
from memlab.exam.grade import GROUPS
from memlab.exam.ranking import ranking
from memlab.exam.report import LABELS
from memlab.exam.study import Study
from memlab.reporting.folder import check, replace_folder
from memlab.reporting.page import Page, Section, write_page

MARKER: Final = "study.json"
# Tables of more rows than this stand in files alone.
_LONG: Final = 40
# Signs of the name of settings that a file is called by.
_NAME: Final = 60
_CONFIDENCE: Final = (
    "Confidence is how strict the gaps may be until the rules let go of a question; 1 is as they stand."
)
_GROUPS: Final = "Risk by kind and by language pair leaves out the questions without an answer, which have neither."
_TESTS: Final = "McNemar's exact test on the questions that differ; Holm over all rows; paired bootstrap intervals."


def write_study(
    study: Study, folder: str | Path, *, command: str = "", formats: Sequence[str] = ("svg",)
) -> list[Path]:
    """Write a study into a folder, whole or not at all.

    Parameters
    ----------
    study : Study
    folder : str or Path
        Replaced if an earlier study stands there; refused if anything else does.
    command : str
        What makes it again; it stands in the report.
    formats : sequence of {"svg", "png", "pdf", "html", "json"}
        Of the charts.

    Returns
    -------
    list of Path
        Everything that was written, in order of name.

    Raises
    ------
    MemlabError
        If the folder holds something else or cannot be written.
    """
    target = Path(folder)
    about = study.made_by(command or study.call())
    tables, drawn = study_tables(study), study_charts(study)

    def write(made: Path) -> None:
        (made / "tables").mkdir()
        for name, table in tables.items():
            (made / "tables" / f"{name}.csv").write_text(as_csv(table), encoding="utf-8")
        for name, chart in drawn.items():
            charts.save(chart, made / "charts" / name, formats)
        save_both(made / "settings.toml", study.bench.settings, study.bench.lab.gathering)
        told = {"findings": study.summary().to_dicts(), "standing": study.bench.outcomes.standing().as_dict()}
        (made / MARKER).write_text(json.dumps(about | told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        write_page(_page(study, about, tables, drawn), made / "index.html")

    replace_folder(target, MARKER, write)
    return sorted(path for path in target.rglob("*") if path.is_file())


def check_folder(folder: str | Path) -> None:
    """Refuse a folder that a study cannot be written into, as it holds something else.

    Raises
    ------
    MemlabError
        Naming the folder.
    """
    check(Path(folder), MARKER)


def study_tables(study: Study) -> dict[str, pl.DataFrame]:
    """Return every table of a study, by the name of its file."""
    tables: dict[str, pl.DataFrame] = {"summary": study.summary()}
    places = _places(study.graded)
    for name, one in study.graded.items():
        place = places[name]
        tables[f"outcomes{place}"] = one.table().drop("group")
        for by in GROUPS:
            # A group that holds no such question has nothing to say of that measure.
            tables[f"outcomes{place}-by-{by}"] = one.table(by).filter(pl.col("n") > 0)
        tables[f"choose-lists{place}"] = one.choose_lists()
        tables[f"ranking{place}"] = ranking(one, seed=study.bench.seed)
        curve = study.curves[name]
        tables[f"curve{place}"] = curve.points
        tables[f"selective{place}"] = curve.selective()
    if study.strict is not None:
        tables["outcomes-strict-gold"] = study.strict.table().drop("group")
    tables["funnel"] = charts.funnel_data(study.graded)
    tables["areas"] = pl.DataFrame(
        [
            {"setting": name, "n": study.bench.outcomes.rows.height, "aurc": one.aurc,
             "aurc_low": one.aurc_interval[0], "aurc_high": one.aurc_interval[1],
             "augrc": one.augrc, "augrc_low": one.augrc_interval[0], "augrc_high": one.augrc_interval[1]}
            for name, one in study.curves.items()
        ]
    )  # fmt: skip
    if study.comparison is not None:
        tables["comparison"], tables["flips"] = study.comparison.table, study.comparison.flips
    for name, finding in study.findings.items():
        for part, table in finding.tables.items():
            if table.width:
                tables[f"{name}-{_file(part)}" if part != name else name] = table
    return tables


def study_charts(study: Study) -> dict[str, Any]:
    """Return every chart of a study, by the name of its file."""
    graded = study.graded if study.others else study.bench.outcomes
    curves = study.curves if study.others else study.curves["as set"]
    settings = study.bench.settings
    drawn: dict[str, Any] = {
        "outcomes": charts.outcomes(graded),
        "funnel": charts.funnel(graded),
        "risk-coverage": charts.risk_coverage(curves, graded),
        "gaps": charts.gaps(study.bench.outcomes, threshold=settings.gap, alone=settings.gap_alone),
    }
    for by in ("pair", "kind", "author"):
        # One group alone is the whole exam again.
        if charts.groups_data(study.bench.outcomes, by)["group"].n_unique() > 1:
            drawn[f"by-{by}"] = charts.groups(study.bench.outcomes, by)
    where = [subtitle(study.bench.outcomes)]
    for name, finding in study.findings.items():
        chart = draw(finding, where)
        if chart is not None:
            drawn[name] = chart
    return drawn


def as_csv(table: pl.DataFrame) -> str:
    """Return a table as CSV, the same bytes every time: six decimals, lists joined by a bar."""
    lists = [name for name, kind in table.schema.items() if isinstance(kind, pl.List)]
    flat = table.with_columns(pl.col(lists).cast(pl.List(pl.String)).list.join("|")) if lists else table
    return flat.write_csv(float_precision=6)


def _file(name: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "._" else "-" for sign in name)[:_NAME]


def _places(names: Iterable[str]) -> dict[str, str]:
    """What the files of each of the settings are called by: no two by the same, and none as a group is."""
    places: dict[str, str] = {}
    for name in names:
        place = "" if name == "as set" else f"-{_file(name)}"
        while place.casefold() in {one.casefold() for one in places.values()} or place.startswith("-by-"):
            place = f"-{place}"
        places[name] = place
    return places


def _page(
    study: Study, about: Mapping[str, Any], tables: Mapping[str, pl.DataFrame], drawn: Mapping[str, alt.TopLevelMixin]
) -> Page:
    outcomes = study.bench.outcomes
    standing = outcomes.standing()
    sections = [
        Section("outcomes", "What became of the questions", figures=("outcomes", "funnel"),
                tables=("outcomes", "outcomes-strict-gold", "choose-lists")),
        Section("unanswered", "Questions without an answer, each kind apart", tables=("outcomes-by-unanswerable",)),
        Section("risk", "Risk against coverage", figures=("risk-coverage", "gaps"), tables=("areas", "selective"),
                text=(_CONFIDENCE,)),
        Section("ranking", "The order of the pool", tables=("ranking",),
                text=("By ir-measures, over the first 50 of the ordered pool, answerable questions alone.",)),
        Section("groups", "By language pair, kind, author and standing", text=(_GROUPS,),
                figures=("by-pair", "by-kind", "by-author"),
                tables=("outcomes-by-pair", "outcomes-by-kind", "outcomes-by-author", "outcomes-by-standing")),
    ]  # fmt: skip
    if study.comparison is not None:
        sections.append(Section("comparison", "Settings compared, question by question", tables=("comparison", "flips"),
                                text=(_TESTS, f"The differences: {study.comparison.standing()}.")))  # fmt: skip
    for name, finding in study.findings.items():
        held = [table for table in tables if table == name or table.startswith(f"{name}-")]
        sections.append(Section(name, finding.claim.title, finding=finding, figures=(name,), tables=tuple(held)))
    shown = {name: (_shown(name, table), table.height) for name, table in tables.items() if name != "summary"}
    return Page(outcomes, standing, study, about, tuple(sections), shown, dict(drawn))


def _shown(name: str, table: pl.DataFrame) -> pl.DataFrame:
    """What the page shows of a table: outcomes by group lie flat, a row a group."""
    if not name.startswith("outcomes") or not table.height:
        return table.head(_LONG)
    known = table.filter(pl.col("share").is_not_null())
    told = known.with_columns(
        pl.col("measure").replace(LABELS),
        told=pl.format("{}/{} = {}\n[{}, {}]", "count", "n", *(_two(c) for c in ("share", "low", "high"))),
    )
    if "group" not in table.columns:
        return told.select("measure", "told").rename({"told": "count / n = share [95 %]"})
    return told.pivot("measure", index="group", values="told", maintain_order=True).head(_LONG)


def _two(column: str) -> pl.Expr:
    """Two decimals, as text."""
    return pl.col(column).map_elements(lambda value: f"{value:.2f}", return_dtype=pl.String)
