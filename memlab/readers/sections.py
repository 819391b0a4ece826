"""Sections of reStructuredText or Markdown, cut into passages of plain text.

This is no parser of the mark-up: it finds headings and paragraphs, leaves code and tables out, and
takes the inline signs off. docutils reads the same hundreds of documents in minutes, not seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LEAST, MOST = 400, 900
"""Length of a passage in characters: paragraphs are gathered to the first, cut at the second."""

_LEFT_OUT = frozenset({"copyright", "references", "references and footnotes", "footnotes", "local variables"})
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_<>])\1{2,}")
_MARKDOWN = re.compile(r"#{1,6}\s+(.*?)\s*#*")
_RULE = re.compile(r"[\s=\-+|~^*_#.]+")
_KEPT = frozenset(
    {"note", "warning", "important", "tip", "hint", "caution", "attention", "admonition"}
    | {"withdrawn", "rejected", "deferred"}
)
_DIRECTIVE = re.compile(r"\.\.\s+([A-Za-z-]+)::(.*)")
_FENCE = re.compile(r"```|~~~")

_SPAN = re.compile(r":([A-Za-z:+-]+):`([^`]*)`")
_LITERAL = re.compile(r"``(.+?)``", re.DOTALL)
_LINK = re.compile(r"`([^`<>]*?)\s*<[^`>]*>`__?|`([^`]+)`__?")
_MARKDOWN_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_FOOTNOTE = re.compile(r"\s*\[[#\w*-]+\]_")
_STRONG = re.compile(r"(?<![\w*])(\*{1,2})(?=\S)(.+?)(?<=\S)\1(?![\w*])", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'(A-Z0-9])")


def passages(body: str, series: str = "pep") -> Iterator[str]:
    """Cut a document into passages, section by section.

    Parameters
    ----------
    body
        The document without its headers.
    series
        Name of the role that points at documents of the same series.

    Yields
    ------
    str
        One or more paragraphs of one section; the first passage begins with the section's heading.
        Sections of copyright and references are left out.
    """
    for heading, lines in _sections(body.expandtabs(4).split("\n")):
        if heading.lower().strip(" .:") in _LEFT_OUT:
            continue
        gathered = heading
        for paragraph in _paragraphs(lines):
            for part in _cut(plain(paragraph, series)):
                if gathered and len(gathered) + len(part) > MOST and len(gathered) >= LEAST:
                    yield gathered
                    gathered = ""
                gathered = f"{gathered}\n\n{part}" if gathered else part
        if gathered and gathered != heading:
            yield gathered


def plain(text: str, series: str = "pep") -> str:
    """Take the inline mark-up off a paragraph and put it on one line."""
    text = _SPAN.sub(lambda m: _role(m[1], m[2], series), text)
    text = _LITERAL.sub(r"\1", text)
    text = _LINK.sub(lambda m: m[1] or m[2] or "", text)
    text = _MARKDOWN_LINK.sub(r"\1", text)
    text = _FOOTNOTE.sub("", text)
    text = _STRONG.sub(r"\2", text)
    text = text.replace("`", "")
    text = " ".join(_ESCAPE.sub(lambda m: "" if m[1].isspace() else m[0], text).split())
    return text[:-1] if text.endswith("::") else text


def _role(role: str, content: str, series: str) -> str:
    shown, _, target = content.partition("<")
    shown, target = shown.strip(), target.rstrip("> ")
    if role.lower() != series:
        return shown.lstrip("~!") or target
    number = re.match(r"\d+", target or shown)
    name = f"{series.upper()} {int(number[0])}" if number else ""
    # The number is what says which document is meant: it must outlive the mark-up.
    return f"{shown} ({name})" if target and name else name or shown


def _sections(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    heading = ""
    current: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        below = lines[at + 1].rstrip() if at + 1 < len(lines) else ""
        title = _MARKDOWN.fullmatch(line)
        underlined = bool(line.strip()) and line[0] not in " \t." and _UNDERLINE.fullmatch(below)
        if underlined and not _UNDERLINE.fullmatch(line.rstrip()) and len(below) >= len(line.rstrip()) - 2:
            yield heading, current
            heading, current, at = plain(line), [], at + 2
        elif title is not None:
            yield heading, current
            heading, current, at = plain(title[1]), [], at + 1
        else:
            current.append(line)
            at += 1
    yield heading, current


def _paragraphs(lines: list[str]) -> Iterator[str]:
    """Paragraphs of a section, without code, tables, comments and directives that hold no prose."""
    block: list[str] = []
    for line in [*_prose(lines), ""]:
        bare = line.strip()
        if bare and not _RULE.fullmatch(bare):
            block.append(line)
        elif not bare and block:
            yield "\n".join(block)
            block = []


def _prose(lines: list[str]) -> Iterator[str]:
    """Lines outside of fences, literal blocks and directives."""
    fenced = False
    hidden_below: int | None = None
    opens_block, indent_of_block = True, 0
    literal_next = False
    for line in lines:
        bare, indent = line.strip(), len(line) - len(line.lstrip())
        if _FENCE.match(bare):
            fenced = not fenced
            continue
        if fenced:
            continue
        if not bare:
            if literal_next and hidden_below is None:
                hidden_below = indent_of_block
            opens_block, literal_next = True, False
            yield ""
            continue
        if hidden_below is not None and indent > hidden_below:
            continue
        hidden_below = None
        if opens_block and bare.startswith(".."):
            shown, hides = _directive(bare)
            hidden_below = indent if hides else None
            yield shown
            continue
        if opens_block:
            indent_of_block = indent
        opens_block, literal_next = False, bare.endswith("::")
        yield "" if bare == "::" else line


def _directive(line: str) -> tuple[str, bool]:
    """Take a line of explicit mark-up: what it says, and whether it hides what is indented below."""
    match = _DIRECTIVE.match(line)
    if match is None or match[1].lower() not in _KEPT:
        return "", True
    return match[2].strip(), False


def _cut(text: str) -> Iterator[str]:
    """Cut a paragraph that is too long between sentences."""
    current = ""
    for sentence in _SENTENCE.split(text) if len(text) > MOST else [text]:
        if current and len(current) + len(sentence) > MOST:
            yield current
            current = ""
        current = f"{current} {sentence}" if current else sentence
    if current:
        yield current
