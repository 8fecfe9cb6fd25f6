"""The frontier: a small game on a large map, driven by the quadtrees.

Enemies march down the road, towers shoot the one in front, villagers fetch wood and stone and run
for shelter. `python examples/frontier.py` opens a window; `F1` lists the keys. Without a screen:

    python examples/frontier.py --headless --frames 300 --seed 7 --screenshot frontier.png

plays the game and prints one line of JSON. If no window can be opened, the plain command plays
the same game without one and saves a picture.
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
