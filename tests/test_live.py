"""What live charts have in common: one Vega for a page, and front ends that load in time."""

from __future__ import annotations

import json

import altair as alt
import polars as pl
import pytest

from memlab.widgets import LiveChart, Table
from memlab.widgets.askbox import AskBox
from memlab.widgets.copybox import CopyBox
from memlab.widgets.keys import Keys
from memlab.widgets.named import Named
from memlab.widgets.vega import bundled, shared_vega


def test_vega_goes_to_the_page_once_and_fetches_nothing() -> None:
    chart = alt.Chart(alt.InlineData([{"제목": "가", "n": 1}])).mark_bar().encode(x="n:Q", y="제목:N")
    first, second = LiveChart(chart), LiveChart(chart)
    assert first.vega is second.vega
    assert first.get_state()["vega"] == f"IPY_MODEL_{first.vega.model_id}"
    assert len(first.vega.source) > 500_000
    assert "export" in first.vega.source
    assert "esm.sh" not in first.vega.source
    # A host gives each front end two seconds to load.
    assert all(len(str(kind._esm)) < 20_000 for kind in (LiveChart, Table, CopyBox, AskBox, Keys, Named))


def test_a_chart_made_after_all_widgets_were_closed_brings_vega_again() -> None:
    before = shared_vega()
    before.close()
    after = LiveChart().vega
    assert after is not before
    assert after.comm is not None
    assert after.source == bundled()


def test_rows_go_to_the_page_as_json_that_every_page_can_read() -> None:
    chart = (
        alt.Chart(alt.InlineData(name="rows", values=[{"제목": "가", "n": 1}])).mark_bar().encode(x="n:Q", y="제목:N")
    )
    view = LiveChart(chart)
    frame = pl.DataFrame({"제목": ["가", "나", "다"], "n": [1.5, float("nan"), float("inf")]})
    view.update({"rows": frame})
    sent = view.get_state()["rows"]
    assert json.loads(sent, parse_constant=pytest.fail) == {
        "rows": [{"제목": "가", "n": 1.5}, {"제목": "나", "n": None}, {"제목": "다", "n": None}]
    }
    assert view.rows["rows"][0] == {"제목": "가", "n": 1.5}
