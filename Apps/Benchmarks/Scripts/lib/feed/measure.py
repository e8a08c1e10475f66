"""Measures feeds of images: cold over a simulated link, warm from disk, and the memory of a long scroll.

    measure.py BENCHMARKS FEED_BENCHMARKS OUT [--images N] [--rounds N] [--memory] [--megapixels N] [--decodes N]
               [--latency MS] [--megabits N]

BENCHMARKS and FEED_BENCHMARKS are the programs `benchmarks` and `FeedBenchmarks`. OUT is a folder for images, caches and results.
Peers whose Python modules are missing are skipped. All contenders take turns, and each run is a process of its own.
"""

import argparse
import contextlib
import importlib.util
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
FILES = 40
PEERS = {"vips": ("libcurl and libvips", ["pycurl", "pyvips"]), "pillow": ("requests and Pillow", ["requests", "PIL"])}

LABELS = {"bound": "bound", "ours": "this package"}


@contextlib.contextmanager
def origin(folder, latency=0, megabits=0):
    """Serves a folder while the context lasts. Its value is the address."""
    command = [sys.executable, HERE / "origin.py", folder, "--latency", str(latency), "--megabits", str(megabits)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.stdin.close()


def run(*command):
    """Returns the last line of JSON that a command prints."""
    output = subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(output.splitlines()[-1])


class Feed:
    """The feed that is loaded, and the programs that load it."""

    def __init__(self, options):
        self.options, self.program = options, options.feed_benchmarks
        self.images = options.out / f"images-{options.megapixels}"
        if not self.images.exists():
            subprocess.run([options.benchmarks, "feed-images", self.images, str(FILES), str(options.megapixels)], check=True)
        self.peers = [name for name, (_, modules) in PEERS.items() if all(map(importlib.util.find_spec, modules))]
        for name in PEERS.keys() - set(self.peers):
            print(f"skipped {PEERS[name][0]}: PYTHON has no {' and '.join(PEERS[name][1])}", file=sys.stderr)

    def transfer_seconds(self):
        """The time of sending all bytes over the link."""
        sizes = [(self.images / f"{number % FILES}.jpg").stat().st_size for number in range(self.options.images)]
        return sum(sizes) * 8 / (self.options.megabits * 1e6)

    def round(self):
        """Returns the results of all contenders, by name."""
        count, caches = self.options.images, self.options.out / "caches"
        shutil.rmtree(caches, ignore_errors=True)
        results = {}
        with origin(self.images, self.options.latency, self.options.megabits) as address:
            for temperature, source in [("cold", "network"), ("warm", "disk")]:
                results[f"decode {temperature}"] = run(self.program, "decode", self.images, count)
                for name in ["ours", *self.peers]:
                    result = run(*self.command(name, address, caches / name))
                    if result["sources"] != {source: count}:
                        raise RuntimeError(f"{name}, {temperature}: {result['sources']}")
                    results[f"{name} {temperature}"] = result
        shutil.rmtree(caches)
        return results

    def command(self, name, address, cache):
        if name == "ours":
            return [self.program, "load", address, cache, self.options.images, self.options.decodes]
        return [sys.executable, HERE / "peer.py", name, address, cache, self.options.images]


def middle(values):
    """Returns the median and the range as text."""
    return f"{statistics.median(values):8.2f} ({min(values):.2f} to {max(values):.2f})"


def table(rounds, key, temperature, bounds, peers):
    """Returns a table of the values of `key`, and of their ratios to `bounds`, which has a value per round."""
    rows = [("bound", bounds)]
    for name in ["ours", *peers]:
        rows.append((name, [result[f"{name} {temperature}"][key] for result in rounds]))
    lines = []
    for name, values in rows:
        label = LABELS.get(name) or PEERS[name][0]
        ratios = [value / bound for value, bound in zip(values, bounds)]
        lines.append(f"{label:24}{middle(values):28}{middle(ratios)}")
    return "\n".join(lines)


def compare(options):
    feed = Feed(options)
    rounds = []
    for _ in range(options.rounds):
        rounds.append(feed.round())
        with open(options.out / "rounds.jsonl", "a") as file:
            file.write(json.dumps(rounds[-1]) + "\n")
    transfer = feed.transfer_seconds()
    print(f"{options.images} images, {transfer * options.megabits / 8:.0f} MB in total, {options.rounds} rounds")
    print(f"{'':24}{'median (range)':28}ratio to the bound")
    bare = [result["decode cold"]["seconds"] for result in rounds]
    print(f"cold, seconds; bound: the transfer takes {transfer:.2f} s, decoding alone {statistics.median(bare):.2f} s")
    print(table(rounds, "seconds", "cold", [max(transfer, seconds) for seconds in bare], feed.peers))
    for temperature, key, unit in [
        ("warm", "seconds", "seconds"), ("warm", "processorSeconds", "processor seconds"),
        ("cold", "processorSeconds", "processor seconds"),
    ]:
        print(f"{temperature}, {unit}; bound: decoding alone, on all cores")
        print(table(rounds, key, temperature, [result[f"decode {temperature}"][key] for result in rounds], feed.peers))


def measure_memory(options):
    """Prints the memory after each round."""
    feed = Feed(options)
    cache = options.out / "memory-cache"
    shutil.rmtree(cache, ignore_errors=True)
    with origin(feed.images) as address:
        command = [options.feed_benchmarks, "memory", address, cache, options.images, options.rounds]
        with subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True) as process:
            for number, line in enumerate(process.stdout):
                result = json.loads(line)
                print(
                    f"round {number + 1}: resident {result['residentBytes'] / 1e6:.1f} MB, "
                    f"peak {result['peakBytes'] / 1e6:.1f} MB, {result['seconds']:.0f} s, {result['sources']}",
                    flush=True)
    shutil.rmtree(cache)
    if process.returncode:
        sys.exit(process.returncode)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("benchmarks", type=pathlib.Path)
    parser.add_argument("feed_benchmarks", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--memory", action="store_true", help="measure memory, not time")
    parser.add_argument("--images", type=int, default=1_000)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--megapixels", type=float)
    parser.add_argument("--decodes", type=int, default=os.cpu_count(), help="of this package at a time")
    parser.add_argument("--latency", type=float, default=20, help="in milliseconds")
    parser.add_argument("--megabits", type=float, default=50, help="per second")
    options = parser.parse_args()
    options.megapixels = options.megapixels or (12 if options.memory else 1.5)
    options.rounds = options.rounds or (10 if options.memory else 3)
    options.out.mkdir(parents=True, exist_ok=True)
    measure_memory(options) if options.memory else compare(options)


main()
