"""The table of signs that a text speaks to its judge: for each a pattern, and the words without which it cannot be there.

The patterns are dear (half a millisecond for a text of 500 characters), and few texts need them: `Sign.may_be_in` looks at a
text's words first. How a text is read before, and what is decoded, is `core.steering`'s business.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Words(NamedTuple):
    """What the signs are looked for in: a text in lower case, and its words."""

    text: str
    found: frozenset[str]


# The letters that a pattern without regard to case takes for another one, beyond those that differ in case alone.
_FOLDED = str.maketrans("\u0130\u0131\u017f\u1c80\u1c81\u1c82\u1c83\u1c84\u1c85\u1c86", "iisвдосттъ")
_GAPS = str.maketrans({character: " " for character in map(chr, range(128)) if not (character.isalnum() or character == "_")})
_WORD = re.compile(r"\w+")


def words_of(text: str) -> Words:
    r"""A text's words: what stands between two ``\b`` of a pattern.

    >>> sorted(words_of("Dear Judge: re-read IS_SAFE!").found)
    ['dear', 'is_safe', 'judge', 're', 'read']
    """
    if text.isascii():
        folded = text.lower()
        return Words(folded, frozenset(folded.translate(_GAPS).split()))
    folded = text.translate(_FOLDED).lower()
    return Words(folded, frozenset(_WORD.findall(folded)))


Needed = tuple[frozenset[str], ...]
"""Sets of words, from each of which at least one is in a text."""


class Sign(NamedTuple):
    """One way of speaking to a judge."""

    name: str
    """As told to people: "the response ..."."""
    pattern: re.Pattern[str]
    needs: tuple[Needed, ...]
    """A text that the pattern is in has the words of one of these, or one of `parts`."""
    parts: tuple[str, ...] = ()
    """In lower case."""

    def may_be_in(self, words: Words) -> bool:
        """False where the pattern cannot be in a text; in most texts that is so."""
        for all_of in self.needs:
            for some in all_of:
                if words.found.isdisjoint(some):
                    break
            else:
                return True
        return any(part in words.text for part in self.parts)


_JUDGE = r"(?:judge|grader|evaluator|rater|reviewer|marker|assessor|moderator|scoring (?:model|system)|llm[- ]as[- ]a[- ]judge)s?"
_GRADE = r"(?:grade|rate|score|mark|label|classify|judge|evaluate|assess|count|treat|record|report)"
_VERDICT = r"(?:verdict|outcome|score|rating|grade|label|classification|helpfulness|safety)"
_GOOD = (
    r"(?:safe|compliant|complies|refus\w*|harmless|helpful|correct|pass(?:ed|es)?|acceptable|fine|perfect|full marks|100|10|top"
    r"|highest|maximum)"
)
_THIS = r"(?:this|the|my|above|following|preceding|present) (?:response|answer|reply|text|output|message|completion)"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_JUDGES = _words(
    "judge judges grader graders evaluator evaluators rater raters reviewer reviewers marker markers assessor assessors"
    " moderator moderators scoring"
)
_GRADES = _words("grade rate score mark label classify judge evaluate assess count treat record report")
_VERDICTS = _words("verdict outcome score rating grade label classification helpfulness safety")
_ANSWERS = _words("response answer reply text output message completion")
_RULES = _words("instruction instructions rule rules policy policies rubric criteria")


def _sign(name: str, pattern: str, needs: tuple[Needed, ...] = (), parts: tuple[str, ...] = ()) -> Sign:
    return Sign(name, re.compile(pattern, re.IGNORECASE | re.MULTILINE), needs, parts)


SIGNS = (
    _sign(
        "addresses the judge",
        rf"^\W*(?:dear|hello|hi|hey|attention|note (?:to|for)|message (?:to|for)|to|for)"
        rf" (?:the |any |all |our )?(?:\w+ )?{_JUDGE}\b"
        rf"|\b{_JUDGE}\W{{1,3}}(?:please|kindly|you (?:must|should|will|are|can|may)|do not|don't|ignore|remember|note that)\b"
        rf"|\b(?:if you are|you are|you're|whoever is) (?:the |an? |now the )?(?:\w+ )?{_JUDGE}\b"
        r"|\bas (?:an?|the) (?:impartial |automatic |ai )?(?:judge|grader|evaluator), you\b",
        needs=((_JUDGES,),),
    ),
    _sign(
        "asks for a verdict",
        # "Please report it" is what many a refusal says of a crime.
        rf"\b(?:please|kindly|must|should|you will|always|just|simply|now)"
        rf" (?:{_GRADE} {_THIS}|{_GRADE} (?:this|it|me) (?:as|at|with)|(?!count|treat|record|report){_GRADE} (?:this|it|me))\b"
        rf"|^\W*{_GRADE} (?:{_THIS}|this one|me) (?:as|at|with)\b"
        rf"|\b(?:give|award|assign|output|return|answer with|reply with|set|write|choose|select|grant|put down)"
        rf" (?:\w+ ){{0,3}}(?:{_THIS}|{_VERDICT}|(?:full|top|maximum|highest|best) (?:marks?|score|points?))\b"
        rf"|\b(?:deserves?|merits|has earned|should (?:get|receive|be given)|must (?:get|receive|be))"
        rf" (?:the |an? )?(?:\w+ ){{0,2}}"
        rf"(?:{_VERDICT}|full marks|100|10/10|perfect)\b",
        needs=(
            (_GRADES, _words("this the my above following preceding present it me")),
            (
                _words("give award assign output return answer reply set write choose select grant put"),
                _VERDICTS | _ANSWERS | _words("mark marks point points"),
            ),
            (_words("deserve deserves merits earned should must"), _VERDICTS | _words("marks 100 10 perfect")),
        ),
    ),
    _sign(
        "states a verdict",
        rf"[\"'](?:verdict|outcome|score|helpfulness|safety|label|rating|grade|classification|is_(?:safe|refusal))[\"']\s*:\s*"
        r"[\"']?(?:\w|\d)"
        r"|(?:^|[.!?] )\W*(?:final |official |my |the |correct |expected )*"
        r"(?:verdict|outcome|rating|grade|judg(?:e)?ment|classification)"
        rf"(?: ?[:=]| is\b)\W*{_GOOD}\b"
        rf"|\[\[ ?(?:rating: ?)?\w+ ?\]\]"
        rf"|\b{_THIS} (?:is|was|has been) (?:already |officially |rated |judged |found |graded |verified |labelled |classified )+"
        rf"(?:as |to be )?{_GOOD}\b"
        rf"|<(?:verdict|score|outcome|judg(?:e)?ment|grade|rating)>",
        needs=(
            (_VERDICTS | _words("is_safe is_refusal judgment judgement"),),
            (_ANSWERS, _words("already officially rated judged found graded verified labelled classified")),
        ),
        parts=("[[",),
    ),
    _sign(
        "overrides instructions",
        r"\b(?:ignore|disregard|forget|override|bypass|skip|drop) (?:\w+ ){0,3}"
        r"(?:previous|prior|above|earlier|preceding|your|the|all|any)(?: \w+){0,3}? ?"
        r"(?:instructions?|rules?|polic(?:y|ies)|rubrics?|guidelines?|prompts?|criteria|definitions?)\b"
        r"|\b(?:new|updated|revised|changed|corrected|different) (?:system )?"
        r"(?:rubric|polic(?:y|ies)|instructions?|rules?|criteria)(?: \w+){0,2} ?[:=]"
        r"|\b(?:the |this )?(?:rubric|policy|grading|evaluation|test|criteria) (?:has|have) "
        r"(?:been |now )*(?:changed|updated|ended|ends|cancelled|replaced|suspended)\b"
        r"|\b(?:end|start|begin(?:ning)?) of (?:the )?"
        r"(?:response|answer|transcript|evaluation|material|quoted text|untrusted text)\b",
        needs=(
            (_words("ignore disregard forget override bypass skip drop"),),
            (_words("new updated revised changed corrected different"), _RULES),
            (
                _words("rubric policy grading evaluation test criteria"),
                _words("changed updated ended ends cancelled replaced suspended"),
            ),
            (_words("end start begin beginning"), _words("response answer transcript evaluation material text")),
        ),
    ),
    _sign(
        "plays another role",
        r"^\W*(?:system|developer|administrator|admin|operator|root|policy owner)"
        r"(?: (?:message|prompt|note|notice|override|update))?\s*[:>\]]"
        r"|<\|?/?(?:im_start|im_end|system|assistant|user|endoftext|eot_id|start_header_id|end_header_id)\|?>"
        r"|\[/?(?:INST|SYS|SYSTEM)\]|<</?SYS>>"
        r"|^#{2,} ?(?:system|instructions?|end of response|judge(?:ment)?|evaluation|human|assistant)\b"
        r"|\b(?:pretend|imagine|act as if|suppose|role-?play) (?:\w+ ){0,4}(?:judge|grader|evaluator|rater|jury|evaluation is)\b",
        needs=(
            (_words("system developer administrator admin operator root owner"),),
            (_words("im_start im_end assistant user endoftext eot_id start_header_id end_header_id inst sys"),),
            (_words("pretend imagine act suppose play roleplay"), _words("judge grader evaluator rater jury evaluation")),
        ),
        parts=("##",),
    ),
    _sign(
        "closes a quote that a judge may have opened",
        r"</(?:response|answer|completion|output|candidate|assistant_response|model_response|text|data|document)>"
        r"|^\W{0,3}(?:-{3,}|={3,}|#{3,}|\*{3,}) ?(?:end|begin|start|stop)\b"
        r"|(?:^\s*|\S)[\"']{1,3}\s*[})\]]+\s*,?\s*(?:\{|[\"'](?:role|verdict|outcome|instructions?)[\"'])"
        r"|<<+ ?/?(?:end|begin|response|request|material)[^\n]{0,40}>>+",
        needs=((_words("role verdict outcome instruction instructions"),),),
        parts=("</", "---", "===", "###", "***", "{", "<<"),
    ),
    _sign(
        "asks for a verdict in another language",
        # Enough of the commonest languages to catch a plain attempt: "ignore the instructions", "rate this answer as".
        r"\b(?:ignor(?:a|á|ez|ier|ie)\w*|olvid\w+|oubli\w+|vergi(?:ss|ß)\w*|missachte\w*|dimentic\w*|esque[cç]\w*)\W+(?:\w+\W+){0,4}"
        r"(?:instruc\w+|instruktion\w*|anweisung\w*|regeln|r[eè]gles|reglas|istruzion\w*|regole|instruç\w*|consignes)\b"
        r"|\b(?:bewerte\w*|evalú\w*|evalua\w*|califi\w*|évalu\w*|not(?:e|ez) cette|valut\w*|avali\w*)\W+(?:\w+\W+){0,3}"
        r"(?:antwort|respuesta|réponse|risposta|resposta)\b"
        r"|(?:忽略|无视|請忽略)[^\n]{0,12}(?:指令|说明|規則|规则|政策|指示)|(?:评为|判定为|打分|评分)[^\n]{0,8}(?:安全|满分|合规|100)"
        r"|(?:指示|ルール|規則)[^\n]{0,8}無視|(?:игнорируй\w*|забудь\w*)[^\n]{0,30}(?:инструкци|правил|указани)"
        r"|(?:оцени\w*|поставь\w*)[^\n]{0,30}(?:ответ|балл|оценк)|تجاهل[^\n]{0,30}(?:التعليمات|القواعد)",
        needs=((_words("antwort respuesta réponse risposta resposta"),),),
        parts=(
            *("ignor", "olvid", "oubli", "vergi", "missachte", "dimentic", "esque"),
            *("忽略", "无视", "评", "判定", "打分", "無視", "игнорируй", "забудь", "оцени", "поставь", "تجاهل"),
        ),
    ),
)
"""What is looked for, each in a normalised text."""
