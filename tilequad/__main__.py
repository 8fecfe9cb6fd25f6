"""`python -m tilequad` is the command `tilequad`."""

import sys

from tilequad.cli import main

sys.exit(main())
