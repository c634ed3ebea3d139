"""Two keys, made once, kept to their owner; whose signatures count."""

import base64
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ags_tui.io import sshsig
from ags_tui.io.key_files import KeyUnusable, WrongPassphrase
from ags_tui.io.keys import KeyLocked, Keys, KeyUnavailable
from ags_tui.io.places import Places
from ags_tui.io.trust import TrustedKey, ed25519_id, parse_trust, ssh_id
from tests.logs import places_in

TOP = Path(__file__).resolve().parents[2]
PAYLOAD = b'{"kind":"block"}'


def key_file(places: Places, role: str) -> Path:
    return places.state / "keys" / f"{role}.key"


def trust_line(role: str = "human", comment: str = "kim") -> tuple[Ed25519PrivateKey, str]:
    private = Ed25519PrivateKey.generate()
    raw = private.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return private, TrustedKey(role, ed25519_id(raw), raw, comment).line  # type: ignore[arg-type]


def signed_by(private: Ed25519PrivateKey, payload: bytes = PAYLOAD) -> tuple[str, str]:
    raw = private.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return ed25519_id(raw), "ed25519:" + base64.b64encode(private.sign(payload)).decode()


# -- made and kept ---------------------------------------------------------------------------------------


def test_two_keys_are_made_for_the_user_alone(tmp_path: Path):
    places = places_in(tmp_path)
    old = os.umask(0)
    try:
        keys = Keys.open(places)
    finally:
        os.umask(old)
    assert keys.problems == ()
    assert keys.key_id("human") != keys.key_id("system")
    assert stat.S_IMODE((places.state / "keys").stat().st_mode) == 0o700
    for role in ("human", "system"):
        assert stat.S_IMODE(key_file(places, role).stat().st_mode) == 0o600
    assert sorted(os.listdir(places.state / "keys")) == ["human.key", "system.key"]


def test_the_same_keys_are_used_again(tmp_path: Path):
    first, second = Keys.open(places_in(tmp_path)), Keys.open(places_in(tmp_path))
    signed = first.sign("human", PAYLOAD)
    assert second.signer(*signed, PAYLOAD) == "human"
    assert second.sign("human", PAYLOAD) == signed


def test_processes_at_the_same_moment_end_up_with_the_same_keys(tmp_path: Path):
    children = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.io.log_child", "keys", str(tmp_path)],
            cwd=TOP, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for _ in range(4)
    ]  # fmt: skip
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    answers = set[str]()
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    for child in children:
        answers.add(child.communicate(timeout=60)[0])
    assert len(answers) == 1
    assert answers.pop().endswith(" 0\n")


def test_nothing_is_made_without_leave(tmp_path: Path):
    keys = Keys.open(places_in(tmp_path), create=False)
    assert not list(tmp_path.iterdir())
    assert not keys.can_sign("human")
    with pytest.raises(KeyUnavailable, match="no system key"):
        keys.sign("system", PAYLOAD)


def test_a_state_directory_that_cannot_be_made_leaves_verifying_intact(tmp_path: Path):
    private, line = trust_line()
    places = places_in(tmp_path)
    places.config.mkdir()
    (places.config / "trusted-keys").write_text(line + "\n")
    (places.config / "trusted-keys").chmod(0o600)
    places.state.write_text("a file is in the way")
    keys = Keys.open(places)
    assert keys.signer(*signed_by(private), PAYLOAD) == "human"
    assert not keys.can_sign("system")
    assert any(str(places.state) in problem for problem in keys.problems)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666, 0o660])
def test_a_key_that_others_could_read_is_neither_used_nor_trusted(tmp_path: Path, mode: int):
    places = places_in(tmp_path)
    signed = Keys.open(places).sign("human", PAYLOAD)
    before = key_file(places, "human").read_bytes()
    key_file(places, "human").chmod(mode)
    keys = Keys.open(places)
    assert not keys.can_sign("human")
    assert keys.can_sign("system")
    assert keys.signer(*signed, PAYLOAD) == "unknown"
    assert any("chmod 600" in problem for problem in keys.problems)
    assert key_file(places, "human").read_bytes() == before


def test_a_key_folder_that_is_open_to_others_is_not_used(tmp_path: Path):
    places = places_in(tmp_path)
    Keys.open(places)
    (places.state / "keys").chmod(0o755)
    keys = Keys.open(places)
    assert not keys.can_sign("human")
    assert any("chmod 700" in problem for problem in keys.problems)


