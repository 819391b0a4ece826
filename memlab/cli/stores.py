"""Commands on stores: build one, and look around a node of it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from memlab.cli.base import AsOf, Json, StoreFolder, app, line, out, print_json, progress


@app.command()
def build(
    source: Annotated[Path, typer.Argument(help="A file or folder: tables, PEPs, LoCoMo, BEIR.")],
    store: Annotated[Path, typer.Argument(help="Folder of the store to write.")],
    reader: Annotated[str, typer.Option("--reader", help="Name of a reader; found out when left out.")] = "auto",
    encoder: Annotated[str, typer.Option("--encoder", help="Encoder of the title vectors.")] = "embedded",
    force: Annotated[bool, typer.Option("--force", help="Let a source without nodes replace a store.")] = False,
    as_json: Json = False,
) -> None:
    """Turn a source into a store."""
    from memlab.building import build_store

    started = time.perf_counter()
    with progress(as_json) as tell:
        lab = build_store(source, store, reader=reader, encoder=encoder, force=force, progress=tell)
    saved = lab.store
    counts = {"nodes": saved.nodes.height, "edges": saved.edges.height, "pieces": saved.pieces.height}
    if as_json:
        encoders = [e.info.as_dict() for e in lab.encoders]
        about = {"store": str(store), "checksum": saved.checksum, "reader": saved.about.reader}
        print_json(about | counts | {"notes": list(saved.about.notes), "encoders": encoders})
        return
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in saved.nodes["kind"].value_counts(sort=True).rows())
    took = time.perf_counter() - started
    sizes = ", ".join(f"{n:,} {part}" for part, n in counts.items())
    line(f"{store}: {sizes} ({kinds}), in {took:.1f} s")
    for note in saved.about.notes:
        line(f"note: {note}", style="dim")


@app.command()
def around(
    store: StoreFolder,
    node: Annotated[str, typer.Argument(help="Id of a node.")],
    as_of: AsOf = None,
    depth: Annotated[int, typer.Option("--depth", help="How many connections away.")] = 1,
    as_json: Json = False,
) -> None:
    """Show what is connected to a node, each thing still itself."""
    from datetime import UTC, datetime

    from memlab.around import around as look
    from memlab.store import Store, parse_instant

    found = look(Store.open(store), node, as_of=parse_instant(as_of) or datetime.now(UTC), depth=depth)
    if as_json:
        print_json(found.as_dict())
    else:
        out.print(found)
