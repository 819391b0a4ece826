"""What all tests in a browser have in common."""

from __future__ import annotations

import pytest
from jupyterlab_page import missing


@pytest.fixture(autouse=True, scope="session")
def _patience() -> None:
    """Wait for what is to come as long as a busy machine may need; nothing here measures time."""
    if not missing():
        from playwright.sync_api import expect

        expect.set_options(timeout=60_000)
