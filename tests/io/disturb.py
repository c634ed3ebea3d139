"""Changes a work tree at random, as fast as it can: ``python -m tests.io.disturb SEED COUNT WORK_TREE``."""

import os
import random
import shutil
import sys
from pathlib import Path


def folders(top: Path) -> list[Path]:
    return [Path(found) for found, _, _ in os.walk(top)]


def files(top: Path) -> list[Path]:
    return [Path(found, name) for found, _, names in os.walk(top) for name in names]


def disturb(chance: random.Random, top: Path) -> None:
    """One change below a folder: new file, edit, new folders, moves, deletions."""
    folder = chance.choice(folders(top))
    name = chance.choice("abcdef")
    match chance.randrange(7):
        case 0 | 1:
            if not (folder / name).is_dir():
                (folder / name).write_text(str(chance.random()))
        case 2:
            inner = folder / f"{name}1" / f"{name}2"
            inner.mkdir(parents=True, exist_ok=True)
            if not (inner / "file").is_dir():
                (inner / "file").write_text(str(chance.random()))
        case 3:
            target = chance.choice(folders(top)) / f"moved-{chance.randrange(9)}"
            if folder != top and not target.exists() and folder not in [target, *target.parents]:
                folder.rename(target)
        case 4:
            found = files(top)
            target = folder / f"file-{chance.randrange(9)}"
            if found and not target.is_dir():
                chance.choice(found).rename(target)
        case 5:
            found = files(top)
            if found:
                chance.choice(found).unlink()
        case _:
            if folder != top:
                shutil.rmtree(folder)


def main(seed: int, count: int, tree: Path) -> None:
    chance = random.Random(seed)
    for _ in range(count):
        disturb(chance, chance.choice([tree / "src", tree / ".ai" / "tasks" / "t"]))
    (tree / "src" / "last").mkdir(exist_ok=True)


main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
