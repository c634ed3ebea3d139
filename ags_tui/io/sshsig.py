"""Signatures by ``ssh-keygen -Y``: a key in an SSH agent or on a hardware token signs for the human.

``ssh-keygen`` is taken from fixed folders, never from ``PATH``; it gets the public key that the user
configured, one namespace, and no terminal.
"""

import base64
import binascii
import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ags_tui.core.failures import AgsError
from ags_tui.io.trust import TrustedKey, ssh_type

NAMESPACE = "ags-tui-log"
"""Namespace of our signatures: one made for another purpose does not count here."""

PROGRAM_FOLDERS = ("/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin", "/run/current-system/sw/bin")
"""Where ``ssh-keygen`` is looked for."""

SIGN_TIMEOUT_S = 120.0
"""Patience with a human who must touch a token."""

VERIFY_TIMEOUT_S = 20.0
"""Patience with a verification."""

_IDENTITY = "ags-tui"
_BEGIN = "-----BEGIN SSH SIGNATURE-----"
_END = "-----END SSH SIGNATURE-----"
_LINE = 70
_INHERITED = ("SSH_AUTH_SOCK", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR")


class SshFailed(AgsError):
    """``ssh-keygen`` is not there, or did not sign; the message says why."""


def program() -> str | None:
    """Return the absolute path of ``ssh-keygen``; None where it is not installed."""
    for folder in PROGRAM_FOLDERS:
        path = f"{folder}/ssh-keygen"
        if os.access(path, os.X_OK):
            return path
    return None


def sign(public_file: Path, payload: bytes, environment: Mapping[str, str]) -> str:
    """Sign through the agent (or the private key beside the public one).

    Args:
        public_file: The ``.pub`` file of the key.
        payload: What to sign.
        environment: Where the address of the agent is looked up.

    Returns:
        Base64 of the signature without its armour.

    Raises:
        SshFailed: It did not sign.
    """
    done = _run(
        ["-Y", "sign", "-q", "-f", str(public_file), "-n", NAMESPACE],
        payload,
        {name: environment[name] for name in _INHERITED if name in environment},
        SIGN_TIMEOUT_S,
    )
    text = done.stdout.decode("ascii", "replace").strip()
    if done.returncode != 0 or not text.startswith(_BEGIN) or not text.endswith(_END):
        reason = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
        raise SshFailed(f"ssh-keygen did not sign with {public_file}: {reason}")
    return "".join(text.removeprefix(_BEGIN).removesuffix(_END).split())


def verify(key: TrustedKey, encoded: str, payload: bytes) -> bool:
    """Say whether a signature is by this key over this payload.

    Args:
        key: The public key.
        encoded: Base64 of the signature without its armour.
        payload: What was signed.

    Raises:
        SshFailed: It could not be found out.
    """
    try:
        blob = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return False
    body = base64.b64encode(blob).decode()
    lines = [body[start : start + _LINE] for start in range(0, len(body), _LINE)]
    public = base64.b64encode(key.public).decode()
    with tempfile.TemporaryDirectory(prefix="ags-tui-") as folder:
        signature, allowed = Path(folder, "signature"), Path(folder, "allowed")
        signature.write_text("\n".join((_BEGIN, *lines, _END, "")), encoding="ascii")
        allowed.write_text(
            f'{_IDENTITY} namespaces="{NAMESPACE}" {ssh_type(key.public)} {public}\n', encoding="ascii"
        )
        done = _run(
            ["-Y", "verify", "-f", str(allowed), "-I", _IDENTITY, "-n", NAMESPACE, "-s", str(signature)],
            payload,
            {},
            VERIFY_TIMEOUT_S,
        )
    return done.returncode == 0


def _run(
    arguments: list[str], payload: bytes, environment: dict[str, str], timeout: float
) -> subprocess.CompletedProcess[bytes]:
    executable = program()
    if executable is None:
        raise SshFailed("ssh-keygen is not installed; install OpenSSH 8.1 or newer")
    try:
        return subprocess.run(
            [executable, *arguments],
            input=payload,
            capture_output=True,
            env={"PATH": os.pathsep.join(PROGRAM_FOLDERS), "LC_ALL": "C", **environment},
            timeout=timeout,
            start_new_session=True,  # without a terminal it cannot prompt over the screen
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SshFailed(f"ssh-keygen: {error}") from error
