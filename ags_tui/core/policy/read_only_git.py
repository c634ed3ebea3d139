"""The closed list of git commands and options that only read."""

from collections.abc import Sequence
from typing import NamedTuple

from ags_tui.core.shell.model import Word

_GLOBAL = frozenset(
    {"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"}
)


class _Verb(NamedTuple):
    """Options of one git command."""

    flags: str = ""
    """Short options without a value."""
    valued: str = ""
    """Short options with a value, attached or as the next word."""
    long: str = ""
    """Long options; one that ends in ``=`` has its value attached, in ``:`` attached or as the next word."""
    operands: int = 10_000
    """How many other words it may have."""


_FORMAT = (
    "--stat --stat= --shortstat --numstat --name-only --name-status --summary --raw --patch --no-patch "
    "--oneline "
    "--color --color= --no-color --word-diff --word-diff= --ignore-space-change --ignore-all-space "
    "--ignore-space-at-eol --ignore-blank-lines --minimal --patience --histogram --diff-algorithm= "
    "--full-index "
    "--abbrev --abbrev= --no-abbrev --no-ext-diff --no-textconv --compact-summary --dirstat --dirstat= "
    "--no-renames "
    "--find-renames --find-renames= --find-copies --find-copies= --text --unified= --diff-filter= --relative "
    "--no-prefix --check --exit-code --quiet --pickaxe-all --pickaxe-regex --function-context "
    "--patch-with-stat "
    "--color-moved --color-moved= --no-color-moved --src-prefix= --dst-prefix= --inter-hunk-context= --cc -c "
    "--ignore-submodules --ignore-submodules= --submodule --submodule= --irreversible-delete"
)  # fmt: skip
_WALK = (
    "--graph --decorate --decorate= --no-decorate --all --branches --branches= --tags --tags= --remotes "
    "--remotes= "
    "--no-merges --merges --first-parent --reverse --follow --abbrev-commit --no-abbrev-commit --date-order "
    "--topo-order --author-date-order --left-right --cherry-pick --cherry --cherry-mark --boundary "
    "--simplify-merges "
    "--full-history --ancestry-path --source --no-walk --format= --pretty --pretty= --date= --since: "
    "--until: "
    "--after: --before: --author: --committer: --grep: --max-count: --skip: --invert-grep --all-match "
    "--regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --relative-date --parents "
    "--children "
    "--show-pulls --not --count --walk-reflogs --merge-base --no-notes --clear-decorations "
    "--simplify-by-decoration"
)
_LOG = _Verb("pusqzabwRtciEFPW", "nUSGL", f"{_FORMAT} {_WALK}")
_LIST = (
    "--list --sort= --format= --contains --no-contains --merged --no-merged --points-at= --column --no-column"
)
_VERBS = {
    "log": _LOG, "show": _LOG, "whatchanged": _LOG, "reflog": _Verb("n", "", "", 0),
    "diff": _Verb("pusqzabwRtW", "USG", f"{_FORMAT} --cached --staged --merge-base --left-right"),
    "diff-tree": _Verb("pusqzabwRtrc", "USG", f"{_FORMAT} --no-commit-id --root"),
    "status": _Verb("sbvzu", "", "--short --branch --porcelain --porcelain= --long --verbose "
    "--untracked-files "
                    "--untracked-files= --ignored --ignored= --ahead-behind --no-ahead-behind --renames "
                    "--no-renames "
                    "--show-stash --column --no-column --ignore-submodules --ignore-submodules="),
    "blame": _Verb("bcefflnpstwCM", "L", "--porcelain --line-porcelain --incremental --show-name "
    "--show-number "
                   "--show-email --date= --abbrev= --root --show-stats --color-lines --color-by-age "
                   "--first-parent"),
    "shortlog": _Verb("nsec", "", "--numbered --summary --email --format= --since: --until: --all "
    "--no-merges"),
    "ls-files": _Verb("cdmosuktvz", "x", "--cached --deleted --modified --others --ignored --stage "
    "--unmerged "
                      "--exclude= --exclude-standard --full-name --error-unmatch --eol --abbrev "
                      "--deduplicate"),
    "ls-tree": _Verb("drtlz", "", "--name-only --name-status --long --full-name --full-tree --abbrev "
    "--object-only"),
    "rev-parse": _Verb("q", "", "--show-toplevel --show-prefix --show-cdup --git-dir --git-common-dir "
    "--verify "
                       "--quiet --short --short= --abbrev-ref --symbolic --symbolic-full-name "
                       "--is-inside-work-tree "
                       "--is-inside-git-dir --is-bare-repository --absolute-git-dir --all --branches --tags "
                       "--is-shallow-repository --show-object-format --revs-only --no-revs "
                       "--show-superproject-working-tree"),
    "rev-list": _Verb("n", "n", f"{_WALK} --objects --no-object-names --disk-usage --max-parents= "
    "--min-parents="),
    "describe": _Verb("", "", "--tags --all --always --dirty --long --abbrev= --exact-match --contains "
    "--match= "
                      "--candidates= --first-parent --broken"),
    "merge-base": _Verb("a", "", "--all --octopus --is-ancestor --fork-point --independent"),
    "name-rev": _Verb("", "", "--tags --name-only --all --always"),
    "for-each-ref": _Verb("", "", "--count= --sort= --format= --points-at= --merged --no-merged --contains "
                          "--no-contains --ignore-case"),
    "show-ref": _Verb("dqs", "", "--head --heads --tags --branches --verify --hash --quiet --dereference"),
    "cat-file": _Verb("tspe", "", "--batch-all-objects --unordered"),
    "count-objects": _Verb("vH", "", "--verbose --human-readable", 0),
    "check-ignore": _Verb("vqn", "", "--verbose --quiet --non-matching --no-index"),
    "grep": _Verb("nilLcwvEFGPhHoqIraWpz", "eABCm", "--line-number --ignore-case --files-with-matches "
    "--count "
                  "--word-regexp --invert-match --extended-regexp --fixed-strings --perl-regexp --cached "
                  "--untracked "
                  "--color --color= --no-color --heading --break --show-function --function-context "
                  "--context= "
                  "--after-context= --before-context= --max-depth= --all-match --and --or --not "
                  "--name-only --column "
                  "--only-matching --full-name --quiet --max-count= --recursive --no-recursive"),
    "branch": _Verb("arv", "", "--all --remotes --verbose --show-current --color --no-color "
                      "--abbrev= " + _LIST, 0),
    "tag": _Verb("ln", "", "--color --no-color " + _LIST, 0),
    "remote": _Verb("v", "", "--verbose", 0),
    "version": _Verb("", "", "--build-options", 0),
}  # fmt: skip
_PAIRS = {
    ("stash", "list"): _LOG, ("stash", "show"): _LOG, ("worktree", "list"): _Verb("vz", "", "--porcelain "
    "--verbose", 0),
    ("remote", "get-url"): _Verb("", "", "--all --push"), ("submodule", "status"): _Verb("", "",
    "--recursive"),
    ("reflog", "show"): _LOG, ("config", "--get"): _Verb("", "", "", 1),
    ("config", "--get-all"): _Verb("", "", "", 1),
    ("config", "--list"): _Verb("z", "", "--show-origin --show-scope --local --global --name-only", 0),
    ("config", "-l"): _Verb("z", "", "--show-origin --show-scope --local --global --name-only", 0),
    ("branch", "--list"): _Verb("arv", "", "--all --remotes --sort= --format="),
    ("tag", "--list"): _Verb("n", "", "--sort= --format="), ("tag", "-l"): _Verb("n", "", "--sort= "
    "--format="),
}  # fmt: skip


