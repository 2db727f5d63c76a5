"""The terminal interface: an app that is a table of modes, its screens and widgets. The only place for textual."""
