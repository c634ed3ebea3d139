"""Settings: wrong values warn and defaults hold; the environment sets looks and nothing else."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ags_tui.io.places import Places
from ags_tui.io.settings import Settings, read_settings, save_settings, settings_path


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(state=tmp_path / "state", config=tmp_path / "config")


def write(places: Places, text: str) -> None:
    path = settings_path(places)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_defaults_without_a_file(places: Places):
    read = read_settings(places, {})
    assert read.settings == Settings()
    assert read.warnings == ()


def test_every_setting_is_read(places: Places):
    write(
        places,
        'version = 1\ntheme = "paper"\nglyphs = "ascii"\nnotifications = "off"\nguard_ms = 900\npoll = true\n'
        'test_timeout_s = 5\n[keys]\n"inbox.open" = "o"\n[roots]\n"*" = ".agents"\n"/w/app" = "state"\n',
    )
    read = read_settings(places, {})
    assert read.warnings == ()
    settings = read.settings
    assert (settings.theme, settings.glyphs, settings.notifications) == ("paper", "ascii", "off")
    assert (settings.guard_ms, settings.poll, settings.test_timeout_s) == (900, True, 5)
    assert dict(settings.keys) == {"inbox.open": "o"}
    assert settings.root_for(Path("/w/app")) == "state"
    assert settings.root_for(Path("/w/app-backup")) == ".agents"
    assert Settings().root_for(Path("/w/app")) == ".ai"


@pytest.mark.parametrize(
    "line",
    [
        "theme = 3", 'theme = ""', 'glyphs = "fancy"', 'notifications = "loud"', 'guard_ms = "700"',
        "guard_ms = 0", "guard_ms = true", 'poll = "yes"', "test_timeout_s = 0", 'keys = "q"',
        "keys = {a = 1}", "roots = []",
    ],
)  # fmt: skip
def test_wrong_value_warns_and_the_default_holds(places: Places, line: str):
    write(places, f"version = 1\n{line}\n")
    read = read_settings(places, {})
    key = line.partition(" ")[0]
    assert getattr(read.settings, key) == getattr(Settings(), key)
    assert len(read.warnings) == 1
    assert key in read.warnings[0]


def test_unknown_key_and_version_warn_and_the_rest_holds(places: Places):
    write(places, 'version = 2\ncolour = "red"\ntheme = "paper"\n')
    read = read_settings(places, {})
    assert read.settings.theme == "paper"
    assert len(read.warnings) == 2


def test_broken_file_warns_with_its_line(places: Places):
    write(places, 'version = 1\ntheme = "paper\n')
    read = read_settings(places, {})
    assert read.settings == Settings()
    assert "line 2" in read.warnings[0]


def test_pipe_instead_of_a_file_does_not_hang(places: Places):
    places.config.mkdir()
    os.mkfifo(settings_path(places))
    assert read_settings(places, {}).warnings


def test_environment_sets_looks_only(places: Places):
    write(places, 'version = 1\ntheme = "paper"\n')
    environment = {
        "AGS_TUI_THEME": "ink",
        "AGS_TUI_GLYPHS": "ascii",
        "AGS_TUI_GUARD_MS": "300",
        "AGS_TUI_POLL": "true",
        "AGS_TUI_ROOTS": "/tmp",
        "AGS_TUI_STATE": "/tmp",
    }
    read = read_settings(places, environment)
    assert read.settings == Settings(theme="ink", glyphs="ascii")
    assert read.warnings == ()


def test_wrong_look_from_the_environment_is_ignored(places: Places):
    read = read_settings(places, {"AGS_TUI_GLYPHS": "sixel"})
    assert read.settings == Settings()
    assert "AGS_TUI_GLYPHS" in read.warnings[0]


def test_saving_keeps_comments_and_unknown_keys(places: Places):
    text = '# mine\nversion = 1\ncolour = "red"  # not yours\n\n[keys]\nq = "Q"\n'
    write(places, text)
    save_settings(places, replace(Settings(), theme="paper"), ("theme",))
    written = settings_path(places).read_text()
    assert "# mine" in written
    assert 'colour = "red"  # not yours' in written
    read = read_settings(places, {})
    assert read.settings.theme == "paper"
    assert dict(read.settings.keys) == {"q": "Q"}


def test_saving_makes_the_file_and_follows_a_link(places: Places, tmp_path: Path):
    places.config.mkdir()
    save_settings(places, replace(Settings(), glyphs="narrow"), ("glyphs",))
    assert read_settings(places, {}).settings.glyphs == "narrow"
    dotfiles = tmp_path / "dotfiles.toml"
    settings_path(places).rename(dotfiles)
    settings_path(places).symlink_to(dotfiles)
    save_settings(places, replace(Settings(), glyphs="ascii"), ("glyphs",))
    assert settings_path(places).is_symlink()
    assert "ascii" in dotfiles.read_text()


def test_broken_file_is_not_overwritten(places: Places):
    write(places, "version = \n")
    with pytest.raises(ValueError):
        save_settings(places, Settings(), ("theme",))
    assert settings_path(places).read_text() == "version = \n"


@given(st.binary(max_size=200))
def test_no_bytes_raise(tmp_path_factory: pytest.TempPathFactory, data: bytes):
    folder = tmp_path_factory.mktemp("config")
    (folder / "config.toml").write_bytes(data)
    assert isinstance(read_settings(Places(state=folder, config=folder), {}).settings, Settings)
