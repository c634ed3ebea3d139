#!/bin/sh
# cd TASK_FOLDER
for i in 1 2 3 4 5; do printf '{"version": %s}\n' $i > .plan.json.tmp; mv .plan.json.tmp plan.json; : > 4913; rm 4913; cp plan.json plan.json~; rm plan.json~; sleep "${PAUSE:-1}"; done
