"""The way from a log to the first label: the steps and the workspace that they make."""