def test_a_link_is_no_key(tmp_path: Path):
    places = places_in(tmp_path)
    Keys.open(places)
    elsewhere = tmp_path / "elsewhere.key"
    key_file(places, "human").rename(elsewhere)
    key_file(places, "human").symlink_to(elsewhere)
    keys = Keys.open(places)
    assert not keys.can_sign("human")
    assert any("link" in problem for problem in keys.problems)


def test_a_linked_key_folder_is_not_used(tmp_path: Path):
    places = places_in(tmp_path)
    Keys.open(places)
    (places.state / "keys").rename(tmp_path / "moved")
    (places.state / "keys").symlink_to(tmp_path / "moved")
    assert not Keys.open(places).can_sign("system")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_key_of_somebody_else_is_not_used(tmp_path: Path):
    places = places_in(tmp_path)
    Keys.open(places)
    os.chown(key_file(places, "human"), 12345, 12345)
    assert any("belongs to user 12345" in problem for problem in Keys.open(places).problems)


@pytest.mark.parametrize("content", [b"", b"public: AAAA\n", b"\xff\xfe", b"public: " + b"A" * 44 + b"\nx"])
def test_a_damaged_key_is_left_alone(tmp_path: Path, content: bytes):
    places = places_in(tmp_path)
    Keys.open(places)
    key_file(places, "human").write_bytes(content)
    keys = Keys.open(places)
    assert not keys.can_sign("human")
    assert key_file(places, "human").read_bytes() == content
    assert keys.problems


def test_a_pipe_in_place_of_a_key_does_not_hang(tmp_path: Path):
    places = places_in(tmp_path)
    places.state_folder("keys")
    os.mkfifo(key_file(places, "human"), 0o600)
    assert not Keys.open(places).can_sign("human")


# -- passphrase ------------------------------------------------------------------------------------------


def test_a_passphrase_locks_the_human_key_only(tmp_path: Path):
    places = places_in(tmp_path)
    keys = Keys.open(places)
    signed = keys.sign("human", PAYLOAD)
    keys.set_passphrase("비밀 문장")
    assert b"ENCRYPTED" in key_file(places, "human").read_bytes()
    assert stat.S_IMODE(key_file(places, "human").stat().st_mode) == 0o600

    later = Keys.open(places)
    assert later.locked
    assert later.can_sign("system")
    assert not later.can_sign("human")
    assert later.signer(*signed, PAYLOAD) == "human"
    with pytest.raises(KeyLocked):
        later.sign("human", PAYLOAD)
    with pytest.raises(WrongPassphrase):
        later.unlock("guess")
    assert later.locked
    later.unlock("비밀 문장")
    assert later.sign("human", PAYLOAD) == signed


def test_a_passphrase_can_be_changed_and_taken_away(tmp_path: Path):
    places = places_in(tmp_path)
    keys = Keys.open(places)
    name = keys.key_id("human")
    keys.set_passphrase("one")
    keys.set_passphrase("two")
    later = Keys.open(places)
    with pytest.raises(KeyLocked):
        later.set_passphrase("three")
    with pytest.raises(WrongPassphrase):
        later.unlock("one")
    later.unlock("two")
    later.set_passphrase(None)
    last = Keys.open(places)
    assert not last.locked
    assert last.key_id("human") == name
    with pytest.raises(ValueError, match="empty"):
        last.set_passphrase("")


def test_a_locked_key_that_was_exchanged_does_not_open(tmp_path: Path):
    places, others = places_in(tmp_path / "mine"), places_in(tmp_path / "theirs")
    keys, foreign = Keys.open(places), Keys.open(others)
    keys.set_passphrase("same words")
    foreign.set_passphrase("same words")
    public = key_file(places, "human").read_bytes().split(b"\n", 1)[0]
    private = key_file(others, "human").read_bytes().split(b"\n", 1)[1]
    key_file(places, "human").write_bytes(public + b"\n" + private)
    later = Keys.open(places)
    with pytest.raises(KeyUnusable, match="tampered"):
        later.unlock("same words")
    assert not later.can_sign("human")


# -- whose signatures count ------------------------------------------------------------------------------


def test_who_signed(tmp_path: Path):
    keys = Keys.open(places_in(tmp_path))
    for role in ("human", "system"):
        key_id, signature = keys.sign(role, PAYLOAD)
        assert keys.signer(key_id, signature, PAYLOAD) == role
        assert keys.signer(key_id, signature, PAYLOAD + b" ") == "invalid"
        assert keys.signer(key_id, "", PAYLOAD) == "invalid"
        assert keys.signer(key_id, "ed25519:????", PAYLOAD) == "invalid"
        assert keys.signer(key_id, signature.removeprefix("ed25519:"), PAYLOAD) == "invalid"
        assert keys.signer(key_id, "sshsig:" + signature.removeprefix("ed25519:"), PAYLOAD) == "invalid"
        assert keys.signer("ed25519-" + "0" * 32, signature, PAYLOAD) == "unknown"
        assert keys.signer("", signature, PAYLOAD) == "unknown"
    assert keys.signer("", "", PAYLOAD) == "none"
    human, system = keys.sign("human", PAYLOAD), keys.sign("system", PAYLOAD)
    assert keys.signer(human[0], system[1], PAYLOAD) == "invalid"


