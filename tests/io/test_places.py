"""Folders of the user: from the password database, never from the environment."""

import os
import pwd
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from ags_tui.core.failures import AgsError
from ags_tui.io.places import Places, PlaceUnusable, default_places


def test_home_comes_from_the_password_database(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    assert default_places("linux") == Places(home / ".local/state/ags-tui", home / ".config/ags-tui")


def test_on_a_mac(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pwd, "getpwuid", lambda _user: SimpleNamespace(pw_dir="/Users/kim"))
    support = Path("/Users/kim/Library/Application Support/ags-tui")
    assert default_places("darwin") == Places(support / "state", support / "config")


def test_finding_the_places_makes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pwd, "getpwuid", lambda _user: SimpleNamespace(pw_dir=str(tmp_path)))
    default_places("linux")
    assert not list(tmp_path.iterdir())


def test_an_unknown_user_is_told_what_to_pass(monkeypatch: pytest.MonkeyPatch):
    def unknown(user: int) -> None:
        raise KeyError(user)

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(PlaceUnusable, match="--state"):
        default_places()


def test_a_home_that_is_no_absolute_path_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pwd, "getpwuid", lambda _user: SimpleNamespace(pw_dir=""))
    with pytest.raises(PlaceUnusable, match="--config"):
        default_places()


def test_folders_are_made_for_the_user_alone(tmp_path: Path):
    old = os.umask(0)
    try:
        places = Places(tmp_path / "deep" / "state", tmp_path / "config")
        made = places.state_folder("a", "b")
        places.config_folder()
    finally:
        os.umask(old)
    assert made == places.state / "a" / "b"
    for folder in (places.state, places.state / "a", made, places.config):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert places.state_folder("a", "b") == made


def test_a_file_in_the_way_is_named(tmp_path: Path):
    (tmp_path / "state").write_text("not a folder")
    with pytest.raises(PlaceUnusable, match=str(tmp_path / "state")):
        Places(tmp_path / "state", tmp_path).state_folder("keys")


def test_a_folder_that_others_may_write_is_refused(tmp_path: Path):
    state = tmp_path / "state"
    state.mkdir()
    state.chmod(0o777)
    with pytest.raises(PlaceUnusable, match="chmod 700"):
        Places(state, tmp_path).state_folder("keys")
    assert not (state / "keys").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_is_refused(tmp_path: Path):
    state = tmp_path / "state"
    state.mkdir()
    os.chown(state, 12345, 12345)
    with pytest.raises(AgsError, match="belongs to user 12345"):
        Places(state, tmp_path).state_folder()
