"""What the built-ins say of each part of a shell line."""

from ags_tui.core.light import Sequence
from ags_tui.core.policy import ask_commands, read_only
from ags_tui.core.policy.calls import Ground, Terms, ToolCall
from ags_tui.core.policy.deny_commands import agent_side_files, denied, interprets, program_text
from ags_tui.core.policy.path_calls import is_open, judge_path, strays
from ags_tui.core.policy.paths import Access, Facts, absolute, candidates, facts_of, protected
from ags_tui.core.policy.subjects import Ruling, Step, Subject, built_in, deny
from ags_tui.core.records import replace
from ags_tui.core.shell.analyse import analyse
from ags_tui.core.shell.marks import UNKNOWN
from ags_tui.core.shell.model import Redirection, ShellLine, SimpleCommand, Word

_MOST_FOLDERS = 8
_MOST_WORDS = 256
_READ_ONLY_REASON = "read-only, with options that only read"


def shell_subjects(call: ToolCall, ground: Ground, terms: Terms | None) -> list[Subject]:
    """All parts of the shell line of a call, and the line itself where there are doubts.

    Suspicions that no built-in denies are among them: the rules of files must see them, too.
    """
    line = analyse(call.command or "")
    return _Line(line, call, ground, terms).subjects()


class _Line:
    def __init__(self, line: ShellLine, call: ToolCall, ground: Ground, terms: Terms | None) -> None:
        self._line = line
        self._ground = ground
        self._terms = terms
        self._folders, self._lost = _folders(line, call.cwd or ground.top, ground)
        self._own = tuple(own.casefold().rstrip("/") for own in ground.own)

    def subjects(self) -> list[Subject]:
        found = [self._command(index, one) for index, one in enumerate(self._line.commands)]
        found += [self._redirection(one) for one in self._line.redirections if one.direction != "copy"]
        doubts = list(self._line.doubts)
        if not self._line.commands and not self._line.redirections and not doubts:
            doubts.append("it holds no command")
        if self._lost:
            doubts.append("the folder in which its commands run is not known")
        found += [
            Subject(
                self._line.text,
                Ruling(Step.NOTHING, "ask", doubt, rule_id="line"),
            )
            for doubt in doubts
        ]
        return found

    def _command(self, index: int, command: SimpleCommand) -> Subject:
        subject = Subject(command.line, Ruling(Step.NOTHING, "ask", ""), command=command, number=index)
        rule_id, reason = denied(command)
        if reason:
            return replace(subject, ruling=deny(reason, rule_id), risk="critical")
        if ask_commands.sets_executing_key(command):
            reason = "it sets a key that makes git run programs"
            return replace(subject, ruling=deny(reason, "git-config"), risk="critical")
        read = None if command.guess or command.outer is not None else self._read_only(command)
        access: Access = "read" if read is not None or ask_commands.indexes(command) else "write"
        arguments = self._arguments(command, access)
        subject = replace(subject, arguments=arguments)
        ruling = self._denied_argument(command, arguments, access)
        if ruling:
            return replace(subject, ruling=ruling, risk="critical")
        return self._asked(subject, command, read)

    def _asked(self, subject: Subject, command: SimpleCommand, read: list[Word] | None) -> Subject:
        rule_id, reason = ask_commands.always(command)
        if not reason and ask_commands.deletes_recursively(command) and self._deletes_outside(command):
            rule_id, reason = "recursive-delete", "it removes folders that may lie outside of the work tree"
        if reason:
            reason += "; this always waits for a human"
            return replace(
                subject, ruling=Ruling(Step.ALWAYS_ASK, "ask", reason, rule_id=rule_id), risk="high"
            )
        if read is not None:
            return self._reading(subject, command, read)
        files = agent_side_files(command)
        if files is not None and not command.guess and command.outer is None:
            reading = self._reading(subject, command, files)
            if reading.ruling.decision != "allow":
                return reading
            return replace(
                subject, ruling=built_in("allow", "the agent's side of ags-tui", "agent-side"), risk="low"
            )
        rule_id, reason = ask_commands.why(command)
        return replace(subject, ruling=built_in("ask", reason, rule_id))

    def _read_only(self, command: SimpleCommand) -> list[Word] | None:
        """The words that a command of the read-only list reads; None where it is not on it."""
        if command.name == "cd":
            words = command.words[1:]
            plain = len(words) == 1 and not words[0].shape.startswith(("-", "+")) and not _varies(words[0])
            return list(words) if plain else None
        return read_only.read_paths(command)

    def _reading(self, subject: Subject, command: SimpleCommand, read: list[Word]) -> Subject:
        for cwd in self._folders:
            here = facts_of(cwd, cwd, cwd, self._ground)
            named = () if command.name == "cd" else read  # where it leads is one of the folders
            words = [(word.text, facts_of(word.text, word.shape, cwd, self._ground)) for word in named]
            if command.name == "git" and here.inside != "":
                reason = "git obeys the configuration of its folder, and that is not the top of the work tree"
                return replace(subject, ruling=built_in("ask", reason, "git-elsewhere"))
            for text, facts in [("", here), *words]:
                if not is_open(facts, "read") or strays(facts, self._ground):
                    what = f"it reads {text}" if text else "it runs"
                    ruling = built_in("ask", f"{what} outside of the work tree", "outside")
                    return replace(subject, ruling=ruling, risk="high")
        return replace(subject, ruling=built_in("allow", _READ_ONLY_REASON, "read-only"), risk="low")

    def _arguments(self, command: SimpleCommand, access: Access) -> tuple[tuple[Access, Facts], ...]:
        """Every path that an argument may name."""
        found: dict[tuple[str, str], Facts] = {}
        for word in command.words[:_MOST_WORDS]:
            for text in candidates(word.shape):
                for cwd in self._folders:
                    key = (text, cwd)
                    if text and len(text) < 4096 and key not in found:
                        found[key] = facts_of(word.text, text, cwd, self._ground)
        return tuple((access, facts) for facts in found.values())

    def _denied_argument(
        self, command: SimpleCommand, arguments: Sequence[tuple[Access, Facts]], access: Access
    ) -> Ruling | None:
        whole = access == "write" and ask_commands.moves_whole(command)
        changes = ask_commands.writes(command)
        for _, facts in arguments:
            reason = protected(facts, access, self._ground, whole=whole)
            if reason and not _says_only(command):
                verb = "read" if access == "read" else "named by a command that may change it"
                return deny(f"{facts.given} must not be {verb}: {reason}", "protected-path")
            if changes and self._terms:
                excluded = next((one for form in facts.shown if (one := self._terms.deny.match(form))), None)
                if excluded:
                    reason = f"the plan excludes {facts.given} (filesNotToEdit: {excluded})"
                    return deny(reason, "files-not-to-edit", "plan")
        if not _says_only(command) and any(
            own in word.shape.casefold() for own in self._own for word in command.words
        ):
            return deny("it names a folder of ags-tui itself", "protected-path")
        return None

    def _deletes_outside(self, command: SimpleCommand) -> bool:
        """Whether something that is removed is not certainly below the top of the work tree."""
        words = [word for word in command.words[1:] if not word.shape.startswith("-")]
        if (command.words[0].value or "").rpartition("/")[2] in ("find", "fd"):
            words = [word for word in words if "/" in word.shape or word.shape.startswith(".")] or words
        if not words or command.wrappers[-1:] == ("xargs",):
            return True
        for word in words:
            for cwd in self._folders:
                facts = facts_of(word.text, word.shape, cwd, self._ground)
                if not facts.inside or UNKNOWN in word.shape or facts.inside.startswith(("*", "?", "[")):
                    return True
        return self._lost

    def _redirection(self, one: Redirection) -> Subject:
        target = one.target
        if one.direction == "text":
            fed = any(interprets(command) for command in self._line.commands)
            rule_id, reason = program_text([target.value or target.text]) if fed else ("", "")
            if reason:
                return Subject(one.text, deny(reason, rule_id), "critical")
            if target.value is None and not self._only_read(one):
                ruling = Ruling(Step.NOTHING, "ask", f"what {one.text} feeds is computed", rule_id="line")
                return Subject(one.text, ruling)
            return Subject(one.text, built_in("allow", "text of the line itself", "text"), "low")
        access: Access = "read" if one.direction == "read" else "write"
        facts = tuple(facts_of(target.text, target.shape, cwd, self._ground) for cwd in self._folders)
        subject = judge_path(one.text, access, facts, self._ground, self._terms)
        varies = _varies(target) if access == "write" else any(strays(one, self._ground) for one in facts)
        if subject.ruling.decision != "deny" and (varies or not read_only.sure(target)):
            reason = f"where {one.text} leads is computed"
            return replace(subject, ruling=built_in("ask", reason, "computed-path"), facts=())
        return subject

    def _only_read(self, one: Redirection) -> bool:
        """Whether a redirection belongs to a command of the read-only list: it does not run what it reads."""
        command = None if one.command is None else self._line.commands[one.command]
        return command is not None and self._read_only(command) is not None


