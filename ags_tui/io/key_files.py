"""Private key files: made once, kept to their owner, refused when others could have read or changed them.

A key file is one line ``public: BASE64`` and the private key as PEM (PKCS#8, encrypted where it has a
passphrase). The line says whose signatures to expect while the passphrase is not known yet.
"""

import os
from contextlib import suppress
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from ags_tui.core.failures import AgsError
from ags_tui.io.create_once import create_once, sync_folder
from ags_tui.io.key_reads import KEY_MODE, KeyFile, KeyUnusable, key_line, read_unopened

__all__ = [
    "KEY_MODE",
    "KeyFile",
    "KeyUnusable",
    "WrongPassphrase",
    "make_key_file",
    "open_private",
    "raw_public",
    "read_key_file",
    "replace_key_file",
]


class WrongPassphrase(AgsError):
    """The passphrase does not open the key."""


def read_key_file(path: Path) -> KeyFile:
    """Read a key file after looking at the folder, the owner, the mode and that it is no link.

    Raises:
        FileNotFoundError: There is none.
        KeyUnusable: It must not be used.
    """
    file = read_unopened(str(path))
    try:
        Ed25519PublicKey.from_public_bytes(file.public)
    except ValueError as error:
        raise KeyUnusable(f"{path}: not a key file; move it away and a new one is made") from error
    if not file.encrypted:
        open_private(file, None, path)
    return file


def make_key_file(path: Path) -> None:
    """Make a new key, unless another process makes one at the same moment: then that one stays.

    Args:
        path: The key file; its folder exists.

    Raises:
        OSError: It cannot be written.
    """
    data = _serialize(Ed25519PrivateKey.generate(), None)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        with suppress(FileExistsError):
            create_once(folder, path.name, data, mode=KEY_MODE)
    finally:
        os.close(folder)


def replace_key_file(path: Path, key: Ed25519PrivateKey, passphrase: str | None) -> None:
    """Write the same key under another passphrase (None for none), at once or not at all.

    Raises:
        OSError: It cannot be written; the old file is as it was.
    """
    temporary = path.with_name(f".tmp-{os.getpid()}-0")
    temporary.unlink(missing_ok=True)
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, KEY_MODE)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(_serialize(key, passphrase))
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        sync_folder(folder)
    finally:
        os.close(folder)


def open_private(file: KeyFile, passphrase: str | None, path: Path) -> Ed25519PrivateKey:
    """Open the private key.

    Args:
        file: The key file.
        passphrase: Its passphrase; None where it has none.
        path: Its name, for messages.

    Raises:
        WrongPassphrase: The passphrase does not open it.
        KeyUnusable: It is no Ed25519 key, or not the one whose public half the file names.
    """
    secret = None if passphrase is None else passphrase.encode()
    try:
        key = serialization.load_pem_private_key(file.pem, secret)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        if file.encrypted:
            raise WrongPassphrase("the passphrase does not open the human key") from error
        raise KeyUnusable(f"{path}: not a private key; move it away and a new one is made") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyUnusable(f"{path}: not an Ed25519 key; move it away and a new one is made")
    if raw_public(key.public_key()) != file.public:
        raise KeyUnusable(f"{path}: the private key is not the one that the file names; it was tampered with")
    return key


def raw_public(key: Ed25519PublicKey) -> bytes:
    """Return the 32 raw bytes of a public key."""
    return key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def _serialize(key: Ed25519PrivateKey, passphrase: str | None) -> bytes:
    encryption = (
        serialization.NoEncryption()
        if passphrase is None
        else serialization.BestAvailableEncryption(passphrase.encode())
    )
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)
    return key_line(raw_public(key.public_key())) + pem
