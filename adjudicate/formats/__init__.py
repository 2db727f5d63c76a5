"""Readers and writers of files, one file each, one row each in READERS or WRITERS."""
