"""The small real program that the demo's agents work on, before and after each of their steps."""

from ags_tui.cli.demo.texts import Texts

STRAYED = "login/repository.py"
"""The file outside the plan that the implementer touches."""

_SERVER_ERROR = (
    "class ServerError(Exception):\n"
    '    """What the server said, word for word."""\n'
    "\n"
    "    def __init__(self, kind: str, raw: str) -> None:\n"
    "        super().__init__(raw)\n"
    "        self.kind = kind\n"
    "        self.raw = raw\n"
    "\n"
    "\n"
)
_ERRORS_DOC = '"""From server errors to what the user reads."""\n'
_ERRORS_HEAD = f"{_ERRORS_DOC}\n\n{_SERVER_ERROR}"
_MESSAGES = '"""Texts that users read, in one place."""\n\nWELCOME = "환영합니다."\n'

REPOSITORY = (
    '"""Talks to the server."""\n'
    "\n"
    "from login.errors import ServerError\n"
    "\n"
    'PASSWORDS = {"kim": "secret"}\n'
    "\n"
    "\n"
    "def authenticate(name: str, password: str) -> None:\n"
    '    """Raise ServerError where the server refuses."""\n'
    "    if PASSWORDS.get(name) != password:\n"
    '        raise ServerError("auth", f"ERR_401 user={name} table=accounts")\n'
)
"""``login/repository.py`` as it is before, and afterwards unless the viewer allows otherwise."""

REPOSITORY_STRAY = REPOSITORY.replace('f"ERR_401 user={name} table=accounts"', '"ERR_401"')
"""What the implementer does to it."""

USAGE = "# Usage\n\nCall `sign_in(name, password)`. It retuns a message.\n"
"""``docs/usage.md`` before the side task."""

USAGE_FIXED = USAGE.replace("retuns", "returns")
"""The side task's whole change."""

ERRORS_SECOND = (
    f"{_ERRORS_DOC}\nfrom login import messages\n\n\n{_SERVER_ERROR}"
    "def message_for(error: ServerError) -> str:\n"
    '    """The message on the screen: never what the server said."""\n'
    '    known = {"auth": messages.AUTH, "timeout": messages.TIMEOUT}\n'
    "    return known.get(error.kind, messages.RETRY)\n"
)
"""``login/errors.py``, the implementer's second version, with the texts in one place."""

TESTS_FIRST = (
    "import unittest\n"
    "\n"
    "from login.errors import ServerError, message_for\n"
    "from login.view import sign_in\n"
    "\n"
    "\n"
    "class Messages(unittest.TestCase):\n"
    "    def test_server_text_is_not_shown(self):\n"
    '        self.assertNotIn("ERR_401", sign_in("kim", "wrong"))\n'
    "\n"
    "    def test_timeout_differs_from_a_wrong_password(self):\n"
    '        wrong = message_for(ServerError("auth", "ERR_401"))\n'
    '        late = message_for(ServerError("timeout", "ETIMEDOUT"))\n'
    "        self.assertNotEqual(wrong, late)\n"
)
"""``tests/test_errors.py``."""


def files(texts: Texts) -> dict[str, str]:
    """The program before the agents touch it, by path.

    Args:
        texts: Language of its messages.
    """
    return {
        ".gitignore": "__pycache__/\n",
        "README.md": "# login\n\nSigns people in and says what went wrong.\n",
        "docs/usage.md": USAGE,
        "login/__init__.py": '"""Sign-in for the demo shop."""\n',
        "login/errors.py": (
            f"{_ERRORS_HEAD}def message_for(error: ServerError) -> str:\n"
            '    """The message on the screen."""\n'
            "    return error.raw\n"
        ),
        "login/messages.py": f'{_MESSAGES}RETRY = "{texts.retry}"\n',
        STRAYED: REPOSITORY,
        "login/network_client.py": '"""Opens connections."""\n\nTIMEOUT_SECONDS = 10\n',
        "login/view.py": (
            '"""The sign-in screen."""\n'
            "\n"
            "from login import messages\n"
            "from login.errors import ServerError, message_for\n"
            "from login.repository import authenticate\n"
            "\n"
            "\n"
            "def sign_in(name: str, password: str) -> str:\n"
            '    """The text shown after the attempt."""\n'
            "    try:\n"
            "        authenticate(name, password)\n"
            "    except ServerError as error:\n"
            "        return message_for(error)\n"
            "    return messages.WELCOME\n"
        ),
        "tests/test_view.py": (
            "import unittest\n"
            "\n"
            "from login.view import sign_in\n"
            "\n"
            "\n"
            "class SignIn(unittest.TestCase):\n"
            "    def test_welcome(self):\n"
            '        self.assertEqual(sign_in("kim", "secret"), "환영합니다.")\n'
        ),
    }


def errors_first(texts: Texts) -> str:
    """``login/errors.py``, the implementer's first version."""
    return (
        f'{_ERRORS_HEAD}AUTH = "{texts.auth}"\nRETRY = "{texts.retry}"\n'
        "\n"
        "\n"
        "def message_for(error: ServerError) -> str:\n"
        '    """The message on the screen: never what the server said."""\n'
        '    return AUTH if error.kind == "auth" else RETRY\n'
    )


def timeout_text(texts: Texts, option: str) -> str:
    """What a timeout says, by the human's answer to the escalation: an option, or words of the human's own.

    Args:
        texts: Language.
        option: The answer.
    """
    return {"separate": texts.timeout, "same": texts.retry}.get(option, option)


def messages_with_timeout(texts: Texts, option: str) -> str:
    """``login/messages.py`` after the plan was widened to it.

    Args:
        texts: Language.
        option: The human's answer, ``separate`` or ``same``, or words.
    """
    return (
        f'{_MESSAGES}RETRY = "{texts.retry}"\nAUTH = "{texts.auth}"\n'
        f"TIMEOUT = {_literal(timeout_text(texts, option))}\n"
    )


def tests_same(texts: Texts) -> str:
    """``tests/test_errors.py`` where the human wants the general text for a timeout."""
    return TESTS_FIRST.replace(
        "test_timeout_differs_from_a_wrong_password", "test_timeout_asks_to_try_again"
    ).replace(
        "self.assertNotEqual(wrong, late)",
        f'self.assertNotEqual(wrong, late)\n        self.assertIn("{texts.again}", late)',
    )


def test_unknown(texts: Texts) -> str:
    """The missing test that the review asks for."""
    return (
        "\n"
        "    def test_unknown_errors_ask_to_try_again(self):\n"
        f'        self.assertIn("{texts.again}", message_for(ServerError("disk", "ENOSPC /var/lib")))\n'
    )


def _literal(text: str) -> str:
    """A Python string that holds any text, with the quotes of the file."""
    shown = repr(text)
    return f'"{text}"' if shown == f"'{text}'" and '"' not in text else shown
