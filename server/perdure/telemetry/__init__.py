"""Spans of committed facts, sent by OpenTelemetry. Only ``sending`` imports the SDK."""
