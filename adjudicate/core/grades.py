"""Which digit chooses which grade of severity."""

from __future__ import annotations

from adjudicate.core.policy import Policy, Severity


def keyed_grades(policy: Policy) -> dict[str, Severity]:
    """The digit that chooses each grade: its id where every id is a digit, else its place."""
    if all(grade.id in "123456789" and len(grade.id) == 1 for grade in policy.severities):
        return {grade.id: grade for grade in policy.severities}
    return {str(place): grade for place, grade in enumerate(policy.severities, start=1)}
