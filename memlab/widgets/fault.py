"""What went wrong, as HTML: a callback's exception would otherwise end in the kernel's log, where nobody looks."""

from __future__ import annotations

import traceback
from html import escape
from typing import Final

from memlab.errors import MemlabError

_ERROR: Final = "border-left:4px solid #D55E00;padding:4px 10px;white-space:normal"


def fault_html(error: Exception | str) -> str:
    """Return a fault as HTML; one of the program, and not of what was given, with its trace."""
    told, details = str(error), ""
    # A refused value says it all in one line.
    if isinstance(error, Exception) and not isinstance(error, MemlabError):
        told = f"{type(error).__name__}: {error}"
        trace = escape("".join(traceback.format_exception(error)))
        details = f"<details><summary>where</summary><pre>{trace}</pre></details>"
    return f'<div class="memlab-error" style="{_ERROR}"><b>{escape(told)}</b>{details}</div>'
