"""The two keys of this machine, and whose signatures count here.

*system* signs what this program saw; *human* signs decisions and is used by the TUI alone. Both live in
``STATE/keys``. Reading a log needs neither: without a state directory, or with ``--trust FILE``, only the
public keys matter.

Where the configuration folder holds ``human-key.pub``, the human key is that one: ``ssh-keygen -Y sign``
makes the signature through an SSH agent or a hardware token, and no private human key is used here.
"""

import base64
import binascii
import getpass
import hashlib
import hmac
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from ags_tui.core.failures import AgsError
from ags_tui.core.log_state import Signer
from ags_tui.io import sshsig
from ags_tui.io.key_files import (
    KeyFile,
    KeyUnusable,
    make_key_file,
    open_private,
    read_key_file,
    replace_key_file,
)
from ags_tui.io.places import Places, PlaceUnusable
from ags_tui.io.trust import SSH_PREFIX, Role, TrustedKey, ed25519_id, format_trust
from ags_tui.io.trust_files import SshKey, read_configured_trust, read_given_trust, read_ssh_key

KEY_FOLDER = "keys"
"""Name of the folder of private keys in the state folder."""

ROLES: tuple[Role, ...] = ("human", "system")
"""Both roles."""

_ED25519 = "ed25519:"
_SSHSIG = "sshsig:"
_REMEMBERED = 4096
_SEALING = b"ags-tui: entries of the system verified up to\0"


class KeyUnavailable(AgsError):
    """There is no key to sign with; the message says why and what to do."""


class KeyLocked(KeyUnavailable):
    """The human key has a passphrase that was not given yet."""


