"""The one-way doors, proven at run time: each module is imported in a fresh interpreter."""

import json
import pkgutil
import subprocess
import sys

import pytest

import ags_tui

FORBIDDEN = {
    "core": ("textual", "rich", "git", "watchfiles", "inotify_simple", "typer", "cryptography"),
    "view": ("textual", "rich", "git", "watchfiles", "inotify_simple", "typer", "cryptography"),
    "io": ("textual", "rich", "typer"),
    "agents": ("textual", "rich", "typer"),
}
ROOM_BELOW = {
    "core": ("ags_tui.io", "ags_tui.view", "ags_tui.app", "ags_tui.cli"),
    "view": ("ags_tui.io", "ags_tui.app", "ags_tui.cli"),
    "io": ("ags_tui.view", "ags_tui.app", "ags_tui.cli"),
    "app": ("ags_tui.io", "ags_tui.cli"),
    "agents": ("ags_tui.app", "ags_tui.cli"),
}
MODELS = "ags_tui.core.contracts.registry"
"""Takes longest of our own modules: it makes the classes of all contracts."""
WARM = {
    "core": "pydantic",
    "view": f"pydantic {MODELS}",
    "io": f"pydantic git watchfiles {MODELS}",
    "app": f"pydantic textual.app textual.widgets {MODELS}",
    "agents": f"pydantic {MODELS}",
}
"""What a room may load anyway; imported once, before the children, because it is slow."""
WITHOUT_PYDANTIC = (
    "ags_tui.core.globs",
    "ags_tui.core.digests",
    "ags_tui.core.edits_notebook",
    "ags_tui.core.edits_patch",
    "ags_tui.agents.claude_code",
    "ags_tui.agents.codex",
    "ags_tui.agents.gemini",
    "ags_tui.agents.proposals",
)
WITHOUT_APP = ("screens", "widgets", "keys", "key_rules", "messages", "themes", "commands", "guard")


def module_names() -> list[str]:
    return sorted(
        m.name for m in pkgutil.walk_packages(ags_tui.__path__, "ags_tui.") if m.name != "ags_tui.__main__"
    )


def loaded_after(names: list[str], warm: str = "") -> dict[str, list[str]]:
    """Import each name in a forked child of one fresh interpreter; say what was loaded."""
    program = (
        "import gc, importlib, json, os, sys\n"
        "gc.disable()\n"
        "for name in sys.argv[1].split():\n"
        "    importlib.import_module(name)\n"
        "for name in sys.argv[2:]:\n"
        "    read, write = os.pipe()\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        "        importlib.import_module(name)\n"
        "        os.write(write, json.dumps([name, sorted(sys.modules)]).encode() + b'\\n')\n"
        "        os._exit(0)\n"
        "    os.close(write)\n"
        "    data = b''\n"
        "    while chunk := os.read(read, 65536):\n"
        "        data += chunk\n"
        "    os.close(read)\n"
        "    _, status = os.waitpid(pid, 0)\n"
        "    if status:\n"
        "        sys.exit(f'{name} cannot be imported alone')\n"
        "    sys.stdout.write(data.decode())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, warm, *names], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(line) for line in done.stdout.splitlines())


def loaded_alone(names: list[str], warm: str) -> dict[str, list[str]]:
    """As ``loaded_after``; who does not load what loads the models comes to them when they are there."""
    if MODELS not in names:
        return loaded_after(names, warm)
    models = loaded_after([MODELS], warm)
    first = [name for name in names if name != MODELS and name in models[MODELS]]
    then = [name for name in names if name not in models[MODELS]]
    return {**models, **loaded_after(first, warm), **loaded_after(then, f"{warm} {MODELS}")}


@pytest.mark.parametrize("room", sorted(ROOM_BELOW))
def test_room_loads_nothing_from_above(room: str):
    names = [n for n in module_names() if n == f"ags_tui.{room}" or n.startswith(f"ags_tui.{room}.")]
    assert names
    found = loaded_alone(names, WARM[room])
    assert found.keys() == set(names)
    for name, loaded in found.items():
        roots = {module.partition(".")[0] for module in loaded}
        assert not roots & set(FORBIDDEN.get(room, ())), name
        above = [m for m in loaded if m.startswith(ROOM_BELOW[room])]
        assert not above, (name, above)


def test_widgets_and_screens_never_load_the_app():
    names = [n for n in module_names() if n.startswith("ags_tui.app.") and n.split(".")[2] in WITHOUT_APP]
    assert names
    for name, loaded in loaded_after(names, WARM["app"]).items():
        assert "ags_tui.app.app" not in loaded, name


def test_policy_globs_and_digests_load_no_pydantic():
    for name, loaded in loaded_after(list(WITHOUT_PYDANTIC)).items():
        assert "pydantic" not in loaded, name
