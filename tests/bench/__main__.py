"""Measures and prints: ``python -m tests.bench [--rounds N] [NAME…]``; a name is a module's or a figure's."""

import argparse
import importlib
import pkgutil
import subprocess
import sys
import traceback
from collections.abc import Iterator
from types import ModuleType

from tests import bench as package
from tests.bench.course import LEAST_ROUNDS, Bench, course
from tests.bench.figures import Figure, line, table
from tests.bench.machine import load, machine

PREFIX = "bench_"


def modules() -> dict[str, ModuleType]:
    """The benches by name, in the order of their first figure."""
    names = [found.name for found in pkgutil.iter_modules(package.__path__) if found.name.startswith(PREFIX)]
    loaded = {name.removeprefix(PREFIX): importlib.import_module(f"tests.bench.{name}") for name in names}
    return dict(sorted(loaded.items(), key=lambda item: _number(item[1].FIGURES[0])))


def chosen(benches: dict[str, ModuleType], wanted: list[str]) -> dict[str, ModuleType]:
    """The benches that are asked for by name or by figure; all where nothing is.

    Raises:
        SystemExit: there is no such bench.
    """
    known = {*benches, *(figure for module in benches.values() for figure in module.FIGURES)}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise SystemExit(f"no bench {', '.join(unknown)}; there are: {' '.join(sorted(known, key=_number))}")
    return {
        name: module
        for name, module in benches.items()
        if not wanted or name in wanted or set(module.FIGURES) & set(wanted)
    }


def measure(bench: Bench, benches: dict[str, ModuleType]) -> Iterator[Figure]:
    """Run benches one after the other; one that fails says so in its row and stops no other."""
    for name, module in benches.items():
        bench.say(f"{name} …")
        rows: list[Figure] = []
        try:
            for figure in module.run(bench):
                bench.say(f"  {line(figure)}")
                rows.append(figure)
        except Exception as error:  # noqa: BLE001 (the others can still be measured)
            traceback.print_exc()
            if isinstance(error, subprocess.CalledProcessError):
                bench.say(str(error.stderr))
            missing = [figure for figure in module.FIGURES if figure not in {row.id for row in rows}]
            rows += [
                Figure(figure, name, "", None, 0, unit="", seen=f"{type(error).__name__}: {error}")
                for figure in missing
            ]
        yield from rows


def main(arguments: list[str]) -> int:
    """Measure and print the table; 1 where something that must be zero is not, or a bench failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--rounds", type=int, default=LEAST_ROUNDS)
    asked = parser.parse_args(arguments)
    benches = chosen(modules(), asked.names)
    before = load()
    with course(max(1, asked.rounds)) as bench:
        figures = list(measure(bench, benches))
        about = [
            machine(),
            f"{bench.rounds} rounds a side, in turns; load {before:.1f} before, {load():.1f} after",
        ]
        if bench.short:
            about.append(
                f"fewer than {LEAST_ROUNDS} rounds: this shows that the benches work, not how fast we are"
            )
        about += bench.notes
    sys.stdout.write("  \n".join(about) + "\n\n" + table(figures) + "\n")
    return 1 if any(figure.met is False and figure.target == 0 for figure in figures) else 0


def _number(figure: str) -> tuple[int, str]:
    digits = "".join(letter for letter in figure if letter.isdigit())
    return (int(digits) if digits else -1, figure)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
