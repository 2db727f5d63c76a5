"""The judge client: prompt, transport and strict reply parser. The only place for httpx2 and its core."""