def test_a_trust_file_counts_alone_and_makes_nothing(tmp_path: Path):
    own = Keys.open(places_in(tmp_path))
    private, line = trust_line()
    trust = tmp_path / "trust"
    trust.write_text(f"# of our team\n\n{line}\n")
    empty = places_in(tmp_path / "ci")
    keys = Keys.open(empty, trust=trust)
    assert not empty.state.exists()
    assert keys.signer(*signed_by(private), PAYLOAD) == "human"
    assert keys.signer(*own.sign("human", PAYLOAD), PAYLOAD) == "unknown"
    assert (
        Keys.open(places_in(tmp_path), trust=trust).signer(*own.sign("human", PAYLOAD), PAYLOAD) == "unknown"
    )
    assert not keys.can_sign("human")
    assert not keys.can_sign("system")


def test_exported_trust_is_enough_elsewhere(tmp_path: Path):
    own = Keys.open(places_in(tmp_path))
    trust = tmp_path / "trust"
    trust.write_text(own.export_trust())
    keys = Keys.open(places_in(tmp_path / "ci"), trust=trust)
    assert keys.problems == ()
    for role in ("human", "system"):
        assert keys.signer(*own.sign(role, PAYLOAD), PAYLOAD) == role


def test_a_missing_trust_file_is_an_error(tmp_path: Path):
    with pytest.raises(KeyUnusable, match="no such file"):
        Keys.open(places_in(tmp_path), trust=tmp_path / "missing")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(KeyUnusable, match="UTF-8"):
        Keys.open(places_in(tmp_path), trust=tmp_path / "binary")


def test_configured_keys_count_beside_the_own_ones(tmp_path: Path):
    places = places_in(tmp_path)
    private, line = trust_line()
    trusted = places.config_folder() / "trusted-keys"
    trusted.write_text(line)
    trusted.chmod(0o644)
    keys = Keys.open(places)
    assert keys.signer(*signed_by(private), PAYLOAD) == "human"
    assert keys.signer(*keys.sign("human", PAYLOAD), PAYLOAD) == "human"

    trusted.chmod(0o666)
    open_to_all = Keys.open(places)
    assert open_to_all.signer(*signed_by(private), PAYLOAD) == "unknown"
    assert any("chmod 600" in problem for problem in open_to_all.problems)


def test_wrong_lines_are_left_out_and_named():
    _, good = trust_line()
    _, other = trust_line()
    words = good.split()
    lines = [
        good,
        "human",
        "owner " + " ".join(words[1:]),
        f"human {other.split()[1]} {words[2]}",
        f"human {words[1]} not-base64!",
        f"human ssh-{'0' * 32} {words[2]}",
        f"human ed25519-{'0' * 32} AAAA",
    ]
    trust = parse_trust("\n".join(lines), "file")
    assert list(trust.keys) == [words[1]]
    assert [problem.split(":")[1] for problem in trust.problems] == ["2", "3", "4", "5", "6", "7"]


def test_a_key_with_both_roles_is_no_human():
    _, line = trust_line()
    for lines in ((line, line.replace("human", "system", 1)), (line.replace("human", "system", 1), line)):
        trust = parse_trust("\n".join(lines), "file")
        assert [key.role for key in trust.keys.values()] == ["system"]
        assert len(trust.problems) == 1


def test_the_environment_chooses_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    other = Keys.open(places_in(tmp_path / "evil"))
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "AGS_TUI_STATE", "AGS_TUI_KEYS"):
        monkeypatch.setenv(name, str(tmp_path / "evil"))
    keys = Keys.open(places_in(tmp_path / "mine"))
    assert keys.signer(*other.sign("human", PAYLOAD), PAYLOAD) == "unknown"


# -- ssh-keygen ------------------------------------------------------------------------------------------

needs_ssh = pytest.mark.skipif(sshsig.program() is None, reason="ssh-keygen is not installed")


def ssh_pair(folder: Path, kind: str = "ed25519") -> Path:
    path = folder / f"id_{kind}"
    program = sshsig.program()
    assert program is not None
    subprocess.run([program, "-q", "-t", kind, "-N", "", "-C", "kim@desk", "-f", str(path)], check=True)
    return path


