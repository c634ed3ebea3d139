r"""Holds the tree against the text: each byte is a token that is understood, or a gap that may be there.

The grammar is not the shell: it takes words apart at ``\<newline>``, reads ``"$ x"`` as a variable and takes
what follows the target of a redirection for a second target. So a tree without errors is not believed; a line
is understood only where its tokens are of a closed list, look as they must, and leave nothing between them.
"""

import re
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_TIGHT = frozenset({
    "concatenation", "string", "simple_expansion", "expansion", "command_name", "file_descriptor",
    "brace_expression",
})  # fmt: skip
_LINE = frozenset(
    {"command", "redirected_statement", "file_redirect", "herestring_redirect", "negated_command"}
)
_BLOCK = frozenset({
    "program", "list", "pipeline", "subshell", "compound_statement", "command_substitution",
    "process_substitution",
})  # fmt: skip
_STATEMENTS = frozenset({
    "list", "pipeline", "command", "redirected_statement", "subshell", "compound_statement",
    "negated_command",
})  # fmt: skip
_ARGUMENTS = frozenset({
    "command_name", "word", "number", "string", "raw_string", "ansi_c_string", "concatenation",
    "simple_expansion", "expansion", "command_substitution", "process_substitution",
    "brace_expression", "file_redirect", "heredoc_redirect", "herestring_redirect", "variable_assignment",
})  # fmt: skip
_LEAVES = {
    "word": re.compile(rb"(?:[^\s\\'\"`$();&|<>]|\\[^\n])+"),
    "number": re.compile(rb"-?[0-9][0-9A-Za-z]*"),
    "string_content": re.compile(rb"(?:[^\\\"`$]|\\[^\n]|\$(?=[ \t.,;:/\\%)]|\Z))+"),
    "raw_string": re.compile(rb"'[^']*'"),
    "variable_name": re.compile(rb"[A-Za-z_][A-Za-z0-9_]*"),
    "special_variable_name": re.compile(rb"[?#$!@*0-9_-]"),
    "file_descriptor": re.compile(rb"[0-9]"),
    "comment": re.compile(rb"#[^\n]*"),
}
_SIGNS = frozenset({
    "|", "|&", "&&", "||", ";", "&", "(", ")", "{", "}", '"', "$", "$(", "${", "<(", ">(", ">", ">>",
    "<", ">&", "<&", "&>", "&>>", ">|", "<<<", "!", "\n", "..",
})  # fmt: skip
_OPERATORS = frozenset({"|", "|&", "&&", "||"})
_BLANK = re.compile(rb"(?:[ \t]|(?<=[ \t])\\\n)*")
_BLANKS = re.compile(rb"(?:[ \t\n]|(?<=[ \t])\\\n)*")
_WORDS = {
    "function_definition": "it defines a function",
    "variable_assignment": "it sets a variable",
    "variable_assignments": "it sets a variable",
    "declaration_command": "it declares a variable",
    "unset_command": "it unsets a variable",
    "subscript": "it holds an arithmetic subscript",
    "arithmetic_expansion": "it computes with $((…))",
    "test_command": "it holds a test with […] or ((…))",
    "heredoc_redirect": "it holds a here-document",
    "for_statement": "it holds a loop",
    "c_style_for_statement": "it holds a loop",
    "while_statement": "it holds a loop",
    "if_statement": "it branches with if",
    "case_statement": "it branches with case",
    "ansi_c_string": "it holds $'…'",
    "translated_string": 'it holds $"…"',
    "`": "it holds backquotes",
    "ERROR": "it is no correct shell line as far as can be read here",
}
_INSIDE = frozenset({
    "=", "+=", "export", "declare", "local", "readonly", "typeset", "unset", "unsetenv", "heredoc_start",
    "heredoc_body", "heredoc_content", "heredoc_end", "<<", "<<-", "for", "select", "in", "do", "done",
    "do_group", "while", "until", "if", "then", "fi", "else", "elif", "elif_clause", "else_clause",
    "case", "esac", "case_item", ";;", ";&", ";;&", "array", "[", "]", "[[", "]]", "((", "))", "$((",
    "unary_expression", "binary_expression", "postfix_expression", "ternary_expression",
    "parenthesized_expression", "test_operator", "function",
})  # fmt: skip
"""Parts of constructs that are doubted as a whole."""


