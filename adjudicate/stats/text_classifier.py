"""A learned judge: which outcome people would give a response, from what they labelled; never graded on what it learned from.

Runs of two to four characters within words, weighted by inverse document frequency, into a multinomial logistic regression:
quick, the same every time, and not bound to a language that puts spaces between words. Predictions on labelled items come from
folds that did not hold their prompt or pair (cross-fitting); predictions on the others from all labels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from adjudicate.errors import InputError

FEWEST_LABELS = 20
FEWEST_OF_AN_OUTCOME = 5
"""An outcome with fewer labels cannot be learned; its items are predicted as one of the others, which counts as an error."""
FOLDS = 5
MOST_FEATURES = 50_000
LONGEST = 2_000
"""Characters of a text that are looked at: what a response does shows at its beginning."""


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A response that people have settled."""

    text: str
    outcome: str
    group: str
    """What must not be on both sides of a fold: its pair, or its prompt."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """What the classifier says of one text."""

    outcome: str
    probabilities: dict[str, float]
    """By outcome that could be learned; they sum to 1."""


def cross_fitted(
    labelled: Sequence[LabelledText], others: Sequence[str], seed: int = 0
) -> tuple[list[Predicted], list[Predicted]]:
    """Predict every labelled text from folds without its group, and every other text from all labels.

    Args:
        labelled: Settled texts.
        others: Texts without a label.
        seed: Of the folds.

    Returns:
        Predictions in the order of `labelled`, and in the order of `others`.

    Raises:
        InputError: Too few labels, groups or outcomes to learn from.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    counts = Counter(each.outcome for each in labelled)
    groups = {each.group for each in labelled}
    frequent = {outcome for outcome, count in counts.items() if count >= FEWEST_OF_AN_OUTCOME}
    if len(labelled) < FEWEST_LABELS or len(frequent) < 2 or len(groups) < FOLDS:
        raise InputError(
            f"there are {len(labelled)} settled labels, {len(frequent)} outcomes with at least {FEWEST_OF_AN_OUTCOME} of them and"
            f" {len(groups)} prompts; a classifier needs {FEWEST_LABELS}, 2 and {FOLDS}: label more"
        )

    def learnable(places: Iterable[int]) -> list[LabelledText]:
        return [labelled[place] for place in places if labelled[place].outcome in frequent]

    texts = [each.text for each in labelled]
    folds = StratifiedGroupKFold(n_splits=FOLDS, shuffle=True, random_state=seed)
    predicted: list[Predicted | None] = [None] * len(labelled)
    for learn, grade in folds.split(texts, [each.outcome for each in labelled], [each.group for each in labelled]):
        for place, each in zip(grade, _fit_and_predict(learnable(learn), [texts[at] for at in grade]), strict=True):
            predicted[place] = each
    rest = _fit_and_predict(learnable(range(len(labelled))), others) if others else []
    return [each for each in predicted if each is not None], rest


def _fit_and_predict(learned: Sequence[LabelledText], asked: Sequence[str]) -> list[Predicted]:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    if len({each.outcome for each in learned}) < 2:
        raise InputError("all labels of one outcome stand on prompts that belong together: label more prompts")
    runs = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True, max_features=MOST_FEATURES)
    model = make_pipeline(runs, LogisticRegression(C=10.0, max_iter=1000, class_weight="balanced"))
    model.fit([_looked_at(each.text) for each in learned], [each.outcome for each in learned])
    names = [str(name) for name in model.classes_]
    table = model.predict_proba([_looked_at(text) for text in asked])
    return [
        Predicted(names[int(row.argmax())], {name: float(share) for name, share in zip(names, row, strict=True)}) for row in table
    ]


def _looked_at(text: str) -> str:
    """The beginning, after a full stop that keeps an empty text from having no feature at all."""
    return f". {text[:LONGEST]}"
