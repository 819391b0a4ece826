"""What a lab decides by: settings from a file, or those measured for its encoder and calibrated to its store."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memlab.arms import Gathering
from memlab.encoders import Encoder
from memlab.errors import InputError
from memlab.indexes import Indexes
from memlab.plain import read_toml, write_toml
from memlab.rules import Settings, settings_for, warn_if_unmeasured
from memlab.store.columns import kind_of

# Shares of the reference questions; chosen by what they cost in candidates, by language (docs/findings.md).
FAR, FAR_BY_TITLES = 0.95, 0.5


def default_settings(encoders: Sequence[Encoder], indexes: Indexes) -> Settings:
    """The settings measured for the first encoder, or careful ones where none were measured.

    The floors are this store's own: what unrelated questions reach in it.
    """
    if not encoders:
        return Settings()
    info = encoders[0].info
    warn_if_unmeasured(info.name)
    return calibrated(settings_for(info.name, info.key), indexes)


def calibrated(settings: Settings, indexes: Indexes) -> Settings:
    """Set the floors to what the fixed reference questions reach in a store, by its first encoder.

    A question further from every title and every piece than 95 % of them is far from the store. Titles
    alone say less: without pieces the floor is their median, which costs about as little.
    """
    if not indexes.vectors or not len(indexes.vectors[0].reach):
        return settings
    titles, pieces = indexes.vectors[0].reach, indexes.pieces.reach
    if not len(pieces):
        return settings.but(floor=_quantile(titles, FAR_BY_TITLES))
    return settings.but(floor=_quantile(titles, FAR), piece_floor=_quantile(pieces, FAR))


def _quantile(reach: NDArray[np.float64], share: float) -> float:
    return round(float(np.quantile(reach, share)), 3)


def given(settings: object, gathering: object) -> tuple[Settings | None, Gathering | None]:
    """Settings and gathering of whatever was handed over: themselves, or a path of a file with both."""
    if gathering is not None and not isinstance(gathering, Gathering):
        raise InputError(f"give a Gathering; {kind_of(gathering)}", field="gathering")
    if settings is None or isinstance(settings, Settings):
        return settings, gathering
    if isinstance(settings, str | Path):
        rules = Settings.load(settings)
        return rules, gathering or _gathering_in(settings)
    raise InputError(f"give Settings or the path of a TOML file; {kind_of(settings)}", field="settings")


def _gathering_in(path: str | Path) -> Gathering | None:
    """The table ``[gathering]`` of a settings file, where it has one."""
    held = read_toml(path).get("gathering")
    if held is None:
        return None
    try:
        if not isinstance(held, dict):
            raise InputError("must be a table", field="gathering")
        return Gathering.from_dict(held)
    except InputError as error:
        raise error.in_file(str(path)) from None


def save_both(path: str | Path, settings: Settings, gathering: Gathering) -> None:
    """Write settings and gathering into one TOML file."""
    write_toml(path, settings.as_dict() | {"gathering": gathering.as_dict()})


def warn_of_another_encoder(settings: Settings, encoders: Sequence[Encoder]) -> None:
    """Warn where the thresholds belong to another encoder than the one that asks."""
    key = encoders[0].info.key if encoders else ""
    if settings.encoder and key and settings.encoder != key:
        warnings.warn(
            f"settings: their gaps belong to the encoder {settings.encoder}, and this store is asked by {key}",
            UserWarning,
            stacklevel=4,
        )
