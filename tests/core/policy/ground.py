"""A work tree on no disk, and verdicts on it."""

import posixpath
from collections.abc import Mapping
from datetime import UTC, datetime

from ags_tui.core.globs import compile_patterns
from ags_tui.core.policy.calls import Ground, Policies, RememberedRule, Terms, ToolCall, Verdict
from ags_tui.core.policy.decide import decide
from ags_tui.core.policy.model import Decision, PolicyFile, Risk, Rule
from ags_tui.core.policy.parse import parse_policy

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
TOP = "/w/app"
HOME = "/home/u"
STATE = f"{HOME}/.local/state/ags-tui"
TASK = f"{TOP}/.ai/tasks/T-1"


def resolver(links: Mapping[str, str]):
    """Resolves links of a made-up disk."""

    def real(path: str) -> str:
        done = "/"
        for segment in path.split("/"):
            if segment in ("", "."):
                continue
            done = posixpath.dirname(done) if segment == ".." else posixpath.join(done, segment)
            for _ in range(8):
                if done not in links:
                    break
                done = posixpath.normpath(posixpath.join(posixpath.dirname(done), links[done]))
        return done

    return real


def ground(*, links: Mapping[str, str] | None = None, ignore_case: bool = False) -> Ground:
    return Ground(
        top=TOP,
        root=f"{TOP}/.ai",
        home=HOME,
        own=(STATE, f"{HOME}/.config/ags-tui", "/opt/venv/lib/python3.11/site-packages/ags_tui"),
        real=resolver(links or {}),
        task_folder=TASK,
        git_dirs=(f"{TOP}/.git", "/w/main/.git/worktrees/app", "/w/main/.git"),
        ignore_case=ignore_case,
    )


GROUND = ground()


def terms(
    allow: tuple[str, ...] = ("src/**",),
    deny: tuple[str, ...] = ("src/secret/**", "vendor/**"),
    *,
    approved: bool = True,
    risk: Risk = "low",
    operations: frozenset[str] | None = None,
) -> Terms:
    return Terms(
        approved=approved,
        allow=compile_patterns(allow, side="allow"),
        deny=compile_patterns(deny, side="deny"),
        risk=risk,
        operations=operations,
    )


def rules(*tables: str) -> PolicyFile:
    """A policy file with these rules: ``allow shell npm test *`` and further keys behind ``;``."""
    text = ""
    for number, table in enumerate(tables):
        head, *more = table.split(";")
        decision, tool, command = [*head.split(" ", 2), ""][:3]
        text += f'[[rule]]\nid = "r{number}"\ndecision = "{decision}"\ntool = "{tool}"\n'
        text += f"command = '''{command}'''\n" if command.strip() else ""
        text += "".join(one.strip() + "\n" for one in more)
    file = parse_policy(text.encode())
    assert not file.problems, file.problems
    return file


def shell(
    line: str,
    *,
    user: PolicyFile | None = None,
    repository: PolicyFile | None = None,
    trusted: bool = False,
    remembered: tuple[RememberedRule, ...] = (),
    plan: Terms | None = None,
    on: Ground = GROUND,
    cwd: str = TOP,
    tool: str = "shell",
    risk: Risk = "low",
    now: datetime = NOW,
    agent: str = "",
) -> Verdict:
    call = ToolCall(tool, "Bash", command=line, cwd=cwd, risk=risk, agent=agent)
    return decide(
        call, ground=on, policies=Policies(user, repository, trusted, remembered), terms=plan, now=now
    )


def path(
    tool: str,
    *paths: str,
    user: PolicyFile | None = None,
    repository: PolicyFile | None = None,
    trusted: bool = False,
    plan: Terms | None = None,
    on: Ground = GROUND,
    cwd: str = TOP,
) -> Verdict:
    call = ToolCall(tool, tool, paths=paths, cwd=cwd, risk="low")
    return decide(call, ground=on, policies=Policies(user, repository, trusted), terms=plan, now=NOW)


def rule(decision: Decision, tool: str, command: str | None = None, **more: object) -> Rule:
    return Rule("made", decision, tool, command, **more)  # pyright: ignore[reportArgumentType]
