"""Run the command line with `python -m tilequad`."""

import sys

from tilequad.cli import main

sys.exit(main())
