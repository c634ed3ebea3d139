"""Which lines two texts share, in order: patience on lines that are unique, shortest edit script on the rest.

All blocks of a text share one budget of steps. It keeps hostile contents (all lines alike, all lines moved)
from freezing a screen: where it is used up a block is said to be replaced, which is true if not minimal.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

Block = tuple[int, int, int]
"""First index in the old text, first index in the new text, number of equal lines."""

BUDGET = 1_000_000
"""Comparisons for all blocks without unique lines of one text."""


def matching_blocks(old: Sequence[bytes], new: Sequence[bytes], *, budget: int = BUDGET) -> list[Block]:
    """Equal runs of lines in order, neither overlapping nor crossing; neighbours are joined."""
    left = [budget]
    found: list[Block] = []
    waiting = [(range(len(old)), range(len(new)))]
    while waiting:
        olds, news = waiting.pop()
        head, tail = _ends(old, new, olds, news)
        found += [(olds.start, news.start, head), (olds.stop - tail, news.stop - tail, tail)]
        olds, news = olds[head : len(olds) - tail], news[head : len(news) - tail]
        if not olds or not news:
            continue
        anchors = _anchors(old, new, olds, news)
        if not anchors:
            found += _shortest(old, new, olds, news, left)
            continue
        for anchor in anchors:
            waiting.append((range(olds.start, anchor[0]), range(news.start, anchor[1])))
            found.append((*anchor, 1))
            olds, news = range(anchor[0] + 1, olds.stop), range(anchor[1] + 1, news.stop)
        waiting.append((olds, news))
    return _joined(sorted(found))


def _ends(old: Sequence[bytes], new: Sequence[bytes], olds: range, news: range) -> tuple[int, int]:
    """Number of equal lines at the beginning and, of the rest, at the end."""
    most = min(len(olds), len(news))
    head = 0
    while head < most and old[olds.start + head] == new[news.start + head]:
        head += 1
    tail = 0
    while tail < most - head and old[olds.stop - tail - 1] == new[news.stop - tail - 1]:
        tail += 1
    return head, tail


def _anchors(old: Sequence[bytes], new: Sequence[bytes], olds: range, news: range) -> list[tuple[int, int]]:
    """Lines that stand once on each side, as the longest sequence that rises on both."""
    places: dict[bytes, int] = {}
    for index in olds:
        places[old[index]] = -1 if old[index] in places else index
    seen: dict[bytes, int] = {}
    for index in news:
        seen[new[index]] = -1 if new[index] in seen else index
    pairs = [(place, seen[line]) for line, place in places.items() if place >= 0 and seen.get(line, -1) >= 0]
    tails: list[int] = []
    tops: list[int] = []
    back: list[int] = []
    for number, (_, place) in enumerate(pairs):
        at = bisect_left(tails, place)
        back.append(tops[at - 1] if at else -1)
        tails[at : at + 1] = [place]
        tops[at : at + 1] = [number]
    chain: list[tuple[int, int]] = []
    at = tops[-1] if tops else -1
    while at >= 0:
        chain.append(pairs[at])
        at = back[at]
    return chain[::-1]


def _shortest(
    old: Sequence[bytes], new: Sequence[bytes], olds: range, news: range, left: list[int]
) -> Iterator[Block]:
    """Myers' greedy search for the shortest edit script; nothing where ``left`` does not suffice.

    ``best[k]`` is how far the old text got on the diagonal ``k`` (old minus new index).
    """
    old_size, new_size = len(olds), len(news)
    best = {1: 0}
    trail: list[dict[int, int]] = []
    for edits in range(old_size + new_size + 1):
        trail.append(best.copy())
        left[0] -= 2 * edits + 1
        for k in range(-edits, edits + 1, 2):
            down = k == -edits or (k != edits and best[k - 1] < best[k + 1])
            x = best[k + 1] if down else best[k - 1] + 1
            start = x
            while x < old_size and x - k < new_size and old[olds.start + x] == new[news.start + x - k]:
                x += 1
            left[0] -= x - start
            best[k] = x
            if x >= old_size and x - k >= new_size:
                yield from _walk_back(trail, olds, news)
                return
        if left[0] < 0:
            return


def _walk_back(trail: list[dict[int, int]], olds: range, news: range) -> Iterator[Block]:
    """The equal runs on the way that reached the end."""
    x, y = len(olds), len(news)
    for edits in range(len(trail) - 1, -1, -1):
        best, k = trail[edits], x - y
        down = k == -edits or (k != edits and best[k - 1] < best[k + 1])
        from_k = k + 1 if down else k - 1
        from_x = best[from_k] if edits else 0
        from_y = from_x - from_k if edits else 0
        start = from_x if down or not edits else from_x + 1
        yield olds.start + start, news.start + start - k, x - start
        x, y = from_x, from_y


def _joined(blocks: list[Block]) -> list[Block]:
    joined: list[Block] = []
    for old, new, size in blocks:
        if not size:
            continue
        if joined and joined[-1][0] + joined[-1][2] == old and joined[-1][1] + joined[-1][2] == new:
            joined[-1] = (joined[-1][0], joined[-1][1], joined[-1][2] + size)
        else:
            joined.append((old, new, size))
    return joined
