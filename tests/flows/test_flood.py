"""A folder that is flooded while a verdict is asked for."""

import os
from dataclasses import replace
from datetime import UTC, datetime

from ags_tui.cli.call import Globals, make_call
from ags_tui.cli.gate import observe_young
from ags_tui.io.observing import OBSERVED
from tests.attacks.facts import entries, shell_request
from tests.core.checks import test_article as article
from tests.flows.stage import Stage


def test_a_flood_of_requests_does_not_hold_up_the_gate(stage: Stage) -> None:
    """Each entry reads the log before it: a thousand in one call took a minute."""
    stage.new_task()
    moment = datetime(2026, 7, 1, tzinfo=UTC).timestamp()
    raw = shell_request("tool-0", "touch MARK")
    for number in range(OBSERVED + 5):
        stage.write(f"tool-requests/tool-{number}.json", raw.replace(b"tool-0", b"tool-%d" % number))
    stage.write("review-result.json", article.NEEDS_CHANGES)
    for path in stage.folder().rglob("*.json"):
        os.utime(path, (moment, moment))
    snapshot = replace(stage.human.workspace.read(), taken_at=datetime.fromtimestamp(moment + 1, UTC))
    before = len(entries(stage))
    call = make_call(Globals(), {})
    assert observe_young(call, stage.human.workspace, snapshot) == OBSERVED
    seen = [entry["subject"]["id"] for entry in entries(stage)[before:]]
    assert len(seen) == OBSERVED
    assert "review-result.json" in seen, "results come first: their tree is a matter of seconds"
