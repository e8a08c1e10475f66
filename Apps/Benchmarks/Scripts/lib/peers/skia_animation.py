"""skia_animation.py FILE OUT.tsv MS: measures the processor time of decoding all frames of an animation in order with Skia."""

import os
import statistics
import sys
import time

import numpy
import skia


def decode(data):
    codec = skia.Codec.MakeFromData(skia.Data.MakeWithoutCopy(data))
    width, height = codec.getInfo().width(), codec.getInfo().height()
    pixels = numpy.zeros((height, width, 4), numpy.uint8)
    info = skia.ImageInfo.Make(width, height, skia.kRGBA_8888_ColorType, skia.kUnpremul_AlphaType)
    for index in range(codec.getFrameCount()):
        options = skia.Codec.Options()
        options.fFrameIndex = index
        options.fPriorFrame = index - 1  # the pixels still contain this frame
        if codec.getPixels(info, pixels, width * 4, options) != skia.Codec.kSuccess:
            options.fPriorFrame = skia.Codec.kNoFrame  # this frame depends on another one
            codec.getPixels(info, pixels, width * 4, options)
    return width, height


def main():
    file, out, budget = sys.argv[1], sys.argv[2], float(sys.argv[3])
    with open(file, "rb") as stream:
        data = stream.read()
    width, height = decode(data)
    times = []
    while len(times) < 3 or sum(times) < budget:
        start = time.process_time_ns()
        decode(data)
        times.append((time.process_time_ns() - start) / 1e6)
    row = [f"skia-m{skia.__version__}", "full", os.path.basename(file), width, height, len(times)]
    row += [round(min(times), 4), round(statistics.median(times), 4), 0]
    with open(out, "a") as rows:
        rows.write("\t".join(map(str, row)) + "\n")


main()
