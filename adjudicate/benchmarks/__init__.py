"""Bundled prompt sets and deterministic graders."""
