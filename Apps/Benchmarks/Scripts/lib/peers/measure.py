"""Runs imageload, the bare C libraries and the peers on one image after another, so that compared times are measured close together.

    measure.py TOOL LAB BENCH OUT.tsv [--passes N] [--ms N] [--only j04,p05]

LAB is a folder created by BENCH/setup.sh. Rows have the format of BENCH/peers.py: contender, task, file, width, height, iterations,
best ms, median ms (for imageload, the best again), added KiB. All contenders run equally often and equally long.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

BOX = {"full": [], "fit300": ["--size", "300x300"], "w1080": ["--size", "1080x65535"]}
FLOOR_BOX = {"full": ("0", "0"), "fit300": ("300", "300"), "w1080": ("1080", "0")}
OURS = {"imageload": [], "imageload-speed": ["--speed"]}
HERE = pathlib.Path(__file__).parent


def contenders(name):
    """Returns the contenders for an image, by task: a name of OURS, floor:MODE, or a peer."""
    kind = "prog" if name[0] == "j" and "_prog" in name else name[0]
    return {
        "j": {
            "fit300": ["imageload", "imageload-speed", "floor:jpeg-rgba-pow2", "vips", "vips-debian", "opencv", "qt", "gdk"],
            "w1080": ["imageload", "floor:jpeg-rgba-pow2", "vips", "vips-debian", "pillow", "skia"],
            "full": ["imageload", "floor:jpeg-rgba-reuse", "vips", "opencv", "skia"],
        },
        "prog": {
            "fit300": ["imageload", "imageload-speed", "floor:jpeg-rgba-pow2", "vips"],
            "full": ["imageload", "floor:jpeg-rgba-reuse", "vips"],
        },
        "p": {
            "fit300": ["imageload", "vips", "vips-debian"],
            "full": ["imageload", "floor:png-rgba-reuse", "vips", "pillow", "opencv", "qt"],
        },
        "w": {
            "fit300": ["imageload", "floor:webp-rgba", "vips"],
            "full": ["imageload", "floor:webp-rgba-reuse", "vips"],
        },
        "g": {"full": ["imageload", "floor:gif", "skia-animation"]},
        "a": {"full": ["imageload", "floor:webpanim"]},
        # The build of libvips on PyPI has no HEIC and no JPEG XL.
        "v": {"fit300": ["imageload", "vips"], "full": ["imageload", "vips"]},
    }[kind]


class Runner:
    def __init__(self, tool, lab, bench, out, ms):
        self.tool, self.lab, self.bench, self.out, self.ms = tool, lab, bench, out, str(ms)
        self.environment = dict(os.environ, VIPS_CONCURRENCY="1", MAGICK_THREAD_LIMIT="1", OMP_NUM_THREADS="1")

    def run(self, contender, task, file):
        if contender in OURS:
            self.ours(contender, task, file)
        elif contender.startswith("floor:"):
            mode = contender.removeprefix("floor:")
            row = self.output([self.lab / "floor", mode, *FLOOR_BOX[task], file, self.ms]).split("\t")
            self.write([contender, task, *row[1:7], "0"])
        elif contender == "gdk":
            row = self.output([self.lab / "peer-gdk", task, file, self.ms]).rstrip("\n").split("\t")
            self.write(["gdk-pixbuf", *row])
        elif contender == "skia-animation":
            self.python("venv", HERE / "skia_animation.py", file, self.out, self.ms)
        else:
            venv, peer = ("venv_sysvips", "vips") if contender == "vips-debian" else ("venv", contender)
            self.python(venv, self.bench / "peers.py", peer, task, self.out, file, "--ms", self.ms)

    def ours(self, contender, task, file):
        command = [self.tool, "bench", "decode", file, *BOX[task], *OURS[contender], "--json"]
        report = json.loads(self.output(command))
        keys = ["width", "height", "iterations", "cpuMs", "cpuMs"]
        self.write([contender, task, file.name, *(str(report[key]) for key in keys), str(report["peakBytes"] // 1024)])

    def output(self, command):
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
        return done.stdout

    def python(self, venv, *command):
        self.output([self.lab / venv / "bin/python", *map(str, command)])

    def write(self, columns):
        with open(self.out, "a") as rows:
            rows.write("\t".join(columns) + "\n")


def avif_files(tool, images, folder):
    """Encodes the first JPEGs as AVIF, and returns the files."""
    for number, image in enumerate(images[:3], start=1):
        if not list(folder.glob(f"v{number:02}_*")):
            command = [tool, "fetch", image, "--policy", "none", "--format", "avif", "--output", folder]
            subprocess.run(command, check=True, capture_output=True)
            (folder / f"{image.stem}.avif").rename(folder / f"v{number:02}_{image.stem}.avif")
    return sorted(folder.glob("v[0-9]*"))


def main():
    parser = argparse.ArgumentParser()
    for name in ["tool", "lab", "bench", "out"]:
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--ms", type=int, default=400)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    only = [name for name in arguments.only.split(",") if name]
    files = sorted((arguments.lab / "perfcorpus").glob("[jpwga][0-9]*"))
    files += avif_files(arguments.tool, [file for file in files if file.name[0] == "j"], arguments.out.parent)
    files = [file for file in files if not only or file.name.split("_")[0] in only]
    runner = Runner(arguments.tool, arguments.lab, arguments.bench, arguments.out, arguments.ms)
    for number in range(arguments.passes):
        for file in files:
            print(f"pass {number + 1} of {arguments.passes}: {file.name}", file=sys.stderr)
            for task, names in contenders(file.name).items():
                for contender in names:
                    runner.run(contender, task, file)


main()
