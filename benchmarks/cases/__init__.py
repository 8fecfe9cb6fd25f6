"""The cases, one subject a file, and the checks that all contestants give the same answers.

`races` yields what is raced in rounds, and rows that were measured by other means; `frames` yields
what is timed call by call.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "examples"))  # whose games are measured
