"""Power and sample sizes for comparing two runs: on the same prompts (paired) and on different ones.

Enumerations are exact; the sizes are the usual normal formulas, named in each function. Widths are in `planning`.
"""

from __future__ import annotations

from math import ceil, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def _quantiles(alpha: float, power: float) -> tuple[float, float]:
    if not (0 < alpha < 1 and 0 < power < 1):
        raise ValueError(f"a level and a power are fractions between 0 and 1, not {alpha} and {power}")
    return NormalDist().inv_cdf(1 - alpha / 2), NormalDist().inv_cdf(power)


def _check_rates(*rates: float) -> None:
    if not all(0 <= rate <= 1 for rate in rates):
        raise ValueError(f"rates are fractions from 0 to 1, not {rates}")


def paired_power(gained: float, lost: float, n: int, *, mid_p: bool = False, alpha: float = 0.05) -> float:
    """Exact power of McNemar's test on n prompts, by enumeration over the discordant ones.

    Args:
        gained: P(event after only), 0 to 1.
        lost: P(event before only), 0 to 1; the two sum to at most 1.
        n: Prompts labelled on both sides, at least 1.
        mid_p: Mid-p test instead of the exact one.
        alpha: Two-sided level, 0 to 1.

    Raises:
        ValueError: Out of range.
    """
    import numpy as np
    from scipy.special import bdtr, gammaln, xlogy

    _check_rates(gained, lost, gained + lost)
    if n < 1:
        raise ValueError(f"needs at least one prompt, not {n}")
    discordant = gained + lost
    share = gained / discordant if discordant else 0.0

    def binomial(size: int, p: float) -> npt.NDArray[np.float64]:
        count = np.arange(size + 1)
        choose = gammaln(size + 1) - gammaln(count + 1) - gammaln(size - count + 1)
        return np.asarray(np.exp(choose + xlogy(count, p) + xlogy(size - count, 1 - p)))

    power = 0.0
    for changed, chance in enumerate(binomial(n, discordant)):
        if changed == 0 or chance < 1e-16:
            continue
        count = np.arange(changed + 1)
        fewer = np.minimum(count, changed - count)
        tail = bdtr(fewer, changed, 0.5)
        p = 2 * tail - np.where(mid_p, binomial(changed, 0.5)[fewer], 0.0)
        if mid_p:
            p[2 * count == changed] = 1.0
        power += float(chance) * float(binomial(changed, share)[np.minimum(p, 1.0) <= alpha].sum())
    return power


def paired_sample_size(gained: float, lost: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """Prompts for McNemar's test: ``n = ((z_a sqrt(s) + z_b sqrt(s - d^2)) / d)^2``, s = discordant share (Connor 1987).

    Args:
        gained: P(event after only), 0 to 1.
        lost: P(event before only), 0 to 1, different from `gained`.
        power: 0 to 1.
        alpha: Two-sided level, 0 to 1.

    Raises:
        ValueError: Out of range, or no difference to find.
    """
    z_a, z_b = _quantiles(alpha, power)
    _check_rates(gained, lost, gained + lost)
    difference, discordant = gained - lost, gained + lost
    if not difference:
        raise ValueError("equal rates: no number of prompts finds a difference")
    return ceil(((z_a * sqrt(discordant) + z_b * sqrt(discordant - difference**2)) / difference) ** 2)


def paired_minimum_detectable(n: int, discordant: float, *, power: float = 0.8, alpha: float = 0.05) -> float | None:
    """Smallest change that McNemar's test finds with the given power: ``d = (z_a sqrt(s) + z_b sqrt(s - d^2)) / sqrt(n)``.

    Args:
        n: Prompts labelled on both sides, at least 1.
        discordant: s, share of prompts that change, above 0 to 1.
        power: 0 to 1.
        alpha: Two-sided level, 0 to 1.

    Returns:
        A fraction; None where even a change of all discordant prompts in one direction is not found.

    Raises:
        ValueError: Out of range.
    """
    z_a, z_b = _quantiles(alpha, power)
    if n < 1 or not 0 < discordant <= 1:
        raise ValueError(f"needs prompts and a discordant share above 0 and up to 1; found {n} and {discordant}")
    # d = A + B sqrt(s - d^2) is a quadratic in d; a solution past A alone and within s is the one that counts.
    a, b = z_a * sqrt(discordant / n), z_b / sqrt(n)
    inside = a * a - (1 + b * b) * (a * a - b * b * discordant)
    found = (a + sqrt(inside)) / (1 + b * b) if inside >= 0 else None
    return found if found is not None and found <= discordant else None


def independent_sample_size(first: float, second: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """Prompts per run on different prompts: ``((z_a sqrt(2 p q) + z_b sqrt(p1 q1 + p2 q2)) / (p1 - p2))^2`` (Fleiss 1981).

    Args:
        first: Rate of one run, 0 to 1.
        second: Rate of the other, different from `first`.
        power: 0 to 1.
        alpha: Two-sided level, 0 to 1.

    Raises:
        ValueError: Out of range, or no difference to find.
    """
    z_a, z_b = _quantiles(alpha, power)
    _check_rates(first, second)
    if first == second:
        raise ValueError("equal rates: no number of prompts finds a difference")
    mean = (first + second) / 2
    pooled = z_a * sqrt(2 * mean * (1 - mean))
    apart = z_b * sqrt(first * (1 - first) + second * (1 - second))
    return ceil(((pooled + apart) / (first - second)) ** 2)


def independent_power(first: float, second: float, n: int, *, alpha: float = 0.05) -> float:
    """Exact power of the pooled two-sided z test with n prompts per run, by enumeration of both counts.

    Args:
        first: Rate of one run, 0 to 1.
        second: Rate of the other, 0 to 1.
        n: Prompts per run, at least 1.
        alpha: Two-sided level, 0 to 1.

    Raises:
        ValueError: Out of range.
    """
    import numpy as np
    from scipy.special import gammaln, xlogy

    z, _ = _quantiles(alpha, 0.5)
    _check_rates(first, second)
    if n < 1:
        raise ValueError(f"needs at least one prompt, not {n}")
    count = np.arange(n + 1)
    choose = gammaln(n + 1) - gammaln(count + 1) - gammaln(n - count + 1)
    one, two = (np.exp(choose + xlogy(count, p) + xlogy(n - count, 1 - p)) for p in (first, second))
    total = count[:, None] + count[None, :]
    variance = total * (2 * n - total) / (2.0 * n**3)
    # |p1 - p2| > z sqrt(2 p q / n), with p q = total (2n - total) / (2n)^2.
    rejected = np.abs(count[:, None] - count[None, :]) / n > z * np.sqrt(variance)
    return float(one @ rejected @ two)


def noninferiority_sample_size(margin: float, discordant: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """Pairs that show "not worse by the margin" if nothing changes: ``s ((z_a + z_b) / m)^2``, one-sided level alpha / 2.

    Args:
        margin: A fraction above 0.
        discordant: s, share of prompts that change, above 0 to 1, as often for the better as for the worse.
        power: 0 to 1.
        alpha: Two-sided level, 0 to 1.

    Raises:
        ValueError: Out of range.
    """
    z_a, z_b = _quantiles(alpha, power)
    if not 0 < margin < 1 or not 0 < discordant <= 1:
        raise ValueError(f"needs a margin and a discordant share that are fractions; found {margin} and {discordant}")
    return ceil(discordant * ((z_a + z_b) / margin) ** 2)
