"""Whole games by the thousand: every setting with every seed, on all cores or on a cluster.

    python examples/sweep.py --set first_towers=6,7,8,9 --set lives=10 --seeds 50

plays 200 games of the frontier on all cores and prints how often each setting wins. The folder
`sweep` then holds every game, the table and a plot. Ctrl-C stops it, `--resume` goes on.
`docs/games.md` has the rest, from one game to a cluster.
"""

import sys


def main() -> int:
    """Play the games; return the exit status."""
    try:
        # Here and not above: importing takes long enough to press Ctrl-C.
        from frontier_sweep.program import run

        return run()
    except KeyboardInterrupt:
        print("sweep: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
