"""The hook of a client without a TUI: whole processes that judge a call of their own each time."""

import asyncio
import itertools
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta

from ags_tui.core.policy.calls import RememberedRule
from ags_tui.core.policy.model import Rule
from ags_tui.core.tree_rules import remember
from ags_tui.io.keys import Keys
from ags_tui.io.tree_log import TreeLog
from tests.agents.judging import Desk
from tests.agents.test_judge_sessions import plan
from tests.bench.course import Bench, in_turns
from tests.bench.figures import Figure, p90_ratio, ratio, seen

FIGURES = ("B3", "B3a", "B3b", "B3c", "B3d", "B3e", "B3f", "B3g")

ROWS: Mapping[str, tuple[str, float | None]] = {
    "B3": ("a tool that only reads, no TUI open", 3),
    "B3a": ("a path rule of the user's policy file", 3),
    "B3b": ("a shell line that is judged", 5),
    "B3c": ("an edit inside a plan that a human approved: a signed decision", 7),
    "B3d": ("a rule that a human remembered: a signed decision", 7),
    "B3e": ("a tool that only reads, where rules are remembered", 3),
    "B3f": ("a shell line that is judged, where rules are remembered", 5),
    "B3g": ("exactly the call that was judged before", None),
}
PEER = "python -c pass"
RULES = (
    '[[rule]]\nid = "docs"\ndecision = "allow"\ntool = "edit_file"\npaths = ["docs/**"]\n'
    '[[rule]]\nid = "locks"\ndecision = "deny"\ntool = "edit_file"\npaths = ["*.lock"]\n'
)


class Seat(Desk):
    """A work tree with the hook of the wheel, and calls that nobody made before."""

    def sit(self, bench: Bench, hook: str) -> "Seat":
        """Begin a session.

        Args:
            bench: The run.
            hook: Where the wheel has put the hook.
        """
        places = ("--state", str(self.places.state), "--config", str(self.places.config))
        self.words = [str(bench.python), "-I", "-S", hook, "claude-code", *places]
        self.words += ["--sockets", str(self.folder / "none")]
        self.count = itertools.count(1)
        self.run(self.event("SessionStart", source="startup"), b"")
        return self

    def run(self, payload: bytes, wanted: bytes = b'"permissionDecision":"allow"') -> float:
        """Judge one call; it must be answered as wanted."""
        began = time.perf_counter()
        done = subprocess.run(self.words, input=payload, cwd=self.work, capture_output=True, check=False)
        took = time.perf_counter() - began
        if done.returncode or wanted not in done.stdout:
            raise RuntimeError(f"the hook answered {done}")
        return took

    def read(self) -> float:
        """Read a file."""
        return self.tool("Read", f"src/{next(self.count)}.py")

    def again(self) -> float:
        """Read the file that was read before."""
        return self.tool("Read", "src/app.py")

    def ruled(self) -> float:
        """Edit a file that a rule names."""
        return self.tool("Edit", f"docs/{next(self.count)}.md", old_string="a", new_string="b")

    def line(self) -> float:
        """Run a line of two commands."""
        return self.run(self.bash("call", f"git status --short | head -{next(self.count)}"))

    def planned(self) -> float:
        """Edit a file inside the plan."""
        return self.run(self.edit("call", f"a{next(self.count)}", "b"))

    def remembered(self) -> float:
        """Run the line for which a rule was made."""
        return self.run(self.bash("call", "touch made"))

    def tool(self, name: str, path: str, **given: str) -> float:
        """Call a tool with one file."""
        told = {"file_path": str(self.work / path), **given}
        return self.run(self.event("PreToolUse", tool_name=name, tool_input=told, tool_use_id="call"))


def rows(bench: Bench, hook: str) -> Iterator[Figure]:
    """Measure each kind of call beside a bare start of Python, in turns.

    Args:
        bench: The run.
        hook: Where the wheel has put the hook.
    """
    taken = in_turns({PEER: bare(bench), **calls(bench, hook)}, bench.rounds)
    peer = taken[PEER]
    for name, (what, target) in ROWS.items():
        ours = taken[name]
        yield Figure(
            name, what, PEER, ratio(ours, peer), target, p90=p90_ratio(ours, peer), seen=seen(ours, peer)
        )


def bare(bench: Bench) -> Callable[[], float]:
    """Start Python for nothing."""

    def measured() -> float:
        began = time.perf_counter()
        subprocess.run([str(bench.python), "-c", "pass"], input=b"", capture_output=True, check=True)
        return time.perf_counter() - began

    return measured


def calls(bench: Bench, hook: str) -> dict[str, Callable[[], float]]:
    """Prepare a work tree for each kind of ground."""
    plain = Seat(bench.folder("alone")).sit(bench, hook)
    ruled = Seat(bench.folder("alone-rule"))
    ruled.places.config.mkdir(mode=0o700)
    (ruled.places.config / "policy.toml").write_text(RULES)
    ruled.sit(bench, hook)
    remembering = Seat(bench.folder("alone-log")).sit(bench, hook)
    make_rule(remembering)
    planned = Seat(bench.folder("alone-plan"))
    plan(planned)
    planned.open()
    planned.sit(bench, hook)
    asyncio.run(approve(planned))
    return {
        "B3": plain.read,
        "B3a": ruled.ruled,
        "B3b": plain.line,
        "B3c": planned.planned,
        "B3d": remembering.remembered,
        "B3e": remembering.read,
        "B3f": remembering.line,
        "B3g": plain.again,
    }


def make_rule(desk: Desk) -> None:
    """Remember a rule for one line, as the human would."""
    now = datetime.now(UTC)
    rule = RememberedRule(Rule("r1", "allow", "shell", command="touch made"), now, now + timedelta(hours=8))
    draft = remember(desk.tree.key, rule, preview=0, call={})
    TreeLog(desk.tree, desk.places).record(draft, Keys.open(desk.places), now)


async def approve(desk: Desk) -> None:
    """Approve the plan, as the human would."""
    await desk.human.approve(next(one.item_id for one in await desk.human.pending()))
