"""Vega for the page, sent once a kernel: every live chart refers to it instead of carrying a megabyte of its own.

A host of anywidget gives a front end two seconds to load, after which what the kernel says is never heard; so
what must load in that time is small, and Vega comes by itself, once for all charts of a page.
"""

from __future__ import annotations

import hashlib
import threading
from contextlib import suppress
from functools import cache
from importlib.metadata import version as package_version
from typing import Final

import altair as alt
import ipywidgets
import traitlets
import vl_convert

from memlab.encoders import cache_folder
from memlab.errors import InputError
from memlab.exam.files import write_whole

_MODULE: Final = "export default vegaEmbed;\n"


class Vega(ipywidgets.Widget):  # type: ignore[misc]  # its base has no types
    """The source of a module whose default export is Vega-Embed, with Vega and Vega-Lite in it.

    Attributes
    ----------
    key : str
        The same for the same source; a page imports a key once.
    source : str
        JavaScript, about a megabyte; nothing in it is fetched.
    """

    key = traitlets.Unicode().tag(sync=True)
    source = traitlets.Unicode().tag(sync=True)


_made: list[Vega] = []
_making = threading.Lock()


def shared_vega() -> Vega:
    """Return this kernel's one; a new one where it was closed (``ipywidgets.Widget.close_all``)."""
    with _making:
        if not _made or _made[0].comm is None:
            source = bundled()
            _made[:] = [Vega(key=hashlib.sha256(source.encode()).hexdigest()[:16], source=source)]
        return _made[0]


@cache
def bundled() -> str:
    """Return the module's source.

    Bundling takes seconds, so what was made is kept in the cache's folder, by all that it was made from.
    """
    version = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    made_from = f"{package_version('vl-convert-python')}\n{version}\n{_MODULE}"
    kept = cache_folder() / f"vega-{hashlib.sha256(made_from.encode()).hexdigest()[:16]}.js"
    with suppress(OSError, UnicodeError):
        return kept.read_text(encoding="utf-8")
    bundle = str(vl_convert.javascript_bundle(_MODULE, vl_version=version))
    # A folder that cannot be written to costs time and nothing else.
    with suppress(OSError, InputError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(kept, bundle)
    return bundle
