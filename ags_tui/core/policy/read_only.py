"""The closed list of read-only commands with their options; whatever is not listed here waits for a human.

A command is read-only where each of its words is known: no option that writes, runs a program or reads a list
of files, in any spelling (an abbreviated long option is not listed, so it asks).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from ags_tui.core.policy.read_only_git import git_paths
from ags_tui.core.shell.marks import UNKNOWN
from ags_tui.core.shell.model import SimpleCommand, Word

Operands = Literal["paths", "text", "text+paths", "none", "format"]
"""What stands beside the options."""


class Spec(NamedTuple):
    """Options of one command that are known to be harmless."""

    flags: str = ""
    """Short options without a value."""
    valued: str = ""
    """Short options with a value, attached or as the next word."""
    long: str = ""
    """Long options without a value (or with one behind ``=`` where it ends in ``=``), separated by blanks."""
    operands: Operands = "paths"
    """What its other words are."""
    numbers: bool = False
    """Whether ``-5`` is an option."""
    most: int = 1_000
    """How many operands it may have."""


_HASH = Spec("bt", "", "--binary --text --tag")
_GREP = Spec(
    "EFGPivwxcLlqsHhnobaIrTUyzZ", "eABCm",
    "--extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case "
    "--invert-match "
    "--word-regexp --line-regexp --count --color --color= --colour --colour= --files-without-match "
    "--files-with-matches --max-count= --only-matching --quiet --silent --no-messages --byte-offset "
    "--with-filename "
    "--no-filename --label= --line-number --initial-tab --null --after-context= --before-context= --context= "
    "--text --binary-files= --exclude= --exclude-dir= --include= --recursive "
    "--regexp=",
    "text+paths", numbers=True,
)  # fmt: skip
SPECS: Mapping[str, Spec] = MappingProxyType({
    "ls": Spec("1aAbBcCdfFgGhHiklmnNopqQrRsStuUvxXZ", "ITw",
               "--all --almost-all --author --color --color= --classify --directory --full-time "
               "--human-readable "
               "--group-directories-first --inode --recursive --reverse --size --sort= --time= --time-style= "
               "--format= --no-group --numeric-uid-gid --ignore= --hide= --file-type --si --zero --width="),
    "cat": Spec("AbeEnstTuv", "", "--number --number-nonblank --show-all --show-ends --show-tabs "
    "--squeeze-blank "
                "--show-nonprinting"),
    "head": Spec("qvz", "cn", "--lines= --bytes= --quiet --silent --verbose", numbers=True),
    "tail": Spec("qvz", "cn", "--lines= --bytes= --quiet --silent --verbose", numbers=True),
    "wc": Spec("clmwL", "", "--bytes --chars --lines --words --max-line-length"),
    "nl": Spec("p", "bdfhilnsvw"), "tac": Spec("br", "s"), "rev": Spec(), "fold": Spec("bs", "w"),
    "expand": Spec("i", "t"), "unexpand": Spec("a", "t"), "column": Spec("tex", "cso"),
    "paste": Spec("sz", "d"), "join": Spec("i", "12aejotv"), "comm": Spec("123iz", "", "--nocheck-order"),
    "cut": Spec("snz", "bcdf", "--delimiter= --fields= --characters= --bytes= --complement --only-delimited "
                "--output-delimiter="),
    "tr": Spec("cCdst", "", "--delete --squeeze-repeats --complement --truncate-set1", "text", most=2),
    "sort": Spec("bdfghiMnrRsuVcCmz", "kt", "--reverse --unique --numeric-sort --human-numeric-sort "
    "--version-sort "
                 "--ignore-case --stable --check --key= --field-separator= --month-sort --dictionary-order"),
    "uniq": Spec("cdDiuz", "fsw", "--count --repeated --unique --ignore-case --all-repeated", most=1),
    "diff": Spec("abBcdeEinNpqstTuvwyZ", "UCWxIL",
                 "--brief --unified --unified= --context --context= --color --color= --side-by-side "
                 "--ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --new-file "
                 "--text "
                 "--minimal --report-identical-files --suppress-common-lines --width= --exclude= --label="),
    "cmp": Spec("bls", "in", "--silent --quiet --verbose --print-bytes --bytes= --ignore-initial="),
    "md5sum": _HASH, "sha1sum": _HASH, "sha224sum": _HASH, "sha256sum": _HASH, "sha384sum": _HASH,
    "sha512sum": _HASH, "b2sum": _HASH, "cksum": Spec(), "sum": Spec("rs"), "shasum": Spec("bt", "a"),
    "grep": _GREP, "egrep": _GREP, "fgrep": _GREP,
    "rg": Spec("aclFHhiIlnNoPpqsSuUvVwx0.", "ABCEegjmMrtTd",
               "--after-context= --before-context= --context= --case-sensitive --color= --column --count "
               "--count-matches --files --files-with-matches --files-without-match --fixed-strings "
               "--glob= "
               "--heading --hidden --iglob= --ignore-case --json --line-number --line-regexp --max-columns= "
               "--max-count= --max-depth= --multiline --no-filename --no-heading --no-ignore --no-ignore-vcs "
               "--no-line-number --no-messages --only-matching --pcre2 --pretty --quiet --regexp= --replace= "
               "--smart-case --sort= --sortr= --stats --text --trim --type= --type-not= --type-list "
               "--unrestricted "
               "--with-filename --word-regexp --invert-match --no-config --null --vimgrep",
               "text+paths", numbers=True),
    "file": Spec("bikLhNr", "", "--brief --mime --mime-type --mime-encoding --dereference --no-dereference"),
    "stat": Spec("Lt", "c", "--format= --printf= --terse --dereference"),
    "du": Spec("abchHklmsSx0", "dt", "--all --human-readable --summarize --total --max-depth= "
    "--apparent-size "
               "--bytes --exclude= --threshold= --one-file-system --si"),
    "df": Spec("ahHiklPT", "", "--human-readable --all --inodes --portability --print-type --si"),
    "tree": Spec("adfhipsugDFQqNrtcUvJX", "LIP", "--gitignore --dirsfirst --noreport --prune --du --si "
                 "--filelimit= --charset="),
    "readlink": Spec("efmnqsvz", "", "--canonicalize --canonicalize-existing --canonicalize-missing "
    "--no-newline"),
    "realpath": Spec("eLmPqsz", "", "--canonicalize-existing --canonicalize-missing --relative-to= "
    "--relative-base= "
                     "--no-symlinks --strip --logical --physical"),
    "basename": Spec("az", "s", "--multiple --suffix= --zero", "text"), "dirname": Spec("z", "", "--zero",
    "text"),
    "pwd": Spec("LP", operands="none"), "whoami": Spec(operands="none"), "hostname": Spec("fs",
    operands="none"),
    "uname": Spec("asnrvmpio", "", "--all --kernel-name --kernel-release --machine", "none"),
    "id": Spec("ugGnrz", "", "--user --group --groups --name", "text"), "groups": Spec(operands="text"),
    "arch": Spec(operands="none"), "nproc": Spec("", "", "--all", "none"), "uptime": Spec("ps",
    operands="none"),
    "tty": Spec("s", operands="none"), "logname": Spec(operands="none"), "true": Spec(operands="text"),
    "false": Spec(operands="text"), "which": Spec("as", "", "", "text"), "type": Spec("aptPf",
    operands="text"),
    "seq": Spec("w", "fs", "", "text", numbers=True), "sleep": Spec(operands="text", most=1),
    "date": Spec("uR", "d", "--utc --universal --iso-8601 --iso-8601= --rfc-3339= --rfc-email --date=",
    "format"),
    "jq": Spec("cnreRsSajCM", "", "--compact-output --null-input --raw-output --exit-status --raw-input "
    "--slurp "
               "--sort-keys --tab --color-output --monochrome-output --ascii-output --join-output",
               "text+paths"),
    "strings": Spec("afo", "ntes", "--all --bytes= --radix="), "hexdump": Spec("bcCdovx", "ns"),
    "od": Spec("abcdfhilosxv", "AjNtw"), "xxd": Spec("bipu", "cgls", most=1),
    "zcat": Spec(), "cal": Spec("13jmsy", operands="text"), "getconf": Spec(operands="text"),
})  # fmt: skip
# not here: yarn, pnpm, go, cargo and rustc run, or fetch, the version of themselves that the folder names
_VERSIONED = frozenset({
    "python", "python3", "node", "npm", "bun", "deno", "git", "make", "java",
    "javac", "ruby", "gcc", "g++", "clang", "cmake", "docker", "uv", "pip", "pip3", "rg", "jq", "bash",
    "gh", "tsc",
})  # fmt: skip
_FIND_TESTS = frozenset({
    "-print", "-print0", "-ls", "-prune", "-empty", "-not", "!", "(", ")", "-a", "-and", "-o", "-or",
    "-xdev", "-mount", "-readable", "-writable", "-executable", "-depth", "-true", "-false", "-nouser",
    "-nogroup",
    "-daystart", "-noleaf", "-quit", "-H", "-P", ",",
})  # fmt: skip
_FIND_VALUED = frozenset({
    "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-type", "-xtype", "-maxdepth",
    "-mindepth",
    "-size", "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-regex", "-iregex", "-regextype",
    "-perm",
    "-user", "-group", "-links", "-inum", "-printf", "-lname", "-ilname", "-uid", "-gid",
})  # fmt: skip
_FIND_FILES = frozenset({"-newer", "-anewer", "-cnewer", "-samefile"})
_SETTING_FORMAT = re.compile(r"%[-+ #0-9.*$'hlLjztq]*n")
_COUNTING_FORMAT = re.compile(r"%[^a-zA-Z%]*(?:[diouxXeEfFgGaA]|\*)")
"""A format that takes numbers; zsh computes them, with all that may stand in a computation: commands, too."""
_NUMBER = re.compile(r"[-+]?[0-9][0-9a-fA-FxX.]*\Z")
_JQ_REACHES = re.compile(r"(?<![.\w\"])(?:env|import|include|modulemeta)\b|\$ENV\b")
"""A program of jq that reads files by names of its own, or the environment."""
_SED_SCRIPT = re.compile(
    r"(?:(?:\d+|\$|/[^/\\\n{};]*/)(?:,(?:\d+|\$|\+\d+|/[^/\\\n{};]*/))?\s*[pq=]|q)(?:\s*;\s*(?:\d+|\$)[pq])*;?\Z"
)


def read_paths(command: SimpleCommand) -> list[Word] | None:
    """The files that a command of the list reads; None where it is not wholly on the list.

    Args:
        command: a command as the shell starts it.
    """
    name, words = command.words[0].text, command.words[1:]
    if command.words[0].value != name:
        return None
    if name == "echo":
        return []
    if name == "printf":
        form = words[0].value if words else None
        # ``%n`` sets a variable, and its name may hold a subscript that is computed.
        plain = form and not form.startswith("-") and not _SETTING_FORMAT.search(form)
        counts = _COUNTING_FORMAT.search(form or "") and not all(map(_is_number, words[1:]))
        return [] if plain and not counts else None
    if name == "git":
        return git_paths(words)
    if name == "find":
        return _find(words)
    if name == "sed":
        return _sed(words)
    if name == "command":
        plain = len(words) > 1 and words[0].value in ("-v", "-V")
        return [] if plain and all(_operand(word) for word in words[1:]) else None
    if name in _VERSIONED and len(words) == 1 and words[0].value == "--version":
        return []
    if name == "jq" and any(_JQ_REACHES.search(word.value or "") for word in words):
        return None
    spec = SPECS.get(name)
    return _listed(words, spec) if spec else None


def _is_number(word: Word) -> bool:
    return word.value is None or _NUMBER.match(word.value) is not None


def sure(word: Word) -> bool:
    """Whether a word is surely no option: it is known, or a glob behind a letter that begins none."""
    if word.value is not None:
        return True
    return UNKNOWN not in word.shape and word.shape[:1] not in ("", "-", "*", "?", "[", "+", "=")


def _operand(word: Word) -> bool:
    return word.value is not None and not word.value.startswith("-")


def _listed(words: Sequence[Word], spec: Spec) -> list[Word] | None:
    operands: list[Word] = []
    pattern_given = False
    remaining: Iterator[Word] = iter(words)
    for word in remaining:
        value = word.value
        if value is None or value == "-" or not value.startswith("-"):
            operands.append(word)
            continue
        if value == "--":
            operands.extend(remaining)
            break
        step = _option(value, spec)
        if step < 0:
            return None
        if step == 2 and next(remaining, Word("", None, UNKNOWN)).value is None:
            return None
        pattern_given |= value.startswith(("-e", "--regexp", "--files"))
    return _operands(operands, spec, pattern_given)


def _option(value: str, spec: Spec) -> int:
    """How many words an option takes; -1 where it is not on the list."""
    if value.startswith("--"):
        name, equals, _ = value.partition("=")
        return 1 if (name + equals) in spec.long.split(" ") else -1
    if spec.numbers and value[1:].isdigit():
        return 1
    for position, letter in enumerate(value[1:], start=2):
        if letter in spec.valued:
            return 1 if position < len(value) else 2
        if letter not in spec.flags:
            return -1
    return 1


def _operands(words: list[Word], spec: Spec, pattern_given: bool) -> list[Word] | None:
    if len(words) > spec.most or not all(map(sure, words)):
        return None
    if spec.operands == "none":
        return None if words else []
    if spec.operands == "text":
        return [] if all(word.value is not None for word in words) else None
    if spec.operands == "format":
        return [] if all((word.value or "").startswith("+") for word in words) else None
    if spec.operands == "text+paths" and not pattern_given:
        if words and words[0].value is None:
            return None
        words = words[1:]
    return [word for word in words if word.value != "-"]


def _find(words: Sequence[Word]) -> list[Word] | None:
    paths: list[Word] = []
    index = 0
    while index < len(words):
        value = words[index].value
        if value is None or not value.startswith(("-", "(", ")", "!", ",")):
            if not sure(words[index]) or index != len(paths):
                return None
            paths.append(words[index])
        elif value in _FIND_VALUED or value in _FIND_FILES:
            index += 1
            if index >= len(words) or words[index].value is None:
                return None
            if value in _FIND_FILES:
                return None
        elif value not in _FIND_TESTS:
            return None
        index += 1
    return paths


def _sed(words: Sequence[Word]) -> list[Word] | None:
    """``sed -n`` with scripts that print lines and do nothing else."""
    quiet = False
    scripts: list[str] = []
    operands: list[Word] = []
    remaining = iter(words)
    for word in remaining:
        value = word.value
        if value in ("-n", "--quiet", "--silent", "-nE", "-En", "-nr"):
            quiet = True
        elif value == "-e":
            scripts.append(next(remaining, Word("", None, UNKNOWN)).value or "w")
        elif value not in ("-E", "-r"):
            if value is not None and value.startswith("-"):
                return None
            operands.append(word)
    if not scripts and operands:
        scripts.append(operands.pop(0).value or "w")
    if not quiet or not scripts or not all(map(_SED_SCRIPT.match, scripts)) or not all(map(sure, operands)):
        return None
    return operands
