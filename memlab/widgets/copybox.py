"""A box of text with a button that copies it."""

from __future__ import annotations

from pathlib import Path

import anywidget
import traitlets

_HERE = Path(__file__).parent


class CopyBox(anywidget.AnyWidget):
    """Show text, as it is, with a button that copies it.

    Attributes
    ----------
    text : str
        What is shown and copied.
    label : str
        What the button says.
    """

    _esm = (_HERE / "copybox.js").read_text(encoding="utf-8")
    _css = """
    .memlab-copybox pre { font-size: 12px; line-height: 1.45; margin: 4px 0 0; padding: 6px 8px; overflow: auto;
      white-space: pre-wrap; border: 1px solid var(--jp-border-color2, #ccc); border-radius: 3px;
      color: var(--jp-content-font-color1, inherit); background: var(--jp-layout-color1, transparent);
      max-height: 15em; }
    .memlab-copybox button { font-size: 12px; padding: 3px 10px; cursor: pointer; border-radius: 3px;
      border: 1px solid var(--jp-border-color1, #bbb); color: var(--jp-ui-font-color1, inherit);
      background: var(--jp-layout-color2, #eee); }
    .memlab-copybox button:focus-visible { outline: 2px solid #56b4e9; }
    """
    text = traitlets.Unicode().tag(sync=True)
    label = traitlets.Unicode("Copy").tag(sync=True)
