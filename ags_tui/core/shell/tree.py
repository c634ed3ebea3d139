"""Walks the tree of one line: records of commands and redirections, and what is not understood."""

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ags_tui.core.shell import words as values
from ags_tui.core.shell.marks import UNKNOWN
from ags_tui.core.shell.model import Direction, Word
from ags_tui.core.shell.soundness import doubt_of

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MOST_COMMANDS = 10_000
"""Commands of one line that are looked at."""

_LONGEST_COMPUTED = 1024
_PLACES = {
    "pipeline": "pipe",
    "command_substitution": "substitution",
    "process_substitution": "substitution",
    "subshell": "subshell",
    "function_definition": "function",
    "heredoc_body": "here-document",
    "for_statement": "loop",
    "c_style_for_statement": "loop",
    "while_statement": "loop",
    "if_statement": "branch",
    "case_statement": "branch",
}
_REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
_NO_WORDS = _REDIRECTS | {"variable_assignment", "comment", "ERROR"}
_HIDDEN = ("word", "string_content", "heredoc_content", "number", "regex", "extglob_pattern")
_DIRECTIONS: dict[str, Direction] = {
    ">": "write", ">>": "write", ">|": "write", "&>": "write", "&>>": "write", "<>": "both", "<": "read",
    ">&": "copy", "<&": "copy", ">&-": "copy", "<&-": "copy",
}  # fmt: skip


class FoundCommand(NamedTuple):
    """A simple command, while the tree is walked."""

    words: list[Word]
    """Name and arguments."""
    text: str
    """Its source."""
    assignments: list[str]
    """Assignments before its name."""
    places: tuple[str, ...]
    """Where it stands."""
    end: int
    """Byte behind it."""


class FoundRedirection(NamedTuple):
    """A redirection, while the tree is walked."""

    operator: str
    """Its sign."""
    direction: Direction
    """What it does."""
    target: Word
    """File, descriptor or text."""
    text: str
    """Its source."""
    command: int | None
    """Index of its command."""


class Found(NamedTuple):
    """What one walk found."""

    commands: list[FoundCommand]
    """Commands in the order of the text."""
    redirections: list[FoundRedirection]
    """Redirections in the order of the text."""
    doubts: dict[str, None]
    """What is not understood, each once."""
    hidden: list[str]
    """Text that may hold substitutions which the tree does not show."""
    texts: list[str]
    """Here-documents and here-strings: what a shell that reads them would run."""


@lru_cache(maxsize=1)
def _parser() -> "Parser":
    """The one parser, made when the first line is read."""
    import tree_sitter

    return tree_sitter.Parser(tree_sitter.Language(_grammar()))


