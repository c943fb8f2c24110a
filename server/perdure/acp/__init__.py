"""The Agent Client Protocol: the same sessions and loop, for Zed and others. Imports the SDK."""
