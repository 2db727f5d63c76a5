"""Statistics: one family per file, one row each in STATISTICS. The only place for numpy, scipy, scikit-learn and krippendorff."""
