"""Saves files by rename: ``rename_writer.py PATH COUNT PAUSE``; prints the time of each rename.

A ``{}`` in the path becomes the number. Times are of the monotonic clock, which all processes share.
"""

import os
import sys
import time

path, count, pause = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
times: list[float] = []
for number in range(count):
    target = path.format(number)
    with open(target + ".new", "w", encoding="ascii") as file:
        file.write(str(number))
    times.append(time.monotonic())
    os.rename(target + ".new", target)
    time.sleep(max(0.0, times[0] + (number + 1) * pause - time.monotonic()))
print(*times)
