"""Smooth densities of a few hundred values, worked out here: Vega's own fails on values that are all the same."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl
from numpy.typing import NDArray

_STEPS = 160


def densities(
    frame: pl.DataFrame, value: str, by: str, low: float, high: float, *, folded: bool = False
) -> pl.DataFrame:
    """Return a Gaussian kernel density of each class (Silverman's rule; Silverman 1986).

    Parameters
    ----------
    frame : polars.DataFrame
    value, by : str
        Columns of the values and of the classes; a column ``count`` weighs the values where there is one.
    low, high : float
        Between which the density is drawn.
    folded : bool
        No value lies under 0: what the kernel would put there is folded back.

    Returns
    -------
    polars.DataFrame
        The class under its column's name · ``at`` · ``density`` (per unit of the value); no rows for a
        class of fewer than two different values, which has no density.
    """
    grid = np.linspace(low, high, _STEPS)
    parts = [
        pl.DataFrame({by: [str(name)] * _STEPS, "at": grid, "density": smooth})
        for (name,), part in frame.group_by(by, maintain_order=True)
        if (smooth := _smooth(part, value, grid, folded)) is not None
    ]
    schema = {by: pl.String(), "at": pl.Float64(), "density": pl.Float64()}
    return pl.concat(parts).sort(by, "at") if parts else pl.DataFrame(schema=schema)


def _smooth(part: pl.DataFrame, value: str, grid: NDArray[np.float64], folded: bool) -> NDArray[np.float64] | None:
    from scipy.stats import gaussian_kde

    values = part[value].to_numpy()
    if len(np.unique(values)) < 2:
        return None
    weights = part["count"].to_numpy().astype(float) if "count" in part.columns else None
    # As many values as the weights stand for: the rule asks for their number.
    whole = np.repeat(values, weights.astype(int)) if weights is not None else values
    kernel = gaussian_kde(whole, bw_method="silverman")
    smooth = kernel(grid) + (kernel(-grid) if folded else 0.0)
    return np.asarray(smooth, dtype=float)


def classes_of(frame: pl.DataFrame, by: str, names: Iterable[str]) -> list[str]:
    """Return the names that stand in a column, in their own order."""
    held = set(frame[by].cast(pl.String))
    return [name for name in names if name in held]