def _varies(word: Word) -> bool:
    """Whether what a word names is known only when the line runs: it is computed, or a pattern."""
    return UNKNOWN in word.shape or (word.value is None and any(one in word.shape for one in "*?["))


def _says_only(command: SimpleCommand) -> bool:
    """Whether the arguments are text that is printed and no files."""
    return command.name in ("echo", "printf", "true", "basename", "dirname")


def _folders(line: ShellLine, cwd: str, ground: Ground) -> tuple[tuple[str, ...], bool]:
    """Every folder in which commands of the line may run, and whether one of them is not known.

    After a leading ``cd X &&`` only X counts; any other ``cd`` may or may not have happened.
    """
    folders: dict[str, None] = {cwd: None}
    lost = False
    for index, command in enumerate(line.commands):
        if command.name not in ("cd", "pushd", "popd", "chdir"):
            continue
        words = [word for word in command.words[1:] if not word.shape.startswith("-")]
        if len(words) != 1 or UNKNOWN in words[0].shape or command.name == "popd":
            lost = True
            continue
        target = words[0].shape
        found = [absolute(target, folder, ground) for folder in folders]
        if index == 0 and command.name == "cd" and _leads(line, command):
            folders = dict.fromkeys(found)
        else:
            folders.update(dict.fromkeys(found))
        if len(folders) > _MOST_FOLDERS:
            return tuple(folders)[:_MOST_FOLDERS], True
    return tuple(folders), lost


def _leads(line: ShellLine, command: SimpleCommand) -> bool:
    """Whether the line begins with this command and an ``&&`` at its top level."""
    text = line.text.lstrip()
    rest = text[len(command.text) :].lstrip(" \t")
    joined = text.startswith(command.text) and rest.startswith("&&") and "||" not in line.text
    return (
        joined and not command.places and not command.guess and "\n" not in line.text and ";" not in line.text
    )
