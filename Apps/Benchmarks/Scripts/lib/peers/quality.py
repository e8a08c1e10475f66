"""Scores thumbnails of 300 pixels with BENCH/quality.py: those of libvips, OpenCV, Qt and gdk-pixbuf once, ours in each run.

    quality.py TOOL LAB BENCH OUT

Writes OUT/quality-*.tsv with rows in the format of BENCH/quality.py: tag, file, width, height, PSNR, SSIM, SSIMULACRA2, PSNR in linear
light. The tag is the name of a peer, or imageload with its setting.
"""

import pathlib
import subprocess
import sys

FAILS = "#!/bin/sh\nexit 1\n"
C_PEERS = ["peer-gdk", "peer-imlib2", "peer-im", "peer-gm"]


def scored_lab(lab, folder):
    """Creates a lab with only the peers that have goals, because scoring is slow."""
    (folder / "venv/bin").mkdir(parents=True, exist_ok=True)
    for name in C_PEERS[1:]:
        script(folder / name, FAILS)
    script(folder / "peer-gdk", f'#!/bin/sh\nexec "{lab}/peer-gdk" "$@"\n')
    python = lab / "venv/bin/python"
    script(folder / "venv/bin/python", f'#!/bin/sh\ncase "$2" in vips|opencv|qt) exec "{python}" "$@" ;; esac\nexit 1\n')
    return folder


def empty_lab(folder):
    """Creates a lab whose peers all fail, so that only imageload is scored."""
    (folder / "venv/bin").mkdir(parents=True, exist_ok=True)
    for name in ["venv/bin/python", *C_PEERS]:
        script(folder / name, FAILS)
    return folder


def script(path, text):
    path.write_text(text)
    path.chmod(0o755)
    return path


def wrapper(path, tool, *options):
    return script(path, f'#!/bin/sh\nexec "{tool}" "$@" {" ".join(options)}\n')


def all_scans(corpus, folder):
    """Converts the progressive images to sequential files with the same coefficients: the result of decoding all scans."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in [*corpus.glob("j*_prog*"), *corpus.glob("j01_*")]:
        subprocess.run(["jpegtran", "-copy", "all", "-outfile", folder / file.name, file], check=True)
    return folder


def score(python, bench, lab, corpus, out, tag=None, tool=None):
    names = sorted({file.name.split("_")[0] for file in corpus.iterdir()})
    environment = {"PATH": "/usr/bin:/bin", "VIPS_CONCURRENCY": "1"} | ({"TOOL": str(tool)} if tool else {})
    raw = out.with_suffix(".raw")
    subprocess.run([python, bench / "quality.py", lab, corpus, raw, *names], check=True, env=environment)
    rows = [line.split("\t") for line in raw.read_text().splitlines()]
    out.write_text("".join("\t".join([tag or row[0], *row[1:]]) + "\n" for row in rows))
    raw.unlink()


def main():
    tool, lab, bench, out = (pathlib.Path(argument).resolve() for argument in sys.argv[1:5])
    out.mkdir(parents=True, exist_ok=True)
    python, corpus = lab / "venv/bin/python", lab / "qcorpus"
    if not (out / "quality-peers.tsv").exists():
        score(python, bench, scored_lab(lab, out / "lab-peers"), corpus, out / "quality-peers.tsv")
    empty = empty_lab(out / "lab-empty")
    score(python, bench, empty, corpus, out / "quality-ours.tsv", "imageload", tool)
    speed = wrapper(out / "speed", tool, "--speed")
    score(python, bench, empty, corpus, out / "quality-speed.tsv", "imageload-speed", speed)
    scans = all_scans(corpus, out / "all-scans")
    score(python, bench, empty, scans, out / "quality-scans.tsv", "imageload-all-scans", tool)


main()
