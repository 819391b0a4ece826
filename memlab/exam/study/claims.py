"""What chapter 18 found on its own store, claim by claim, and what would have to be seen for each to hold here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Claim:
    """A claim of the chapter.

    Attributes
    ----------
    title : str
        The question that an experiment asks.
    section : str
        Where in chapter 18.
    chapter : str
        What was found there, with its figures.
    rule : str
        When the claim holds on a store; otherwise it does not, or cannot be told.
    """

    title: str
    section: str
    chapter: str
    rule: str


CLAIMS: Final[dict[str, Claim]] = {
    "depth": Claim(
        "Does a deeper pool raise the ceiling?",
        "section 3",
        "Of sixty answerable questions more than half of the gold nodes never became candidates, and a pool four"
        " times deeper barely moved that.",
        "holds where four times the depth adds less than 0.05 of the questions (upper end of the interval)",
    ),
    "arms": Claim(
        "Which arms bring the gold?",
        "sections 1, 3 and 7",
        "The ceiling rose when candidacy widened, to 48 of 60: the title arm sees words alone, and a title held as a"
        " vector opened a path for questions that use other words.",
        "holds where all arms reach more gold than the title arm does at four times its depth (interval above 0)",
    ),
    "kinds": Claim(
        "What do Episodes in the pool give and take?",
        "section 3",
        "Episodes could not be candidates at first. Once they could, no other kind lost a single question.",
        "holds where no question after another kind loses its gold from the first 50 or from first place, of 73 or more"
        " (so many rule out a loss of over 0.05)",
    ),
    "signals": Claim(
        "Does the gap tell right from wrong better than the distance?",
        "section 4",
        "Raw vector distance was of no use: an exact match and an unrelated sentence lay in overlapping ranges. The"
        " gap between first and second separated cleanly.",
        "holds where the gap has the larger area under the ROC curve (interval of the difference above 0)",
    ),
    "titles": Claim(
        "How long are titles, and which kind wins whose questions?",
        "section 3",
        "A Record's title had 22.5 words at the median against 5 of a Concept's, and Records won questions of others.",
        "holds where the kind with the longest titles takes more of the wrong first places than it has of the nodes",
    ),
    "length": Claim(
        "Does counting the share of a title's words help?",
        "section 3",
        "Dividing by title length looked like the remedy and measured the other way: a short title wins on one word,"
        " and Records fell from four of ten to none.",
        "holds where counting shares puts fewer gold nodes first (interval below 0)",
    ),
    "bar": Claim(
        "What does each step of the bar buy?",
        "section 4",
        "One word was enough at first: 36 of 46 confident answers were wrong. Two words and agreement of the arms left"
        " 15, the gap 3. Right answers were not what wrong ones became: they became lists.",
        "holds where wrong answers fall from first step to last (McNemar, p < 0.05) and most of them become lists",
    ),
    "factorial": Claim(
        "Do the bar, the order of arms and the gap pay only together?",
        "section 4",
        "Measured apart, both changes would have been turned down: the arm alone moved nothing and the bar alone"
        " lowered the score. They paid only together.",
        "holds where neither bar nor gap alone raises right minus wrong (interval not above 0) and all together do",
    ),
    "encoder": Claim(
        "What does another encoder move?",
        "section 7",
        "A 1024-dimension multilingual encoder put the gold first on 42 of 60 instead of 29, nearly all of the gain"
        " across languages; correct resolved answers stayed at 13.",
        "holds where the swap changes how often gold is first (interval off 0) and not how often it is resolved right;"
        " does not where the latter changes, or the former by less than 0.02 either way",
    ),
    "language": Claim(
        "Is it the language, or the words of the title?",
        "section 7",
        "At first questions in another language than the title failed. With the reuse of title words held fixed, every"
        " language axis did about the same.",
        "holds where crossing scripts lowers the odds on the whole (interval under 1), and once reuse is held fixed at"
        " most half of that is left, on the scale of log odds, and the interval (Mantel-Haenszel) holds 1",
    ),
    "pieces": Claim(
        "What do vectors over pieces move?",
        "sections 3 and 7",
        "Turning vectors over pieces on moved node resolution by not one place: they reorder pieces and put no title"
        " on the list.",
        "holds where first place and resolved answers change by less than 0.02 (both ends of both intervals)",
    ),
    "gate": Claim(
        "What does a gate on leftover words stop, and what does it cost?",
        "section 5",
        "Of 21 questions with no answer 0.14 were resolved, and none with the gate on; correct answers were almost"
        " untouched. It ships off: fifteen of the 21 were written by the authors of the rule.",
        "holds where the gate stops every answer to a question without one, and costs at most 0.02 of the right ones",
    ),
    "validity": Claim(
        "What does the filter on what holds now change?",
        "section 8",
        "The filter at first promoted a survivor: its tied rival had ended and was gone, so a question with no answer"
        " got one. A filter must change what is seen, never what the answer is.",
        "holds where nothing that resolves with the filter on resolves otherwise with it off, while a filter that acts"
        " before the tie-break promotes answers",
    ),
    "unanswerable": Claim(
        "What becomes of questions without an answer?",
        "section 5",
        "The system resolved 0.14 of the 21 questions with no answer.",
        "holds where 0.14 lies in the interval of the share resolved, off-subject questions apart",
    ),
}
