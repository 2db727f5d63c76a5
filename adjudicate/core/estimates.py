"""The one shape in which every number leaves the statistics: an estimate, or *undefined* with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Unit = Literal["fraction", "coefficient", "count", "points"]


@dataclass(frozen=True, slots=True)
class Interval:
    """Lower and upper limit of an interval, on the scale of its estimate."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """Distance between the limits, never negative for a valid interval."""
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic with all that a reader needs to judge it. `value` is None exactly when `undefined` gives a reason."""

    statistic: str
    """Name of the statistic, e.g. ``corrected_rate``."""
    value: float | None
    """Point estimate on the scale of `unit`; None when undefined."""
    n: int
    """Items (for agreement: units) that the value rests on."""
    method: str
    """Estimator and interval, in the field's terms."""
    unit: Unit = "fraction"
    group: Mapping[str, str] = field(default_factory=dict)
    """What the value speaks for, e.g. ``{"rate": "harmful_compliance", "population": "harmful", "model": "m"}``."""
    low: float | None = None
    """Lower limit of the interval; None where no interval is given."""
    high: float | None = None
    confidence: float | None = None
    """Nominal two-sided coverage of the interval, 0 to 1; None without one."""
    assumes: str = ""
    """What must be true for the value to mean what it says."""
    undefined: str | None = None
    """Why there is no value; None when there is one."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Counts and by-products (JSON types only)."""

    def __post_init__(self) -> None:
        if (self.value is None) != (self.undefined is not None):
            raise ValueError(f"{self.statistic}: an estimate has a value or a reason why not, never both or neither")
        if self.value is not None and self.value != self.value:
            raise ValueError(f"{self.statistic}: NaN is not a value; say why it is undefined")

    def as_json(self) -> dict[str, Any]:
        """The flat object of ``--json`` output, keys as in the design."""
        return {
            "statistic": self.statistic,
            "group": dict(self.group),
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "confidence": self.confidence,
            "n": self.n,
            "method": self.method,
            "assumes": self.assumes,
            "undefined": self.undefined,
            "unit": self.unit,
            "details": dict(self.details),
        }
