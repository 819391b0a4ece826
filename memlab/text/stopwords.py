"""Words that never count: function words, one list a script, the union over its languages.

A short question does not tell its language, so a list per language could not be chosen. The lists
come from ``bm25s`` (the Snowball and NLTK lists) and, for scripts it lacks, ``stopwordsiso``.
"""

from __future__ import annotations

from functools import cache

# Also everyday English words or names in the union of the Latin lists: not taken.
_KEPT = frozenset(
    ["war", "man", "men", "mine", "die", "dies", "come", "door", "era", "end", "hat", "ham", "met", "hem", "sine", "col", "bin", "var", "want", "till", "per", "ben", "kim", "van", "mod", "par", "mot", "sea", "seas", "sit", "dig", "dove", "com", "min", "son", "has", "her", "dan", "hans", "ton", "sur", "sub", "ville", "notre", "bare", "want", "pas", "mas", "con", "sin", "sole", "vars", "ale", "also", "ma", "d", "m", "s", "t", "y", "o", "ses", "sen", "eta", "dot", "somme", "esse", "avez", "mange", "machen", "manche", "ones", "hay", "ver", "sean", "dos", "den", "dig", "len", "sta", "inn", "sera"]
) - frozenset(["has", "her", "also", "ones", "o", "ma"])
# Spoken to whoever is asked, not about what is asked.
_CHAT = frozenset(
    ["please", "tell", "could", "would", "may", "might", "must", "shall", "us", "let", "lets", "ok", "okay", "hello", "hi", "hey", "thanks", "thank", "whose", "whats", "wheres", "whos", "hows", "whens", "theres", "thats", "im", "ive", "id", "youre", "dont", "doesnt", "didnt", "isnt", "arent", "wasnt", "werent", "cant", "couldnt", "wouldnt", "shouldnt", "wont", "hasnt", "havent", "hadnt", "got", "get", "gets", "about", "i'm", "i've", "i'd", "i'll", "what's", "where's", "who's", "how's", "that's", "there's", "he's", "she's", "it's", "let's", "we're", "they're", "can't", "i", "a", "e", "u", "à", "è", "é", "what", "which"]
)
_SINGLE = frozenset(["a", "i", "e", "o", "u", "y", "à", "è", "é"])
# Korean is filtered by part of speech; what is left to stop are light verbs and asking words.
KOREAN = frozenset(
    ["하", "되", "있", "없", "이", "아니", "주", "보", "알", "알리", "같", "찾", "싶", "말", "말하", "이야기", "얘기", "궁금", "대하", "관하", "의하", "위하", "통하", "어떻", "어떠", "그렇", "이렇", "저렇", "무엇", "뭐", "어디", "언제", "누구", "왜", "어느", "무슨", "어떤", "얼마", "몇", "것", "거", "수", "때", "데", "줄", "바", "나", "저", "너", "우리", "그", "이것", "그것", "저것", "여기", "거기", "저기", "뭣", "어찌", "좀", "혹시", "제발", "경우", "나오", "가르치", "부탁", "설명"]
)


def _latin() -> frozenset[str]:
    from bm25s import stopwords

    lists = ("EN_PLUS", "GERMAN", "DUTCH", "FRENCH", "SPANISH", "PORTUGUESE", "ITALIAN", "RUSSIAN",
             "SWEDISH", "NORWEGIAN", "DANISH", "TURKISH")  # fmt: skip
    words = {word for name in lists for word in getattr(stopwords, f"STOPWORDS_{name}")}
    english = {word for word in stopwords.STOPWORDS_EN_PLUS if len(word) > 1}
    return frozenset({w for w in words if len(w) > 1 and (w in english or w not in _KEPT)} | _CHAT | _SINGLE)


@cache
def space_scripts() -> frozenset[str]:
    """Stop words of scripts that separate words by spaces, case-folded."""
    import stopwordsiso

    others = {w for code in ("ar", "he", "hi", "fa", "el", "uk") for w in stopwordsiso.stopwords(code)}
    from memlab.text.normalise import fold, with_places

    folded = {fold(with_places(w).text) for w in _latin() | others}
    return frozenset(w for w in folded if any(c.isalpha() for c in w))


@cache
def run_scripts() -> frozenset[str]:
    """Stop words of scripts without spaces (Chinese, Japanese, Thai)."""
    import stopwordsiso

    # One-character Han entries of the Chinese list are also parts of names, so only particles stay.
    particles = set("的了吗呢吧啊么嘛是在和与或有我你他她它这那哪谁什几就也都还把被给让对为从到向以及之其")
    words = {w for code in ("zh", "ja", "th") for w in stopwordsiso.stopwords(code)}
    kana = set("はがをにのへとでもやかねよなしたてますだですけどらりるれろうおせさこそあいえまし") | {
        "まし", "なり", "なっ", "どう", "でし", "です", "ます", "ませ", "ん", "という", "について", "する", "され",
    }  # fmt: skip
    keep = {w for w in words if len(w) > 1 or not "\u4e00" <= w <= "\u9fff"}
    return frozenset(keep | particles | kana | {"什么", "哪里", "怎么", "怎样", "为什么", "哪个", "多少"})
