"""The pure core: what the bytes of a session mean and what may happen next."""
