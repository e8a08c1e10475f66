"""goals.py ROWS.tsv QUALITY_FOLDER [--images]: compares the results of measure.py and quality.py with the goals.

Ratios are geometric means over the images of the ratio of minimum times. Below 1.00, imageload is faster.
"""

import argparse
import collections
import math
import pathlib

VIPS, DEBIAN_VIPS = "vips-8.18", "vips-8.14"
MIB = 1024


class Times:
    def __init__(self, path):
        self.best, self.added = {}, collections.defaultdict(int)
        for line in path.read_text().splitlines():
            contender, task, file, _, _, _, best, _, added = line.split("\t")
            key = (self.short(contender), task, file)
            self.best[key] = min(self.best.get(key, math.inf), float(best))
            self.added[key] = max(self.added[key], int(added))
        self.files = sorted({file for _, _, file in self.best})

    @staticmethod
    def short(contender):
        return contender if contender.startswith("vips") else contender.split("-")[0] if contender[0] in "opqs" else contender

    def ratios(self, against, task, files, ours="imageload"):
        pairs = [(file, self.best.get((ours, task, file)), self.best.get((against, task, file))) for file in files]
        return {file: mine / theirs for file, mine, theirs in pairs if mine and theirs}

    def mean(self, against, task, files, ours="imageload"):
        values = list(self.ratios(against, task, files, ours).values())
        return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan

    def worst(self, against, task, files):
        return max(self.ratios(against, task, files).values(), default=math.nan)


class Quality:
    def __init__(self, folder):
        self.psnr, self.ssim = {}, {}
        for path in sorted(folder.glob("quality-*.tsv")):
            for line in path.read_text().splitlines():
                contender, file, _, _, psnr, ssim, _, _ = line.split("\t")
                self.psnr[contender, file], self.ssim[contender, file] = float(psnr), float(ssim)
        self.files = sorted({file for contender, file in self.psnr if contender == "imageload"})

    def margin(self, scores, ours, theirs, files):
        """Returns the least difference of our score and theirs over the files, and the file."""
        found = [(scores[ours, file] - scores[theirs, file], file) for file in files if (theirs, file) in scores]
        return min(found) if found else (math.nan, "")

    def least(self, scores, ours, files):
        return min((scores[ours, file] for file in files), default=math.nan)

    def mean(self, scores, contender, files):
        values = [scores[contender, file] for file in files if (contender, file) in scores]
        return sum(values) / len(values) if values else math.nan


class Table:
    def __init__(self):
        self.lines, self.missed = [], 0

    def below(self, goal, what, value, limit):
        self.row(goal, what, f"{value:.2f}", f"<= {limit:.2f}", value <= limit + 0.005)

    def above(self, goal, what, value, limit, digits=1):
        self.row(goal, what, f"{value:.{digits}f}", f">= {limit:.{digits}f}", value >= limit)

    def row(self, goal, what, value, limit, is_met):
        self.missed += not is_met
        self.lines.append(f"| {goal} | {what} | {value} | {limit} | {'met' if is_met else '**missed**'} |")

    def text(self):
        return "\n".join(["| goal | what | ours | limit | |", "|---|---|---|---|---|", *self.lines])


def is_progressive(file):
    """Returns whether the file is progressive: by its name, or the one exception."""
    return "_prog" in file or file == "j01_garden.jpg"


def kinds(files):
    return {
        "baseline": [file for file in files if file[0] == "j" and not is_progressive(file)],
        "progressive": [file for file in files if file[0] == "j" and is_progressive(file)],
        "png": [file for file in files if file[0] == "p"],
        "lossy": [file for file in files if file[0] == "w" and "lossy" in file],
        "webp": [file for file in files if file[0] == "w"],
        "gif": [file for file in files if file[0] == "g"],
        "animation": [file for file in files if file[0] == "a"],
        "avif": [file for file in files if file[0] == "v"],
    }


