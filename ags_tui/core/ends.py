"""How it is said why a request is over without a decision: written by who waited, read by the views."""

SETTLED_OTHERWISE = "settled otherwise: "
"""How it begins where its call was answered without the request: nothing of it is open."""
LEFT = "ags-tui was left"
"""The human left while calls waited."""
