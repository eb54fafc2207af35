"""Many tasks at once: processes of this machine, or a Ray cluster, behind one small interface.

>>> with team("local", processes=2) as workers:
...     sorted(done.result() for done in workers.map(abs, [-1, 2, -3]))
[1, 2, 3]
"""

from neurocross.parallel.team import (
    BACKENDS,
    Done,
    LostError,
    OverdueError,
    Team,
    check_choice,
    team,
)

__all__ = ["BACKENDS", "Done", "LostError", "OverdueError", "Team", "check_choice", "team"]
