"""`python tests/exact/make_optima.py`: prove the optima in `optima.csv` anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from neurocross import random_problem, solve

OPTIMA = Path(__file__).with_name("optima.csv")
KINDS = (("mtsp", 1), ("mdvrp", 2), ("fmdvrp", 2))


def main() -> None:
    rows = ["kind,cities,depots,vehicles,seed,optimum"]
    for kind, depots in KINDS:
        for cities in (7, 10):
            for vehicles in (2, 3):
                for seed in range(5):
                    rng = np.random.default_rng(seed)
                    problem = random_problem(kind, rng, cities=cities, depots=depots, vehicles=vehicles)
                    result = solve(problem, method="exact")
                    assert result.optimal
                    rows.append(f"{kind},{cities},{depots},{vehicles},{seed},{result.cost:.9f}")
    OPTIMA.write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
