"""The LSP layer: pygls on a stdio loop of its own. It decides nothing that the agent decides."""
