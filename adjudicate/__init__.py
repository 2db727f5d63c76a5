"""adjudicate: confirm or overrule an LLM judge against a written policy, and publish corrected rates."""

__version__ = "0.1.0"
