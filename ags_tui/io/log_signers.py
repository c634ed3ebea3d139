"""Whose keys signed the entries of a log: each by itself, or as far as a later entry vouches for it.

An entry holds the digest of the file before it, so one signature covers all bytes of the log up to there. And
this program signs only after it has verified every entry wholly: ``record`` refuses a log that is not intact
or that it cannot read to the last byte. So where a key of this machine has validly signed an entry, every
earlier entry that carries the same key and that the chain leads to had a right signature and canonical bytes
when the later one was made; its bytes are the same, so it still has.

That is the whole of it. A key vouches for its own entries only (who has stolen the system key can sign as the
system, and gains nothing in the human's name); only a key whose private half lies on this machine does,
because only of those we know which program uses them; and only along unbroken links, newest first. All else
about an entry (its place, link, writer, verdict) is judged in the replay as ever.

For the system key, a sealed mark does what its newest entry does: only who has that key can make the seal.
There is none for the human key, which signs decisions and nothing else.
"""

import re
from collections.abc import Sequence

from ags_tui.core.digests import digest
from ags_tui.core.log_entries import EntryRead, LogFile, glance, read_entry
from ags_tui.core.log_state import Signer
from ags_tui.io.keys import Keys

_SIGNED = frozenset({"human", "system"})
_NUMBERED = re.compile(r"[0-9]{6}\.json")


def with_signers(files: Sequence[LogFile], keys: Keys, *, whole: bool, verified: str = "") -> list[LogFile]:
    """Read the entries of a log and look at their signatures.

    Args:
        files: All files of the folder in the order of their names, as they were read from disk.
        keys: Says whose keys signed.
        whole: Whether each signature is looked at, whatever vouches for it.
        verified: Digest of the entry up to which this machine has verified its own system key's entries, as
            the seal of its mark proves; empty where it has not.

    Returns:
        The same files, with what they say and who signed it.
    """
    vouching = frozenset[str]() if whole else keys.vouching
    found: list[LogFile] = []
    vouched: set[str] = set()
    linked: str | None = None
    for file in reversed(files):
        if file.fault or not _NUMBERED.fullmatch(file.name):
            found.append(file)
            continue
        own = digest(file.raw)
        if own != linked:
            vouched.clear()
        if own == verified and not whole:
            vouched.add(keys.key_id("system"))
        entry = glance(file.raw) if vouched else None
        if entry is not None and entry.key_id in vouched:
            read, signer = EntryRead(entry, b""), keys.trusted[entry.key_id].role
        else:
            read = read_entry(file.raw)
            entry = read.entry
            signer = _signer(read, keys)
            if entry is not None and entry.key_id in vouching and signer in _SIGNED:
                vouched.add(entry.key_id)
        found.append(LogFile(file.name, file.raw, signer, read=read, digest=own))
        linked = entry.previous_digest if entry is not None else None
    found.reverse()
    return found


def _signer(read: EntryRead, keys: Keys) -> Signer:
    entry = read.entry
    return "none" if entry is None else keys.signer(entry.key_id, entry.signature, read.signed)
