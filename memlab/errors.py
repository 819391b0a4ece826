"""The errors that memlab raises for people: one clear line each, never a traceback of a library."""

from __future__ import annotations


class MemlabError(ValueError):
    """Anything a user can put right: a bad file, a bad setting, a damaged store."""


class InputError(MemlabError):
    """Bad input, with its place.

    Parameters
    ----------
    problem
        What is wrong and what to do about it.
    part
        ``nodes``, ``edges``, ``pieces``, or another named part of the input.
    row
        Row of that part, counted from 1.
    field
        The field of that row, or the argument's name where there is no row.
    file
        Name of the file, where one is known.
    """

    def __init__(
        self, problem: str, *, part: str = "", row: int | None = None, field: str = "", file: str = ""
    ) -> None:
        self.problem = problem
        self.part = part
        self.row = row
        self.field = field
        self.file = file
        place = " ".join(p for p in (part, f"row {row}" if row is not None else "", field) if p)
        super().__init__(": ".join(p for p in (file, place, problem) if p))

    def in_file(self, file: str) -> InputError:
        """Return the same error with the name of the file it was found in."""
        return InputError(self.problem, part=self.part, row=self.row, field=self.field, file=file)
