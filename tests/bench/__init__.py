"""Figures of speed: ``python -m tests.bench [NAME…]`` prints one Markdown table; nothing here is a test.

A module ``bench_NAME.py`` has ``FIGURES``, the ids of its rows in order, and ``run(bench)``, which yields a
``Figure`` for each (``figures.py``) and measures ours and the peer in turns. ``Bench`` (``course.py``) says
how many rounds, where data may lie, and which Python has the wheel installed.
"""