class Keys:
    """Signs for this machine and says whose signatures count."""

    def __init__(
        self,
        trusted: Mapping[str, TrustedKey],
        files: Mapping[Role, tuple[Path, KeyFile]] = MappingProxyType({}),
        ssh_key: SshKey | None = None,
        problems: tuple[str, ...] = (),
    ) -> None:
        """Put keys together; ``Keys.open`` reads them from disk.

        Args:
            trusted: Public keys that count, by id.
            files: Private key files by role.
            ssh_key: Key that ``ssh-keygen`` signs human entries with.
            problems: What was wrong with files that were left out.
        """
        self.trusted = trusted
        """Public keys that count, by id."""
        self.problems = problems
        """What was wrong with files that were left out; shown by ``doctor`` and the TUI."""
        self._files = dict(files)
        self._ssh_key = ssh_key
        self._private: dict[Role, Ed25519PrivateKey] = {
            role: open_private(file, None, path) for role, (path, file) in files.items() if not file.encrypted
        }
        self._seen: dict[tuple[str, str, bytes], Signer] = {}
        system = self._private.get("system")
        self._sealing = hashlib.sha256(_SEALING + system.private_bytes_raw()).digest() if system else None
        self._vouching = frozenset(ed25519_id(file.public) for _, file in self._files.values())

    @classmethod
    def open(cls, places: Places, *, trust: Path | None = None, create: bool = True) -> "Keys":
        """Read the keys of this machine, making them where there are none.

        Args:
            places: The user's folders.
            trust: A trust file; then only its keys count, nothing is made and nothing can be signed.
            create: Whether missing keys are made.

        Returns:
            The keys. What cannot be read or made is in ``problems``: verifying works all the same.

        Raises:
            KeyUnusable: The file given as ``trust`` cannot be read.
        """
        if trust is not None:
            given = read_given_trust(trust)
            return cls(given.keys, problems=given.problems)
        configured, ssh_key = read_configured_trust(places), read_ssh_key(places)
        problems, trusted = list(configured.problems), dict(configured.keys)
        files = _key_files(places, ROLES if ssh_key is None else ("system",), create, problems)
        for role, (_, file) in files.items():
            key_id = ed25519_id(file.public)
            trusted[key_id] = TrustedKey(role, key_id, file.public, f"{role} key of {_user()}")
        if ssh_key is not None and ssh_key.key is not None:
            trusted[ssh_key.key.key_id] = ssh_key.key
        elif ssh_key is not None:
            problems.append(ssh_key.problem)
        return cls(MappingProxyType(trusted), files, ssh_key, tuple(problems))

    @property
    def vouching(self) -> frozenset[str]:
        """Ids of the keys that sign through this program alone: their private halves lie in ``STATE/keys``.

        None with a trust file: who judges for others verifies each entry.
        """
        return self._vouching

    @property
    def locked(self) -> bool:
        """Whether the human key waits for its passphrase."""
        return "human" in self._files and "human" not in self._private

    def can_sign(self, role: Role) -> bool:
        """Whether an entry can be signed for this role now."""
        return role in self._private or (role == "human" and self._ssh() is not None)

    def key_id(self, role: Role) -> str:
        """Return the id of the key that signs for a role.

        Raises:
            KeyUnavailable: There is none on this machine.
            KeyLocked: It waits for its passphrase.
        """
        if role == "human" and (ssh := self._ssh()) is not None:
            return ssh[1].key_id
        self._private_key(role)
        return ed25519_id(self._files[role][1].public)

    def unlock(self, passphrase: str) -> None:
        """Open the human key.

        Raises:
            WrongPassphrase: The passphrase is not the right one.
            KeyUnavailable: There is no human key file.
        """
        path, file = self._file("human")
        self._private["human"] = open_private(file, passphrase if file.encrypted else None, path)

    def set_passphrase(self, passphrase: str | None) -> None:
        """Protect the human key with a passphrase, or take it away (None); the key stays the same.

        Raises:
            KeyUnavailable: There is no human key file, or it is locked.
            OSError: The file cannot be written; the old one is as it was.
            ValueError: The passphrase is empty.
        """
        if passphrase == "":
            raise ValueError("a passphrase cannot be empty")
        path, _ = self._file("human")
        replace_key_file(path, self._private_key("human"), passphrase)
        self._files["human"] = (path, read_key_file(path))

    def sign(self, role: Role, payload: bytes) -> tuple[str, str]:
        """Sign for a role.

        Args:
            role: Human for what a human decided in the TUI, else system.
            payload: Canonical bytes, which already name the key.

        Returns:
            Key id and signature (``ed25519:`` or ``sshsig:`` and base64).

        Raises:
            KeyUnavailable: There is no key, or ``ssh-keygen`` did not sign.
            KeyLocked: The key waits for its passphrase.
        """
        if role == "human" and (ssh := self._ssh()) is not None:
            path, key = ssh
            try:
                return key.key_id, _SSHSIG + sshsig.sign(path, payload, os.environ)
            except sshsig.SshFailed as error:
                raise KeyUnavailable(str(error)) from error
        signature = self._private_key(role).sign(payload)
        return self.key_id(role), _ED25519 + base64.b64encode(signature).decode()

    def seal(self, digest: str) -> str:
        """Return a proof, for this machine alone, that it has verified the system's entries up to a digest.

        It is made from the system's private key, so that nobody can make it who could not sign them as well.

        Args:
            digest: Digest of the last entry.

        Returns:
            Hex; empty where the system key cannot be used.
        """
        if self._sealing is None:
            return ""
        return hmac.digest(self._sealing, digest.encode(), "sha256").hex()

    def sealed(self, digest: str, seal: str) -> bool:
        """Whether a seal is the one of this digest."""
        made = self.seal(digest)
        return made != "" and hmac.compare_digest(made.encode(), seal.encode("utf-8", "surrogatepass"))

    def signer(self, key_id: str, signature: str, payload: bytes) -> Signer:
        """Say whose key signed a payload.

        Args:
            key_id: As written in the entry; empty where unsigned.
            signature: As written in the entry; empty where unsigned.
            payload: Canonical bytes without the signature.
        """
        if not key_id and not signature:
            return "none"
        key = self.trusted.get(key_id)
        if key is None:
            return "unknown"
        place = (key_id, signature, hashlib.sha256(payload).digest())
        known = self._seen.get(place)
        if known is not None:
            return known
        try:
            valid = _valid(key, signature, payload)
        except sshsig.SshFailed:
            return "unknown"
        answer: Signer = key.role if valid else "invalid"
        if len(self._seen) >= _REMEMBERED:
            self._seen.clear()
        self._seen[place] = answer
        return answer

    def export_trust(self) -> str:
        """Return the lines that make another machine, or CI, trust the keys of this one."""
        own = [ed25519_id(file.public) for _, file in self._files.values()]
        if (ssh := self._ssh()) is not None:
            own.append(ssh[1].key_id)
        return format_trust(self.trusted[key_id] for key_id in own)

    def _ssh(self) -> tuple[Path, TrustedKey] | None:
        if self._ssh_key is None or self._ssh_key.key is None:
            return None
        return self._ssh_key.path, self._ssh_key.key

    def _file(self, role: Role) -> tuple[Path, KeyFile]:
        if role not in self._files:
            raise KeyUnavailable(self._why_not(role))
        return self._files[role]

    def _private_key(self, role: Role) -> Ed25519PrivateKey:
        key = self._private.get(role)
        if key is None:
            self._file(role)
            raise KeyLocked("the human key has a passphrase; give it first")
        return key

    def _why_not(self, role: Role) -> str:
        return "; ".join((f"there is no {role} key to sign with on this machine", *self.problems))


def _valid(key: TrustedKey, signature: str, payload: bytes) -> bool:
    if key.key_id.startswith(SSH_PREFIX):
        return signature.startswith(_SSHSIG) and sshsig.verify(key, signature.removeprefix(_SSHSIG), payload)
    if not signature.startswith(_ED25519):
        return False
    try:
        raw = base64.b64decode(signature.removeprefix(_ED25519), validate=True)
        Ed25519PublicKey.from_public_bytes(key.public).verify(raw, payload)
    except (binascii.Error, ValueError, InvalidSignature):
        return False
    return True


def _key_files(
    places: Places, roles: tuple[Role, ...], create: bool, problems: list[str]
) -> dict[Role, tuple[Path, KeyFile]]:
    files: dict[Role, tuple[Path, KeyFile]] = {}
    for role in roles:
        path = places.state / KEY_FOLDER / f"{role}.key"
        try:
            files[role] = (path, _read_or_make(places, path, create))
        except FileNotFoundError:
            problems.append(f"{path}: there is no such key")
        except (KeyUnusable, PlaceUnusable) as error:
            problems.append(str(error))
        except OSError as error:
            problems.append(f"{path}: cannot be made: {error.strerror}")
    return files


def _read_or_make(places: Places, path: Path, create: bool) -> KeyFile:
    try:
        return read_key_file(path)
    except FileNotFoundError:
        if not create:
            raise
    places.state_folder(KEY_FOLDER)
    make_key_file(path)
    return read_key_file(path)


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return f"user {os.getuid()}"
