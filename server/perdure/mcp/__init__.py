"""Tools of MCP servers. Only ``wire`` and ``connection`` import the SDK, when one is configured."""
