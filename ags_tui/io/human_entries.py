"""Is this log file the human's? Checked without contracts, for hooks that must answer in a few milliseconds.

Whoever kept what an entry brings about (``io.known_terms``, ``io.tree_log``) names the file and the digest
of its bytes; here those bytes are read again and the signature over them is verified with a human key that
this user trusts. Keys that sign through ``ssh-keygen`` are left to the full reading of the log.
"""

import os

from ags_tui.core.digests import canonical, digest
from ags_tui.core.light import Any, Iterable, cast
from ags_tui.core.light_json import loads
from ags_tui.io.places import Places

_LARGEST = 16 << 20
_ED25519 = "ed25519:"
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def are_humans(log: str, entries: Iterable[tuple[str, str]], places: Places) -> bool:
    """Whether log files hold exactly these bytes, each signed by a trusted human key.

    Args:
        log: The log folder.
        entries: Name and digest of each file; none are always right, without a look at any key.
        places: The user's folders.

    Returns:
        False also where nobody can say here.
    """
    return human_payloads(log, entries, places) is not None


def human_payloads(
    log: str, entries: Iterable[tuple[str, str]], places: Places
) -> list[dict[str, Any]] | None:
    """Return what log files say that hold exactly these bytes, each signed by a trusted human key.

    Args:
        log: The log folder.
        entries: Name and digest of each file.
        places: The user's folders.

    Returns:
        The payloads in that order; None where one is not as it should be, or nobody can say here.
    """
    payloads = unverified_payloads(log, entries)
    if not payloads:
        return payloads
    keys = _human_keys(places)
    return payloads if all(_signed(payload, keys) for payload in payloads) else None


def unverified_payloads(log: str, entries: Iterable[tuple[str, str]]) -> list[dict[str, Any]] | None:
    """Return what log files say that hold exactly these bytes, whoever wrote them.

    Args:
        log: The log folder.
        entries: Name and digest of each file.

    Returns:
        The payloads in that order; None where one is not as it should be.
    """
    found = [_payload(f"{log}/{name}", wanted) for name, wanted in entries]
    payloads = [one for one in found if one is not None]
    return payloads if len(payloads) == len(found) else None


def _payload(path: str, wanted: str) -> dict[str, Any] | None:
    try:
        descriptor = os.open(path, _READ)
        with os.fdopen(descriptor, "rb") as stream:
            raw = stream.read(_LARGEST)
    except OSError:
        return None
    if digest(raw) != wanted:
        return None
    try:
        document: object = loads(raw)
    except (ValueError, RecursionError):
        return None
    payload: object = (
        cast("dict[str, object]", document).get("payload") if isinstance(document, dict) else None
    )
    return cast("dict[str, Any]", payload) if isinstance(payload, dict) else None


def _human_keys(places: Places) -> dict[str, bytes]:
    """Raw public keys by id: the trusted ones of the configuration, and the one of this machine."""
    from ags_tui.io.key_reads import KeyUnusable, read_unopened
    from ags_tui.io.trust import ED25519_PREFIX, ed25519_id
    from ags_tui.io.trust_files import SSH_KEY_FILE, read_configured_trust

    trusted = read_configured_trust(places).keys.values()
    keys = {
        key.key_id: key.public
        for key in trusted
        if key.role == "human" and key.key_id.startswith(ED25519_PREFIX)
    }
    if os.path.lexists(f"{places.config_dir}/{SSH_KEY_FILE}"):
        return keys  # then the key file of this machine does not stand for the human
    try:
        own = read_unopened(f"{places.state_dir}/keys/human.key").public
    except (FileNotFoundError, KeyUnusable):
        return keys
    return {**keys, ed25519_id(own): own}


def _signed(payload: dict[str, Any], keys: dict[str, bytes]) -> bool:
    import base64
    import binascii

    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    rest = dict(payload)
    signature, key_id = rest.pop("signature", None), rest.get("keyId")
    public = keys.get(key_id) if isinstance(key_id, str) else None
    if public is None or not isinstance(signature, str) or not signature.startswith(_ED25519):
        return False
    try:
        raw = base64.b64decode(signature.removeprefix(_ED25519), validate=True)
        Ed25519PublicKey.from_public_bytes(public).verify(raw, canonical(rest))
    except (binascii.Error, ValueError, InvalidSignature):
        return False
    return True
