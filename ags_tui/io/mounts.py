"""Which file systems tell nobody about changes that other machines make."""

import os
import re
import subprocess
import sys
from pathlib import Path

_REMOTE = frozenset({
    "nfs", "nfs3", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afpfs", "webdav", "9p", "afs", "ceph",
    "glusterfs", "lustre", "beegfs", "virtiofs", "vboxsf", "vmhgfs", "prl_fs", "drvfs", "fuse", "macfuse",
    "osxfuse", "gfs2", "ocfs2", "acfs",
})  # fmt: skip
"""Types of file systems whose changes may be made elsewhere."""
_LOCAL_FUSE = frozenset(
    {"fuse.fuse-overlayfs", "fuse.mergerfs", "fuse.gocryptfs", "fuse.encfs", "fuse.bindfs"}
)
"""FUSE file systems over local folders."""
_ESCAPE = re.compile(r"\\([0-7]{3})")
_BSD_MOUNT = re.compile(r"^.* on (?P<point>/.*) \((?P<kind>[A-Za-z0-9_.]+)[,)]")
MOUNT_INFO = Path("/proc/self/mountinfo")
"""Linux's list of mounts of this process."""


def is_remote(kind: str) -> bool:
    """Whether files of this type of file system can change without an event here."""
    return kind in _REMOTE or (kind.startswith("fuse.") and kind not in _LOCAL_FUSE)


def file_system_of(path: str, mounts: dict[str, str]) -> str:
    """The type of the file system that holds a path.

    Args:
        path: absolute, links resolved; need not exist.
        mounts: type by mount point.

    Returns:
        The type, empty where no mount point is known.
    """
    while True:
        kind = mounts.get(path)
        if kind is not None:
            return kind
        if path in {"/", ""}:
            return ""
        path = os.path.dirname(path)


def read_mounts() -> dict[str, str]:
    """Types of all mounted file systems by mount point; empty where the system does not say."""
    if sys.platform == "linux":
        try:
            return parse_mountinfo(MOUNT_INFO.read_bytes())
        except OSError:
            return {}
    try:
        done = subprocess.run(
            ["/sbin/mount"], capture_output=True, timeout=5, check=False, stdin=subprocess.DEVNULL, env={}
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    return parse_mount_output(done.stdout)


def parse_mountinfo(data: bytes) -> dict[str, str]:
    """Read ``/proc/self/mountinfo``: a later mount on the same point hides an earlier one."""
    mounts: dict[str, str] = {}
    for line in os.fsdecode(data).splitlines():
        before, dash, after = line.partition(" - ")
        fields = before.split(" ")
        if dash and len(fields) >= 5 and after:
            mounts[_ESCAPE.sub(_octal, fields[4])] = after.split(" ", 1)[0]
    return mounts


def parse_mount_output(data: bytes) -> dict[str, str]:
    """Read the output of ``mount`` on macOS and BSD."""
    found = (_BSD_MOUNT.match(line) for line in os.fsdecode(data).splitlines())
    return {match["point"]: match["kind"] for match in found if match}


def _octal(match: re.Match[str]) -> str:
    return os.fsdecode(bytes([int(match[1], 8) & 0xFF]))
