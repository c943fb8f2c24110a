"""``python -m perdure`` is the ``perdure`` command."""

from perdure.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
