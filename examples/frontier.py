"""The frontier: hold a village against ten waves, in a game of ten minutes on the two quadtrees.

Enemies come down two roads, and find another way if walls block one. Villagers bring wood, stone
and gold; towers are bought with it and placed with the mouse. `python examples/frontier.py` opens
a window; `F1` says how to play, `F2` begins the stress test. Without a screen:

    python examples/frontier.py --headless --frames 300 --seed 7 --screenshot frontier.png

plays a game by itself and prints one line of JSON. If no window can be opened, the plain command
plays that game without one and saves a picture.
"""

import sys


def main() -> int:
    """Play the game; return the exit status."""
    try:
        # Here and not above: importing takes long enough to press Ctrl-C.
        from frontier_game.program import run

        return run()
    except KeyboardInterrupt:
        print("frontier: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
