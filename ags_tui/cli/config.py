"""``config path``: where the settings file is."""

from ags_tui.cli.call import Call
from ags_tui.cli.commands import add_group, command, new_app
from ags_tui.cli.failures import OK
from ags_tui.cli.output import Output
from ags_tui.io.settings import read_settings, settings_path

app = new_app()
add_group(app, "Where the settings file is.")


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
