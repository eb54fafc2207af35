"""`python -m neurocross.exact`: one proof in a process of its own; pickles on standard input and output."""

from __future__ import annotations

import os
import pickle
import sys

from neurocross.errors import NeurocrossError
from neurocross.exact import Proof, prove_here


def main() -> None:
    """Answer one task with a `Proof` or the error it met."""
    # Solvers may print: their output goes to standard error, the answer alone to the pipe.
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    task = pickle.load(sys.stdin.buffer)
    result: Proof | NeurocrossError
    try:
        result = prove_here(*task)
    except NeurocrossError as error:
        result = error
    with answer:
        pickle.dump(result, answer)


if __name__ == "__main__":
    main()
