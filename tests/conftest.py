"""One cache of vectors for the whole run, away from the user's own."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True, scope="session")
def cache_of_this_run(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Nothing that a test encodes lands in the user's cache, nor comes from it."""
    import os

    os.environ.setdefault("MEMLAB_CACHE", str(tmp_path_factory.mktemp("cache")))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A file's tests stay together for their fixtures; browsers take turns, as two are too much for two cores."""
    for item in items:
        group = "browser" if item.get_closest_marker("browser") else item.path.name
        item.add_marker(pytest.mark.xdist_group(group))
