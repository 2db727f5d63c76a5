"""Statistics: records in, estimates out. Numeric libraries are imported inside the functions that need them."""

from adjudicate.stats.evidence import CellCount, Evidence, LabelledItem
from adjudicate.stats.registry import STATISTICS, Statistic

__all__ = ["STATISTICS", "CellCount", "Evidence", "LabelledItem", "Statistic"]
