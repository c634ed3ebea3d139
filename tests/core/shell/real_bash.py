"""Runs lines of harmless commands in a real bash whose PATH holds recording stubs only."""

import random
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ags_tui.core.shell.model import ShellLine

NAMES = tuple(f"c{number}" for number in range(8))
REAL = ("env", "timeout", "nice", "nohup", "stdbuf", "xargs", "find", "sh", "bash", "cat", "setsid")
STUB = '#!/bin/sh\nprintf "%s\\037" "${0##*/}" "$@" "$END" >> "$RECORD"\necho c7\n'
WORDS = (
    "a",
    "-x",
    "--long=v",
    "'s q'",
    '"d q"',
    '"$V"',
    "$V",
    "${V}",
    "a\\ b",
    "*.py",
    "[ab]",
    "{a,b}",
    "~",
    "$'\\x41'",
    "5",
    "c1",
    "'c2; c3'",
    '"c4 | c5"',
    "a=b",
    "'$(c1)'",
    "x#y",
    "\\;",
    '"a\\"b"',
    "''",
    '"$(c6 in)"',
    "`c5 tick`",
    "<(c4 sub)",
    "$(c3)",
    "!",
    "{}",
    "@",
    "%",
    "^",
    "+",
    ",",
    ":",
    "\\\\",
    '"\\$V"',
    "한글",
    "é",
)
WRAPPERS = (
    "env",
    "env A=1",
    "env -i PATH=$PATH RECORD=$RECORD END=$END",
    "timeout 5",
    "timeout -k 1 5",
    "nice",
    "nice -n 3",
    "nohup",
    "command",
    "exec",
    "time",
    "builtin command",
    "stdbuf -oL",
    "A=1",
    "A=1 B='x y'",
    "setsid -w",
    "! ",
    "env -u Q",
)
QUOTED = ("E", "'E'")
JOINTS = (" | ", " && ", " || ", "; ", " & ", "\n", " |& ", "&&", ";", "|", "\n\n", " ;\n")
REDIRECTIONS = (
    " > out",
    " 2>&1",
    " <in",
    " >>out",
    " &>out",
    " >|out",
    " <<< word",
    " 2>/dev/null",
    ">out",
    " >&2",
)
SPLICES = (
    "'",
    '"',
    "\\",
    "\n",
    "\\\n",
    "$",
    "`",
    "$(",
    ")",
    "(",
    "{ ",
    "; }",
    "#",
    " #",
    ">",
    "<",
    "&",
    "|",
    ";",
    "<<E\n",
    "\nE\n",
    "\r",
    "\t",
    " ",
    "$'",
    '$"',
    "=",
    "[",
    "]",
    "[[",
    "]]",
    "((",
    "))",
    "~",
    "!",
    "*",
    "?",
    "@(",
    "c2",
    " c3 ",
    "case a in a)",
    ";;",
    "esac",
    "if ",
    "; then ",
    "; fi",
    "for V in a; do ",
    "; done",
    "f() {",
    "while ",
    "\f",
    "\v",
    "\x00"[:0],
    "\u00a0",
    "\u3000",
    "${V:-",
    "}",
    "<<-E\n",
    "<<'E'\n",
    ">(",
    "<>",
    "2",
    ">&",
    "coproc ",
    "$((",
    "$[",
    "eval ",
    "eval 'c1 ev'",
    "|&",
    "&>",
    ";&",
    "\\c4",
)