def jpeg(table, times, quality, of, scored):
    baseline, progressive = of["baseline"], of["progressive"]
    for against, limit in [(VIPS, 0.75), (DEBIAN_VIPS, 0.70)]:
        table.below(1, f"JPEG to 300 px, of {against}'s time", times.mean(against, "fit300", baseline), limit)
    worst, file = quality.margin(quality.ssim, "imageload", VIPS, scored["baseline"])
    table.above(1, f"SSIM less {VIPS}'s, worst image ({file})", worst, 0, 4)
    worst, file = quality.margin(quality.psnr, "imageload", VIPS, scored["baseline"])
    table.above(1, f"PSNR less {VIPS}'s, worst image ({file}), dB", worst, -0.1, 2)
    for against in ["opencv", "qt", "gdk-pixbuf"]:
        ratio = times.mean(against, "fit300", baseline, "imageload-speed")
        table.below(2, f"JPEG to 300 px for speed, of {against}'s time", ratio, 1)
        tag = against.split("-")[0]
        gain = quality.mean(quality.psnr, "imageload-speed", scored["baseline"]) - quality.mean(
            quality.psnr, tag, scored["baseline"])
        table.above(2, f"mean PSNR above {against}'s, dB", gain, 4)
    for against, limit in [(VIPS, 0.85), (DEBIAN_VIPS, 0.50), ("pillow", 0.50), ("skia", 0.50)]:
        table.below(3, f"JPEG to 1080 px, of {against}'s time", times.mean(against, "w1080", baseline), limit)
    for against, limit in [("floor:jpeg-rgba-reuse", 1.08), (VIPS, 0.70), ("opencv", 0.60), ("skia", 0.55)]:
        table.below(4, f"JPEG in full, of {against}'s time", times.mean(against, "full", baseline), limit)
    table.below(5, f"progressive to 300 px, of {VIPS}'s time", times.mean(VIPS, "fit300", progressive), 0.60)
    worst, file = quality.margin(quality.ssim, "imageload", "imageload-all-scans", scored["progressive"])
    table.above(5, f"SSIM less that of all scans, worst image ({file})", worst, -0.0005, 4)
    ratio = times.mean(VIPS, "fit300", progressive, "imageload-speed")
    table.below(5, f"progressive to 300 px for speed, of {VIPS}'s time", ratio, 0.25)
    mean = quality.mean(quality.ssim, "imageload-speed", scored["progressive"])
    table.above(5, "SSIM for speed, mean", mean, 0.996, 4)


def others(table, times, quality, of, scored):
    png, lossy, webp = of["png"], of["lossy"], of["webp"]
    for against, limit in [("floor:png-rgba-reuse", 0.60), (VIPS, 0.75), ("pillow", 0.80), ("opencv", 0.80), ("qt", 0.80)]:
        table.below(6, f"PNG in full, of {against}'s time", times.mean(against, "full", png), limit)
    for against, limit in [(DEBIAN_VIPS, 0.75), (VIPS, 0.95)]:
        table.below(7, f"PNG to 300 px, of {against}'s time", times.mean(against, "fit300", png), limit)
    for against, limit in [("floor:webp-rgba", 1.10), (VIPS, 0.90)]:
        table.below(8, f"lossy WebP to 300 px, of {against}'s time", times.mean(against, "fit300", lossy), limit)
    least = quality.least(quality.ssim, "imageload", scored["lossy"])
    table.above(8, "lossy WebP to 300 px: SSIM, worst image", least, 0.998, 4)
    for against, limit in [("floor:webp-rgba-reuse", 1.05), (VIPS, 0.55)]:
        table.below(9, f"lossy WebP in full, of {against}'s time", times.mean(against, "full", lossy), limit)
    lossless = [file for file in webp if file not in lossy]
    ratio = times.mean("floor:webp-rgba-reuse", "full", lossless)
    table.below(9, "the other WebPs in full, of floor:webp-rgba-reuse's time", ratio, 1.05)
    ratio = times.mean("floor:webpanim", "full", of["animation"])
    table.below(9, "animated WebP, all frames, of WebPAnimDecoder's time", ratio, 1.05)
    table.below(9, "the same, worst image", times.worst("floor:webpanim", "full", of["animation"]), 1.15)
    table.below(10, "GIF, all frames, of giflib's time", times.mean("floor:gif", "full", of["gif"]), 0.35)
    table.below(10, "the same, worst image", times.worst("floor:gif", "full", of["gif"]), 0.45)
    table.below(10, "GIF, all frames, of skia's time", times.mean("skia", "full", of["gif"]), 1)
    table.below(12, f"AVIF to 300 px, of {VIPS}'s time", times.mean(VIPS, "fit300", of["avif"]), 0.90)


