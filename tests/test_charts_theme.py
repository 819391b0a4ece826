"""The look: colours that stay apart for every reader, a file to load elsewhere, a theme to turn on."""

from __future__ import annotations

import itertools
import json
import re

import altair as alt
import numpy as np
import pytest
import vl_convert
from chart_samples import CHARTS
from numpy.typing import NDArray

from memlab import charts
from memlab.charts import theme
from memlab.charts.bars import SEGMENTS
from memlab.charts.signs import CLASSES
from memlab.charts.waterfall import STATUS

# Machado, Oliveira and Fernandes, IEEE TVCG 2009: the whole loss of one kind of cone, in linear RGB.
EYES = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])
# Just told apart is 2.3; colours of a legend need far more.
APART = 14.0
TOGETHER = {
    "outcomes": [colour for _, _, colour in SEGMENTS.values()],
    "classes": list(CLASSES.values()),
    "conditions": list(theme.SERIES),
    "kinds": [colour for colour, _ in theme.KINDS.values()],
    "validity": [colour for colour, _ in theme.VALIDITY.values()],
    "steps": [colour for colour, _ in STATUS.values()],
}


def lab_of(colour: str, eye: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIELAB of a colour as an eye sees it."""
    signs = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(signs <= 0.04045, signs / 12.92, ((signs + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(eye @ linear, 0, 1) / WHITE
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("chart", TOGETHER)
def test_colours_of_one_chart_stay_apart(chart: str, eye: str) -> None:
    seen = {colour: lab_of(colour, EYES[eye]) for colour in dict.fromkeys(TOGETHER[chart])}
    for one, other in itertools.combinations(seen, 2):
        assert np.linalg.norm(seen[one] - seen[other]) > APART, (one, other)


def test_what_is_told_by_colour_is_told_by_shape_too() -> None:
    for looks in (theme.KINDS, theme.VALIDITY):
        assert len({shape for _, shape in looks.values()}) == len(looks)


def test_no_condition_wears_the_colour_of_an_outcome() -> None:
    meaning = {theme.RIGHT, theme.WRONG, theme.CHOOSE, theme.CHOOSE_WITHOUT, theme.NONE, theme.UNANSWERABLE}
    assert not meaning & {
        *theme.SERIES,
        *(c for c, _ in theme.KINDS.values()),
        *(c for c, _ in theme.VALIDITY.values()),
    }


def test_the_theme_file_is_the_look_and_draws_elsewhere() -> None:
    held = theme.THEME_FILE.read_text(encoding="utf-8")
    # Where this fails: theme.THEME_FILE.write_text(theme.theme_json())
    assert held == theme.theme_json()
    bare = alt.Chart(alt.InlineData([{"a": "가", "b": -1}])).mark_bar().encode(x="b:Q", y="a:N", color="a:N").to_dict()
    bare["config"] = json.loads(held)
    svg = vl_convert.vegalite_to_svg(bare, vl_version="6.4")
    assert theme.SERIES[0] in svg
    assert "NanumGothic" in svg


def test_the_theme_can_be_turned_on_and_off() -> None:
    before = alt.theme.active
    try:
        charts.enable_theme()
        assert alt.theme.active == "memlab"
        chart = alt.Chart(alt.InlineData([{"a": 1}])).mark_point().encode(x="a:Q")
        assert chart.to_dict()["config"]["font"] == theme.FONTS
        assert CHARTS["gaps"]().to_dict()["config"]["font"] == theme.FONTS
    finally:
        alt.theme.enable(before)


def test_numbers_under_zero_have_a_sign_that_the_font_has() -> None:
    chart = alt.Chart(alt.InlineData([{"a": -1.5}, {"a": 2}])).mark_point().encode(x="a:Q")
    texts = re.findall(r">([^<]*1\.5)<", vl_convert.vegalite_to_svg(theme.styled(chart).to_dict(), vl_version="6.4"))
    assert "-1.5" in texts


def test_no_ink_is_fixed_that_a_dark_page_could_not_tint() -> None:
    for name, make in CHARTS.items():
        spec = make().to_dict()
        spec.pop("config")
        told = json.dumps(spec)
        assert theme.INK not in told, name
        assert theme.FAINT not in told, name