def _grammar() -> object:
    """The grammar, from its compiled module alone: the package around it costs a hook 7 ms for nothing."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    package = PathFinder.find_spec("tree_sitter_bash")
    folders = package.submodule_search_locations if package else None
    spec = PathFinder.find_spec("tree_sitter_bash._binding", folders) if folders else None
    if spec is None or spec.loader is None:
        raise ImportError("tree_sitter_bash is not installed")
    binding = module_from_spec(spec)
    spec.loader.exec_module(binding)
    return binding.language()


def walk(source: bytes) -> Found:
    """Parse a line and walk its tree without recursion.

    Args:
        source: the line in UTF-8.

    Raises:
        ImportError: tree-sitter or its Bash grammar is not installed.
    """
    return _Walk(source).run()


class _Walk:
    def __init__(self, source: bytes) -> None:
        self._source = source
        self._found = Found([], [], {}, [], [])
        self._stack: list[tuple[Node, tuple[str, ...], int | None, bool]] = []

    def run(self) -> Found:
        tree = _parser().parse(self._source)
        root = tree.root_node
        if root.has_error:
            self._found.doubts["it is no correct shell line as far as can be read here"] = None
        self._stack.append((root, (), None, False))
        while self._stack:
            if len(self._found.commands) > MOST_COMMANDS:
                self._found.doubts["it holds too many commands"] = None
                break
            self._visit(*self._stack.pop())
        return self._found

    def _visit(self, node: "Node", places: tuple[str, ...], owner: int | None, again: bool) -> None:
        """Look at one node.

        Args:
            node: the node.
            places: where it stands.
            owner: index of the command that its redirections belong to.
            again: whether it is a redirection whose statement has been walked before.
        """
        children = node.children
        kind = node.type
        if again:
            owner = self._last_command(owner)
        doubt = doubt_of(node, children, self._source)
        if doubt:
            self._found.doubts.setdefault(doubt)
        if not children:
            self._leaf(node, kind)
            return
        place = _PLACES.get(kind)
        if place and place not in places:
            places = (*places, place)
        if kind in _REDIRECTS:
            self._redirection(node, kind, children, owner)
        elif kind in ("command", "declaration_command", "unset_command"):
            owner = self._command(node, kind, children, places)
        elif kind == "redirected_statement":
            self._redirected(node, children, places)
            return
        self._push(children, places, owner if kind == "command" else None)

    def _push(self, children: "list[Node]", places: tuple[str, ...], owner: int | None) -> None:
        following = ""
        for child in reversed(children):
            background = following == "&" and "background" not in places
            self._stack.append((child, (*places, "background") if background else places, owner, False))
            following = child.type

    def _redirected(self, node: "Node", children: "list[Node]", places: tuple[str, ...]) -> None:
        """Walk the statement first, then its redirections: words behind a target are words of its command."""
        body = [child for child in children if child.type not in _REDIRECTS]
        end = body[-1].end_byte if body else node.start_byte
        for child in reversed(children):
            redirect = child.type in _REDIRECTS
            self._stack.append((child, places, end if redirect else None, redirect))

    def _last_command(self, end: int | None) -> int | None:
        """Index of the outermost command that ends where a statement ends."""
        matching = [index for index, one in enumerate(self._found.commands) if one.end == end]
        if matching:
            return matching[0]
        return len(self._found.commands) - 1 if self._found.commands else None

    def _leaf(self, node: "Node", kind: str) -> None:
        if kind in _HIDDEN:
            text = self._text(node)
            if "`" in text or "$(" in text:
                self._found.hidden.append(text)

    def _command(
        self, node: "Node", kind: str, children: "list[Node]", places: tuple[str, ...]
    ) -> int | None:
        words: list[Word] = []
        assignments: list[str] = []
        if kind != "command":
            words.append(values.literal(children[0].type))
        for child in children:
            if child.type == "command_name":
                inner = child.children
                words.append(self._word(inner[0]) if len(inner) == 1 else self._word(child))
            elif child.type == "variable_assignment" and kind == "command":
                assignments.append(self._text(child))
            elif child.type == "variable_assignment":
                words.append(values.literal(self._text(child)))
            elif child.type not in _NO_WORDS and not (kind != "command" and child is children[0]):
                words.append(self._word(child))
        if not words:
            return None
        text = self._text(node)[: 4 * _LONGEST_COMPUTED]
        self._found.commands.append(FoundCommand(words, text, assignments, places, node.end_byte))
        return len(self._found.commands) - 1

    def _redirection(self, node: "Node", kind: str, children: "list[Node]", owner: int | None) -> None:
        if kind == "heredoc_redirect":
            self._heredoc(node, children, owner)
            return
        signs = [child for child in children if not child.is_named]
        targets = [child for child in children if child.is_named and child.type != "file_descriptor"]
        operator = self._text(signs[0]).strip() if signs else ""
        target = self._word(targets[0]) if targets else values.literal("")
        direction: Direction = "text" if kind == "herestring_redirect" else _DIRECTIONS.get(operator, "both")
        if direction == "copy" and not _is_descriptor(target):
            # Bash expands this one target twice: ``>& '$(c)'`` runs c.
            direction = "write" if operator.startswith(">") else "read"
            self._found.doubts.setdefault("it holds a >& or <& with a name behind it")
        if operator.startswith("&>") and len(targets) > 1:
            self._found.doubts.setdefault("words stand behind a &>, where sh begins a new command")
        if direction == "text":
            self._found.texts.append(target.value or target.text)
        text = self._text(node)[:_LONGEST_COMPUTED]
        self._found.redirections.append(FoundRedirection(operator, direction, target, text, owner))
        self._more_words(targets[1:], owner)

    def _heredoc(self, node: "Node", children: "list[Node]", owner: int | None) -> None:
        start = next((self._text(one) for one in children if one.type == "heredoc_start"), "")
        end = next((self._text(one) for one in children if one.type == "heredoc_end"), "")
        first = next((one.start_byte for one in children if one.type == "heredoc_body"), node.end_byte)
        body = self._source[first : node.end_byte].decode("utf-8", "backslashreplace")
        self._found.redirections.append(
            FoundRedirection("<<", "text", values.literal(body), f"<<{start}", owner)
        )
        self._found.texts.append(body)
        if not set(start) & set("'\"\\") and ("`" in body or "$(" in body):
            self._found.hidden.append(body)
        name = start.translate(str.maketrans("", "", "'\"\\"))
        if end.strip() != name or name in (line.strip() for line in body.split("\n")[:-1]):
            self._found.doubts.setdefault("a here-document has no clear end")
        known = ("heredoc_start", "heredoc_body", "heredoc_end", "pipeline", "list", *_NO_WORDS)
        self._more_words([one for one in children if one.is_named and one.type not in known], owner)

    def _more_words(self, nodes: "Iterable[Node]", owner: int | None) -> None:
        """Words behind the target of a redirection go to the command, whatever the grammar says."""
        extra = [self._word(node) for node in nodes]
        if extra and owner is not None:
            self._found.commands[owner].words.extend(extra)
        elif extra:
            self._found.commands.append(FoundCommand(extra, extra[0].text, [], (), 0))
            self._found.doubts.setdefault("words behind a redirection belong to no command")

    def _text(self, node: "Node") -> str:
        return self._source[node.start_byte : node.end_byte].decode("utf-8", "backslashreplace")

    def _word(self, node: "Node") -> Word:
        parts = node.children if node.type == "concatenation" else [node]
        text = self._text(node)
        braces = "{" in text and ("," in text or ".." in text)
        pieces = [self._piece(part, first=index == 0, braces=braces) for index, part in enumerate(parts)]
        word = values.join(text, _without_braces(pieces, parts) if braces else pieces)
        if word.value is None and len(word.text) > _LONGEST_COMPUTED:
            return Word(word.text[:_LONGEST_COMPUTED], None, word.shape[:_LONGEST_COMPUTED] + UNKNOWN)
        return word

    def _piece(self, node: "Node", *, first: bool, braces: bool) -> values.Piece:
        kind = node.type
        if kind in ("word", "number"):
            if node.children:
                return values.Piece(None, UNKNOWN)
            return values.bare(self._text(node), first=first, braces=braces)
        if kind == "raw_string":
            return values.single_quoted(self._text(node))
        if kind == "string":
            computed = any(child.type not in ('"', "string_content", "$") for child in node.children)
            text = self._text(node)
            if computed and len(text) > _LONGEST_COMPUTED:
                return values.Piece(None, UNKNOWN)
            return values.double_quoted(text, computed=computed)
        if kind == "ansi_c_string":
            return values.ansi_quoted(self._text(node))
        if kind in ("simple_expansion", "expansion"):
            return values.variable(self._text(node)[:_LONGEST_COMPUTED])
        if kind in ("$", "variable_name"):
            return values.Piece(self._text(node), self._text(node))
        return values.Piece(None, UNKNOWN)


def _without_braces(pieces: list[values.Piece], parts: "list[Node]") -> list[values.Piece]:
    """Take what stands between the first ``{`` and the last ``}`` of a word for any text."""
    marks = [index for index, part in enumerate(parts) if part.text in (b"{", b"}")]
    if len(marks) < 2:
        return pieces
    return [*pieces[: marks[0]], values.Piece(None, UNKNOWN), *pieces[marks[-1] + 1 :]]


def _is_descriptor(word: Word) -> bool:
    value = word.value or ""
    return value.rstrip("-").isdigit() or value == "-"
