"""Whether an outcome is the right response to a prompt, as far as a policy says."""

from __future__ import annotations

from adjudicate.core.policy import Policy


def is_right(policy: Policy, outcome_id: str, intent: str) -> bool | None:
    """Whether the outcome is right for the intent.

    The policy's ``right_for`` decides where it names any outcome for the intent; otherwise an outcome is wrong where it counts
    for a rate of the intent that is better low, or does not count for one that is better high.

    Returns:
        None where the policy says nothing about the intent, or does not define the outcome.
    """
    outcome = policy.outcome(outcome_id)
    if outcome is None:
        return None
    if any(intent in each.right_for for each in policy.outcomes):
        return intent in outcome.right_for
    rates = policy.rates_among(intent)
    if not rates:
        return None
    return all((outcome_id in rate.counts) is (rate.better == "higher") for rate in rates)
