"""Two values differ, and nothing else."""

import json
from pathlib import Path

text = Path("config.json").read_text()
config = json.loads(text)
assert config["server"]["port"] == 8443
assert config["server"]["tls"] == {"enabled": True, "minimum": "1.2"}
config["server"]["port"] = 8080
config["server"]["tls"]["enabled"] = False
assert list(config) == ["name", "server", "logging"]
assert config["logging"] == {"level": "info", "files": ["a.log", "b.log"]}
assert text.replace("8443", "8080").replace("true", "false") == json.dumps(config, indent=2) + "\n"
