"""``config path``, ``config keys``, ``config passphrase``: the settings file, the keys of this machine."""

from ags_tui.cli.call import Call
from ags_tui.cli.commands import add_group, command, new_app
from ags_tui.cli.failures import OK, CommandFailed
from ags_tui.cli.output import Output
from ags_tui.cli.passphrase import change_passphrase
from ags_tui.io.keys import Keys
from ags_tui.io.settings import read_settings, settings_path

app = new_app()
add_group(app, "Where the settings file is; the public keys of this machine; the human key's passphrase.")


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
def keys(call: Call) -> int:
    """Print the public keys of this machine, as the lines of a file for --trust in CI."""
    own = Keys.open(call.places, create=False)
    for problem in own.problems:
        call.out.note(problem)
    lines = own.export_trust().splitlines()
    if not lines:
        raise CommandFailed("there are no keys yet; they are made when ags-tui is opened or first records")
    for line in lines:
        call.out.line(line)
    call.out.document({"keys": lines})
    return OK


@command(app)
def passphrase(call: Call) -> int:
    """Set, change or take away the passphrase of the human key; asked on the terminal alone."""
    protected = change_passphrase(call.places)
    call.out.line("the human key has a passphrase" if protected else "the human key has no passphrase")
    call.out.document({"protected": protected})
    return OK
