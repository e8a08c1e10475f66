"""JPEG: all subsamplings with all codings, restart markers, CMYK and all orientations, compared with djpeg bit for bit."""

import io

from PIL import Image

import netpbm
import images
from harness import Check

SAMPLINGS = {
    "444": "1x1", "422": "2x1", "440": "1x2", "420": "2x2", "411": "4x1", "410": "4x2", "441": "1x4",
    "odd": "2x2,1x2,1x2", "chroma422": "2x1,1x1,2x1", "gray": None,
}
CODINGS = {
    "baseline": ["-baseline"], "optimized": ["-optimize"], "progressive": ["-progressive"], "arithmetic": ["-arithmetic"],
    "arithmetic-progressive": ["-arithmetic", "-progressive"], "restart-rows": ["-restart", "1"],
    "restart-blocks": ["-restart", "2B", "-optimize"], "progressive-restart": ["-progressive", "-restart", "3B"],
}
SIZES = [(1, 1), (1, 23), (23, 1), (17, 9), (75, 58)]


def checks(folder):
    for width, height in SIZES:
        image = images.scene(width, height)
        for sampling, factors in SAMPLINGS.items():
            for coding, options in CODINGS.items():
                shape = ["-grayscale"] if factors is None else ["-sample", factors]
                name = f"jpeg-{sampling}-{coding}-{width}x{height}"
                data = netpbm.run("cjpeg", "-quality", "85", *shape, *options, data=netpbm.ppm(image))
                yield exact_check(folder, name, data)
    for quality in ["1", "30", "100"]:
        data = netpbm.run("cjpeg", "-quality", quality, data=netpbm.ppm(images.scene(91, 67)))
        yield exact_check(folder, f"jpeg-quality-{quality}", data)
    yield from orientation_checks(folder)
    yield from cmyk_checks(folder)


def exact_check(folder, name, data):
    file = folder / f"{name}.jpg"
    file.write_bytes(data)
    return Check(name, file, lambda: netpbm.decoded("djpeg", "-pnm", file), facts={"format": "jpeg", "hasAlpha": False})


def orientation_checks(folder):
    """Yields checks of Exif in both byte orders, with sizes that no sampling factor divides, and with a smaller target."""
    for orientation in range(1, 9):
        for is_little in [True, False]:
            image = images.scene(53, 38, orientation)
            data = netpbm.run("cjpeg", "-quality", "90", "-sample", "2x2", data=netpbm.ppm(image))
            file = folder / f"jpeg-orientation-{orientation}-{'little' if is_little else 'big'}.jpg"
            file.write_bytes(with_exif(data, images.exif(orientation, is_little)))

            def expected(file=file, orientation=orientation):
                return images.oriented(netpbm.decoded("djpeg", "-pnm", file), orientation)

            yield Check(file.stem, file, expected, facts={"orientation": orientation})


def with_exif(jpeg, tiff):
    """Returns the file with an APP1 segment inserted after SOI."""
    body = b"Exif\0\0" + tiff
    return jpeg[:2] + b"\xff\xe1" + (len(body) + 2).to_bytes(2, "big") + body + jpeg[2:]


def cmyk_checks(folder):
    """Yields checks of inverted CMYK as Adobe writes it, of the same data without Adobe's segment, and as YCCK. djpeg converts them to RGB."""
    for width, height in [(1, 1), (17, 9), (75, 58)]:
        for sampling in [0, 1, 2]:
            for is_progressive in [False, True]:
                image = Image.fromarray(images.opaque(images.scene(width, height))).convert("CMYK")
                stream = io.BytesIO()
                image.save(stream, "JPEG", quality=90, subsampling=sampling, progressive=is_progressive)
                coding = "progressive" if is_progressive else "baseline"
                for transform, model in [(0, "cmyk"), (2, "ycck"), (None, "cmyk-unmarked")]:
                    name = f"jpeg-{model}-{sampling}-{coding}-{width}x{height}"
                    check = exact_check(folder, name, with_transform(stream.getvalue(), transform))
                    check.tolerance = 1  # rounding of the conversion to RGB
                    yield check


def with_transform(jpeg, transform):
    """Returns the file with this transform number in its Adobe segment (APP14), which defines the color model. None removes it."""
    at = jpeg.index(b"\xff\xee\x00\x0eAdobe")
    if transform is None:
        return jpeg[:at] + jpeg[at + 16:]
    return jpeg[:at + 15] + bytes([transform]) + jpeg[at + 16:]
