"""WebP: lossy, lossless and alpha compared with dwebp; animations with Pillow (WebPAnimDecoder), or with exact composition."""

import numpy
from PIL import Image

import gif_cases
import netpbm
import images
from harness import Check

SIZES = [(1, 1), (1, 19), (19, 1), (17, 9), (75, 58), (130, 131)]
CODINGS = {
    "lossy-20": ["-q", "20"], "lossy-80": ["-q", "80"], "lossy-sharp": ["-q", "75", "-sharp_yuv"],
    "lossy-plain": ["-q", "60", "-f", "0", "-segments", "1"], "lossy-strong": ["-q", "40", "-f", "100", "-strong"],
    "lossy-simple": ["-q", "50", "-nostrong", "-f", "60"], "lossy-partitions": ["-q", "70", "-partition_limit", "80"],
    "lossless": ["-lossless"], "lossless-exact": ["-lossless", "-exact"], "lossless-fast": ["-lossless", "-z", "0"],
    "near-lossless": ["-near_lossless", "40"],
}


def checks(folder):
    for width, height in SIZES:
        for is_opaque in [True, False]:
            image = images.scene(width, height)
            source = folder / "source.pam"
            source.write_bytes(netpbm.pam(images.opaque(image) if is_opaque else image))
            for coding, options in CODINGS.items():
                name = f"webp-{coding}{'' if is_opaque else '-alpha'}-{width}x{height}"
                file = folder / f"{name}.webp"
                netpbm.run("cwebp", "-quiet", *options, source, "-o", file)
                yield Check(name, file, lambda file=file: dwebp(file), facts={"format": "webp", "frames": 1})
    yield from alphas(folder)
    yield from orientation_checks(folder)
    yield from converted(folder)
    yield from composed(folder)


def dwebp(file):
    return netpbm.decoded("dwebp", "-quiet", "-pam", file, "-o", "-")


def alphas(folder):
    """Yields checks of raw and compressed alpha planes, with each filter, exact and quantized."""
    source = folder / "source.pam"
    source.write_bytes(netpbm.pam(images.scene(67, 45)))
    for method in ["0", "1"]:
        for kind in ["none", "fast", "best"]:
            for quality in ["100", "30"]:
                name = f"webp-alpha-{method}-{kind}-{quality}"
                file = folder / f"{name}.webp"
                netpbm.run(
                    "cwebp", "-quiet", "-alpha_method", method, "-alpha_filter", kind, "-alpha_q", quality, source, "-o", file)
                yield Check(name, file, lambda file=file: dwebp(file), facts={"hasAlpha": True})


def orientation_checks(folder):
    source, plain, tiff = folder / "source.pam", folder / "plain.webp", folder / "exif"
    for orientation in range(1, 9):
        source.write_bytes(netpbm.pam(images.opaque(images.scene(53, 38, orientation))))
        netpbm.run("cwebp", "-quiet", "-q", "80", source, "-o", plain)
        tiff.write_bytes(images.exif(orientation, orientation % 2 == 0))
        file = folder / f"webp-orientation-{orientation}.webp"
        netpbm.run("webpmux", "-set", "exif", tiff, plain, "-o", file)

        def expected(file=file, orientation=orientation):
            return images.oriented(dwebp(file), orientation)

        yield Check(file.stem, file, expected, facts={"orientation": orientation})


def converted(folder):
    """Yields checks of GIFs converted with gif2webp, lossless, lossy and mixed, compared with Pillow."""
    for name, animation in gif_cases.animations().items():
        if not name.startswith("within"):  # gif2webp rejects frames beyond the screen
            continue
        gif = folder / f"{name}.gif"
        gif.write_bytes(gif_cases.encoded(animation))
        for coding in [[], ["-lossy", "-q", "60"], ["-mixed"], ["-kmin", "1", "-kmax", "2"]]:
            file = folder / f"webp-of-{gif.stem}{''.join(coding)}.webp"
            netpbm.run("gif2webp", "-quiet", *coding, gif, "-o", file)
            with Image.open(file) as animation:
                frames = []
                for number in range(getattr(animation, "n_frames", 1)):
                    animation.seek(number)
                    frames.append(numpy.asarray(animation.convert("RGBA")))
            yield from each(file, frames)


def each(file, frames, **facts):
    for number, canvas in enumerate(frames):
        yield Check(
            f"{file.stem}, frame {number}", file, lambda canvas=canvas: canvas, options=["--frame", str(number)],
            compares_hidden_colors=False, facts={"format": "webp", "frames": len(frames), **facts})


def composed(folder):
    """Yields checks of each disposal with each blending. Pixels are opaque or transparent, so that blending is exact."""
    places = [(0, 0, 40, 30), (4, 6, 11, 9), (20, 10, 20, 20), (0, 12, 40, 5), (10, 2, 1, 1), (6, 6, 20, 16)]
    for order, disposals in {"keep": [0], "clear": [1], "by-turns": [0, 1, 1]}.items():
        for blends in [[True], [False], [True, False, False, True]]:
            arguments, frames, screen, cleared = [], [], numpy.zeros((30, 40, 4), int), None
            for number, (x, y, width, height) in enumerate(places):
                pixels = images.scene(width, height, number)
                pixels[..., 3] = numpy.where(images.noise(width, height, number) < 0.6, 255, 0)
                piece = folder / f"piece-{order}-{len(blends)}-{blends[0]}-{number}.webp"
                encode(pixels, piece, folder)
                dispose, blend = disposals[number % len(disposals)], blends[number % len(blends)]
                arguments += ["-frame", piece, f"+{50 + number}+{x}+{y}+{dispose}{'+b' if blend else '-b'}"]
                if cleared is not None:
                    cleared[...] = 0
                area = screen[y:y + height, x:x + width]
                is_seen = (pixels[..., 3] > 0) | (not blend)
                area[is_seen] = pixels[is_seen]
                frames.append(screen.copy())
                cleared = area if dispose else None
            file = folder / f"webp-frames-{order}-{'-'.join('blend' if blend else 'replace' for blend in blends)}.webp"
            netpbm.run("webpmux", *arguments, "-loop", "3", "-bgcolor", "255,10,200,30", "-o", file)
            yield from each(file, frames, delays=[50 + number for number in range(len(places))], loopCount=3)


def encode(pixels, file, folder):
    source = folder / "source.pam"
    source.write_bytes(netpbm.pam(pixels))
    netpbm.run("cwebp", "-quiet", "-lossless", "-exact", source, "-o", file)
