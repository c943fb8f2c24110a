"""The agent: one loop for live work and recovery, and the commands around it."""