@dataclass
class RealBash:
    """A bash with stubs, in a folder of its own."""

    folder: Path
    bash: str
    lines: int = 0

    @classmethod
    def build(cls, folder: Path) -> "RealBash":
        stubs = folder / "stubs"
        stubs.mkdir()
        for name in NAMES:
            (stubs / name).write_text(STUB)
            (stubs / name).chmod(0o755)
        for name in REAL:
            found = shutil.which(name)
            if found:
                (stubs / name).symlink_to(found)
        return cls(folder, shutil.which("bash") or "bash")

    def started(self, line: str) -> list[list[str]]:
        """Name and arguments of every stub that the line really starts."""
        self.lines += 1
        record = self.folder / f"record-{self.lines}"  # a background job of an earlier line may still write
        record.write_bytes(b"")
        work = self.folder / f"work-{self.lines}"  # what an earlier line wrote must not be run by a later one
        work.mkdir()
        (work / "in").write_text("c6 fed\n")
        environment = {
            "PATH": str(self.folder / "stubs"),
            "RECORD": str(record),
            "V": "v",
            "END": "\x1e",
            "LC_ALL": "C.UTF-8",
            "HOME": str(self.folder),
        }
        # Background jobs hold the pipe open until they have ended: reading it to the end waits for them.
        subprocess.run(
            [self.bash, "--norc", "--noprofile", "-c", line],
            cwd=work,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=20,
            check=False,
        )
        entries = record.read_bytes().decode("utf-8", "surrogateescape").split("\x1e\x1f")
        return [entry.split("\x1f")[:-1] for entry in entries if entry]


def generate(chance: random.Random) -> str:
    """A line of harmless commands; every second one with something spliced in."""
    line = _sequence(chance, 0)
    for _ in range(chance.choice((0, 0, 0, 1, 1, 2, 3))):
        at = chance.randrange(len(line) + 1)
        line = line[:at] + chance.choice(SPLICES) + line[at:]
    return line


def _sequence(chance: random.Random, depth: int) -> str:
    parts = [_one(chance, depth) for _ in range(chance.choice((1, 1, 2, 3)))]
    line = parts[0]
    for part in parts[1:]:
        line += chance.choice(JOINTS) + part
    return line


def _one(chance: random.Random, depth: int) -> str:
    kind = chance.randrange(14)
    if depth < 3 and kind == 0:
        return f"({_sequence(chance, depth + 1)})"
    if depth < 3 and kind == 1:
        return f"{{ {_sequence(chance, depth + 1)}; }}"
    if depth < 3 and kind == 2:
        return f'{chance.choice(NAMES)} "$({_sequence(chance, depth + 1)})"'
    if depth < 3 and kind == 3:
        inner = _sequence(chance, depth + 1)
        return f"{chance.choice(('bash -c', 'sh -c', 'eval', 'bash -ec'))} {_quoted(inner)}"
    if depth < 3 and kind == 4:
        return f"if {_sequence(chance, depth + 1)}; then {_sequence(chance, depth + 1)}; fi"
    if kind == 5:
        return f"{chance.choice(NAMES)} <<{chance.choice(QUOTED)}\nx $(c5 doc) `c6 doc`\nE\n"
    if kind == 6:
        return f"find . -maxdepth 0 -exec {chance.choice(NAMES)} {{}} \\;"
    if kind == 7:
        return f"echo a | xargs -n 1 {chance.choice(NAMES)} z"
    wrappers = [chance.choice(WRAPPERS) for _ in range(chance.choice((0, 0, 0, 1, 2)))]
    words = [chance.choice(WORDS) for _ in range(chance.randrange(4))]
    redirections = [chance.choice(REDIRECTIONS) for _ in range(chance.choice((0, 0, 1, 2)))]
    pieces = [" ".join([*wrappers, chance.choice(NAMES)])]
    for word in words:
        pieces.append(" " + word)
        if redirections and chance.random() < 0.5:
            pieces.append(redirections.pop())
    return "".join([*pieces, *redirections])


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def missed(line: ShellLine, started: list[list[str]]) -> list[list[str]]:
    """What was started and is not among the commands of the analysis.

    Where the line is without doubts the arguments must be right, too: that is what allows it.
    """
    return [
        argv for argv in started if not any(_same(argv, line, index) for index in range(len(line.commands)))
    ]


def _same(argv: list[str], line: ShellLine, index: int) -> bool:
    command = line.commands[index]
    name = command.words[0].value
    if line.doubts:
        return name is None or name.rpartition("/")[2] == argv[0]
    if command.guess or name is None or name.rpartition("/")[2] != argv[0]:
        return False
    if "xargs" in command.wrappers or "find" in command.wrappers:
        return True
    values = [word.value for word in command.words]
    if None not in values:
        return values == argv
    known = [value for value in values if value is not None]
    return all(value in argv for value in known)
