"""``config path`` and ``config passphrase``: the settings file, and the passphrase of the human key."""

from ags_tui.cli.call import Call
from ags_tui.cli.commands import add_group, command, new_app
from ags_tui.cli.failures import OK
from ags_tui.cli.output import Output
from ags_tui.cli.passphrase import change_passphrase
from ags_tui.io.settings import read_settings, settings_path

app = new_app()
add_group(app, "Where the settings file is; the passphrase of the human key.")


@command(app)
def path(call: Call) -> int:
    """Print where the settings file is, whether or not it exists."""
    out: Output = call.out
    read = read_settings(call.places, call.environment)
    target = settings_path(call.places)
    for warning in read.warnings:
        out.note(warning)
    out.line(str(target))
    out.document({"path": str(target), "exists": target.exists(), "warnings": list(read.warnings)})
    return OK


@command(app)
def passphrase(call: Call) -> int:
    """Set, change or take away the passphrase of the human key; asked on the terminal alone."""
    protected = change_passphrase(call.places)
    call.out.line("the human key has a passphrase" if protected else "the human key has no passphrase")
    call.out.document({"protected": protected})
    return OK