def doubt_of(node: "Node", children: "list[Node]", source: bytes) -> str:
    """Why one node of the tree is not understood; empty where it is.

    Args:
        node: the node.
        children: its children.
        source: bytes of the whole line.
    """
    kind = node.type
    if node.is_missing:
        return _WORDS["ERROR"]
    if kind in _WORDS:
        return _WORDS[kind]
    if kind in _INSIDE:
        return "it holds a construct that always waits for a human"
    if not children:
        return _leaf_doubt(kind, source[node.start_byte : node.end_byte], source, node.start_byte)
    if kind in _TIGHT:
        return _gap_doubt(node, children, source, None) or _subscript_doubt(kind, children, source)
    if kind in _LINE:
        return _gap_doubt(node, children, source, _BLANK) or _line_doubt(kind, children)
    if kind in _BLOCK:
        return _gap_doubt(node, children, source, _BLANKS) or _block_doubt(children, source)
    return f"it holds something that is not understood here ({kind.replace('_', ' ')})"


def _leaf_doubt(kind: str, text: bytes, source: bytes, start: int) -> str:
    if kind in _SIGNS:
        return "" if text == kind.encode() else f"{kind} is not what it seems"
    if kind == "program":
        return ""
    form = _LEAVES.get(kind)
    if form is None or not form.fullmatch(text):
        return f"a word is not understood ({kind.replace('_', ' ')})"
    if kind == "comment" and source[start - 1 : start] not in (b"", b" ", b"\t", b"\n", b";"):
        return "a # is not what it seems"
    return ""


def _gap_doubt(node: "Node", children: "list[Node]", source: bytes, form: "re.Pattern[bytes] | None") -> str:
    position = node.start_byte
    for child in children:
        gap = child.start_byte != position
        if gap and (form is None or not form.fullmatch(source, position, child.start_byte)):
            return "a gap between words is not understood"
        position = child.end_byte
    if position != node.end_byte and (form is None or not form.fullmatch(source, position, node.end_byte)):
        return "a gap between words is not understood"
    return ""


def _subscript_doubt(kind: str, children: "list[Node]", source: bytes) -> str:
    """Zsh takes ``$X[…]`` for a subscript, which is arithmetic; ``${…}`` can do more than name a variable."""
    if kind == "expansion" and [child.type for child in children[1:]] != ["variable_name", "}"]:
        return "it holds an expansion with an operator"
    for one, following in pairwise(children):
        if "expansion" in one.type and source[following.start_byte : following.start_byte + 1] in (
            b"[",
            b"(",
        ):
            return _WORDS["subscript"]
    return ""


def _line_doubt(kind: str, children: "list[Node]") -> str:
    """Words must stand apart; only the sign of a redirection may touch what is before or behind it."""
    if kind == "command" and not _ARGUMENTS.issuperset(child.type for child in children):
        return _WORDS["ERROR"]
    redirect = kind in ("file_redirect", "herestring_redirect")
    for one, following in pairwise(children):
        if one.end_byte != following.start_byte or (redirect and one.type in ("file_descriptor", *_SIGNS)):
            continue
        first = following.children[0].type if following.children else following.type
        if following.type not in ("file_redirect", "herestring_redirect") or first == "file_descriptor":
            return "two words touch each other in a way that is not understood"
    return ""


def _block_doubt(children: "list[Node]", source: bytes) -> str:
    for one, following in pairwise(children):
        gap = source[one.end_byte : following.start_byte].replace(b"\\\n", b"")
        if following.type in _OPERATORS and b"\n" in gap:
            return "an operator begins a line"
        both = one.type in _STATEMENTS and following.type in _STATEMENTS
        if both and b"\n" not in gap:
            return "two commands touch each other in a way that is not understood"
    return ""