def memory(table, times):
    """Adds the memory goals: 5 MiB for a thumbnail, and 1.1 times the pixel bytes for the full size, in new processes."""
    for name, pixels in [("j12_", 4032 * 3024), ("j10_", 6000 * 4000), ("p03_", 5120 * 2880), ("p02_", 5120 * 2880)]:
        for file in times.files:
            if file.startswith(name):
                small = times.added["imageload", "fit300", file] / MIB
                table.below(11, f"{file} to 300 px adds, MiB", small, 5)
                full = times.added["imageload", "full", file] * 1024 / (pixels * 4)
                table.below(11, f"{file} in full, of its pixels' bytes", full, 1.1)


def images(times, quality, of):
    """Returns the ratios of each image, to find the cause of a missed mean."""
    columns = [
        ("fit300", VIPS, "imageload"), ("fit300", DEBIAN_VIPS, "imageload"), ("fit300", "opencv", "imageload-speed"),
        ("fit300", VIPS, "imageload-speed"), ("fit300", "floor:webp-rgba", "imageload"), ("w1080", VIPS, "imageload"),
        ("full", VIPS, "imageload"),
    ]
    heads = [f"{task}{' speed' if ours.endswith('speed') else ''} / {against}" for task, against, ours in columns]
    lines = ["| image | " + " | ".join(heads) + " | full / floor |", "|---" * (len(columns) + 2) + "|"]
    for file in times.files:
        floors = [against for against, task, of_file in times.best if task == "full" and of_file == file]
        floors = [against for against in floors if against.startswith("floor:")]
        pairs = [times.ratios(against, task, [file], ours) for task, against, ours in columns]
        pairs.append(times.ratios(floors[0], "full", [file]) if floors else {})
        lines.append(f"| {file} | " + " | ".join(f"{pair[file]:.2f}" if pair else "" for pair in pairs) + " |")
    lines += ["", f"| image | PSNR ours, speed, {VIPS} | SSIM ours, speed, all scans, {VIPS} |", "|---|---|---|"]
    for file in quality.files:
        psnr = [quality.psnr.get((contender, file)) for contender in ["imageload", "imageload-speed", VIPS]]
        ssim = [quality.ssim.get((contender, file)) for contender in ["imageload", "imageload-speed", "imageload-all-scans", VIPS]]
        cells = [", ".join(f"{value:.{digits}f}" if value else "-" for value in row) for row, digits in [(psnr, 2), (ssim, 5)]]
        lines.append(f"| {file} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", type=pathlib.Path)
    parser.add_argument("quality", type=pathlib.Path)
    parser.add_argument("--images", action="store_true", help="also print the results of each image")
    arguments = parser.parse_args()
    times, quality, table = Times(arguments.rows), Quality(arguments.quality), Table()
    of, scored = kinds(times.files), kinds(quality.files)
    jpeg(table, times, quality, of, scored)
    others(table, times, quality, of, scored)
    memory(table, times)
    print(table.text())
    print(f"\n{len(table.lines) - table.missed} met, {table.missed} missed; {len(times.files)} images")
    if arguments.images:
        print("\n" + images(times, quality, of))


main()
