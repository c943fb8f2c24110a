"""One module per group of LSP features; each registers its coroutines on the server."""