def git_paths(words: Sequence[Word]) -> list[Word] | None:
    """The words of a git command that may be files outside; None where the command is not wholly on the list.

    Args:
        words: what follows ``git``.
    """
    rest = list(words)
    while rest and rest[0].value in _GLOBAL:
        rest.pop(0)
    values = [word.value for word in rest]
    if not values or values[0] is None or None in values:
        return None
    pair = _PAIRS.get((values[0], values[1] or "")) if len(values) > 1 else None
    verb = pair or _VERBS.get(values[0])
    if verb is None:
        return None
    operands = _operands(rest[2 if pair else 1 :], verb)
    if operands is None or len(operands) > verb.operands:
        return None
    return [word for word in operands if _leads_out(word.value or "")]


def _leads_out(value: str) -> bool:
    return value.startswith(("/", "~")) or ".." in value.split("/")


def _operands(words: Sequence[Word], verb: _Verb) -> list[Word] | None:
    long = verb.long.split()
    operands: list[Word] = []
    remaining = iter(words)
    for word in remaining:
        value = word.value or ""
        if value == "--":
            operands.extend(remaining)
            break
        if not value.startswith("-") or value == "-":
            operands.append(word)
            continue
        step = _long(value, long) if value.startswith("--") else _short(value, verb)
        if step < 0 or (step == 2 and next(remaining, None) is None):
            return None
    return operands


def _long(value: str, long: list[str]) -> int:
    name, equals, _ = value.partition("=")
    if name + ":" in long:
        return 1 if equals else 2
    return 1 if name + equals in long else -1


def _short(value: str, verb: _Verb) -> int:
    if value[1:].isdigit():
        return 1
    for position, letter in enumerate(value[1:], start=2):
        if letter in verb.valued:
            return 1 if position < len(value) else 2
        if letter not in verb.flags:
            return -1
    return 1
