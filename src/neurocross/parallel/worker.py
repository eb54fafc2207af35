"""`python -m neurocross.parallel.worker`: runs one task after another in a process of its own.

Tasks come as pickles on standard input, answers go as pickles to standard output. A task that crashes takes
this process with it and nothing else; when the parent is gone, so is this process.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from queue import SimpleQueue

from neurocross.parallel.task import attempt


def main() -> None:
    """Answer tasks until standard input ends."""
    # Tasks may print: their output goes to standard error, the answers alone to the pipe.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    tasks: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_read, args=(tasks,), daemon=True).start()
    running = False

    def interrupt(*_: object) -> None:
        if running:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    while True:
        task = pickle.loads(tasks.get())
        running = True
        answer = attempt(task)
        running = False
        pickle.dump(answer, answers)
        answers.flush()


def _read(tasks: SimpleQueue[bytes]) -> None:
    """Take in tasks; in a thread, so that the end of the parent is noticed in the middle of a task."""
    try:
        while True:
            tasks.put(pickle.load(sys.stdin.buffer))
    except Exception:  # the pipe ended, in the middle of a task or between two
        os._exit(0)


if __name__ == "__main__":
    main()
