"""Text: one normaliser and one segmenter for titles, questions and pieces.

Matching is on morphemes, counting is on words; both keep their place in the source. See
:func:`segment` for the frame that everything else reads.
"""

from memlab.text.normalise import normalise, title_key
from memlab.text.segment import SEGMENT_SCHEMA, segment

__all__ = ["SEGMENT_SCHEMA", "normalise", "segment", "title_key"]
