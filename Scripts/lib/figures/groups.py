"""What Scripts/bench-all measures."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Group:
    """One command. It prints either figures, one JSON object a line, or text, which the page shows as it is."""

    command: str
    prints: str = 'figures'
    rounds: int | None = None
    """The number of runs, if it is not that of the option --rounds."""
    needs_lab: bool = False
    baseline: str = ''
    """What ratios are relative to. Groups with one get a plot."""


GROUPS = {
    'caches': Group('benchmarks caches'),
    'eviction': Group('benchmarks eviction', prints='markdown', rounds=1),
    'disk': Group('benchmarks disk', baseline='plain files'),
    'disk-scale': Group('benchmarks disk-scale'),
    'loader': Group('benchmarks loader'),
    'transport': Group('benchmarks transport', baseline='the curl tool'),
    'soak': Group('benchmarks transport --soak 100000', rounds=1),
    'decode': Group('benchmarks decode', baseline='the C library alone'),
    'processing': Group('benchmarks processing'),
    'feed': Group('Apps/Benchmarks/Scripts/bench-feed --rounds 2', prints='text', rounds=1, needs_lab=True),
    'peers': Group('Apps/Benchmarks/Scripts/bench-peers LAB out/figures --passes 1 --ms 200', prints='markdown', rounds=1, needs_lab=True),
    'first-image': Group('python3 -B Scripts/lib/figures/first_image.py', rounds=1),
    'server': Group('Apps/ImageServer/Scripts/bench cached uncached overload page idle cold faults', prints='text', rounds=1),
}