def configure(places: Places, private: Path) -> None:
    """Use a pair as the human key: the private half beside the public one, as without an agent."""
    folder = places.config_folder()
    shutil.copy(private, folder / "human-key")
    shutil.copy(f"{private}.pub", folder / "human-key.pub")
    for path in (folder / "human-key", folder / "human-key.pub"):
        path.chmod(0o600)


@needs_ssh
@pytest.mark.parametrize("kind", ["ed25519", "ecdsa"])
def test_ssh_keygen_signs_for_the_human(tmp_path: Path, kind: str):
    places = places_in(tmp_path)
    configure(places, ssh_pair(tmp_path, kind))
    keys = Keys.open(places)
    assert keys.problems == ()
    assert not key_file(places, "human").exists()
    key_id, signature = keys.sign("human", PAYLOAD)
    assert key_id == keys.key_id("human")
    assert key_id.startswith("ssh-")
    assert signature.startswith("sshsig:")

    trust = tmp_path / "trust"
    trust.write_text(keys.export_trust())
    elsewhere = Keys.open(places_in(tmp_path / "ci"), trust=trust)
    assert elsewhere.signer(key_id, signature, PAYLOAD) == "human"
    assert elsewhere.signer(key_id, signature, PAYLOAD + b" ") == "invalid"
    assert elsewhere.signer(key_id, signature[:-8] + "AAAAAAA=", PAYLOAD) == "invalid"
    assert elsewhere.signer(key_id, "sshsig:?", PAYLOAD) == "invalid"


@needs_ssh
def test_an_ssh_signature_for_another_purpose_does_not_count(tmp_path: Path):
    places = places_in(tmp_path)
    pair = ssh_pair(tmp_path)
    configure(places, pair)
    keys = Keys.open(places)
    program = sshsig.program()
    assert program is not None
    done = subprocess.run(
        [program, "-Y", "sign", "-q", "-f", str(pair), "-n", "git"],
        input=PAYLOAD,
        capture_output=True,
        check=True,
    )
    body = "".join(done.stdout.decode().strip().splitlines()[1:-1])
    assert keys.signer(keys.key_id("human"), "sshsig:" + body, PAYLOAD) == "invalid"


@needs_ssh
def test_the_signature_of_another_ssh_key_does_not_count(tmp_path: Path):
    mine, theirs = places_in(tmp_path / "mine"), places_in(tmp_path / "theirs")
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    configure(mine, ssh_pair(tmp_path / "a"))
    configure(theirs, ssh_pair(tmp_path / "b"))
    keys = Keys.open(mine)
    _, signature = Keys.open(theirs).sign("human", PAYLOAD)
    assert keys.signer(keys.key_id("human"), signature, PAYLOAD) == "invalid"


@needs_ssh
def test_a_key_that_no_agent_holds_does_not_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    places = places_in(tmp_path)
    configure(places, ssh_pair(tmp_path))
    (places.config / "human-key").unlink()
    with pytest.raises(KeyUnavailable, match="did not sign"):
        Keys.open(places).sign("human", PAYLOAD)


@needs_ssh
def test_path_does_not_choose_ssh_keygen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    fake = tmp_path / "bin" / "ssh-keygen"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\nexit 0\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(fake.parent))
    places = places_in(tmp_path)
    configure(places, ssh_pair(tmp_path))
    keys = Keys.open(places)
    key_id, signature = keys.sign("human", PAYLOAD)
    assert keys.signer(key_id, signature, b"other") == "invalid"


def test_without_ssh_keygen_a_signature_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    blob = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20" + b"k" * 32
    trust = tmp_path / "trust"
    trust.write_text(TrustedKey("human", ssh_id(blob), blob, "kim").line)
    monkeypatch.setattr(sshsig, "PROGRAM_FOLDERS", (str(tmp_path),))
    keys = Keys.open(places_in(tmp_path), trust=trust)
    assert keys.signer(ssh_id(blob), "sshsig:AAAA", PAYLOAD) == "unknown"


@pytest.mark.parametrize("content", ["nonsense", "ssh-ed25519 AAAA", "ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIA=="])
def test_a_broken_ssh_key_is_not_replaced_by_a_weaker_one(tmp_path: Path, content: str):
    places = places_in(tmp_path)
    configured = places.config_folder() / "human-key.pub"
    configured.write_text(content)
    configured.chmod(0o600)
    keys = Keys.open(places)
    assert not keys.can_sign("human")
    assert not key_file(places, "human").exists()
    assert any(str(configured) in problem for problem in keys.problems)
