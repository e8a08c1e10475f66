"""Images of unusual sizes and forms: incomplete and damaged profiles, alpha, gray, tiny images, animations, and images that are decoded to
a smaller size."""

import struct

import numpy

import files
import hdr
import icc
import scenes
from cases import PQ_PEAK, Case, profile, signal
from spaces import SPACES

TINY = [(1, 1), (2, 1), (1, 3), (5, 4)]


def all_cases(folder):
    yield from profiles(folder)
    yield from unknown_code_points(folder)
    yield from alpha(folder)
    yield from grays(folder)
    yield from tiny(folder)
    yield from animations(folder)


def profiles(folder):
    """Yields images with a profile that lacks tags. Without an essential one, or if it is damaged, the image is as without a profile."""
    p3, srgb = SPACES["p3"], icc.matrix_profile(SPACES["srgb"])
    whole = icc.matrix_profile(p3)
    for name, data, is_usable in [
            ("without texts", icc.matrix_profile(p3, omit=("desc", "cprt")), True),
            ("without wtpt and chad", icc.matrix_profile(p3, omit=("wtpt", "chad")), True),
            ("without bTRC", icc.matrix_profile(p3, omit=("bTRC",)), False),
            ("without rXYZ", icc.matrix_profile(p3, omit=("rXYZ",)), False),
            ("cut short", whole[:300], False), ("garbage", bytes(range(256)) * 2, False), ("of CMYK", icc.cmyk_profile(), False)]:
        for format, options in [("png", None), ("jpg", {"quality": 98, "subsampling": 0}), ("webp", {"lossless": True})]:
            file = folder / f"{format}-{name.replace(' ', '-')}.{format}"
            if format == "png":
                written = files.write_png(file, scenes.chart(), 8, [files.profile_chunk(data)])
                values = lambda written=written: written
            else:
                values = files.write_pillow(file, scenes.chart(), icc_profile=data, **options)
            yield Case(f"{format} icc p3 {name}", file, values, whole if is_usable else srgb, "p3" if is_usable else "srgb")


def unknown_code_points(folder):
    """Yields images whose code points are unspecified (2), reserved or unknown, which count as sRGB."""
    srgb = icc.matrix_profile(SPACES["srgb"])
    for format, write in [("avif", files.write_avif), ("heic", files.write_heic)]:
        template = folder / f"code-points.{format}"
        values = write(template, scenes.chart(), 8, nclx=(1, 13, 0))
        data = template.read_bytes()
        start = data.index(b"colrnclx") + 8
        for primaries, transfer in [(2, 2), (1, 2), (0, 0), (1, 3), (3, 13), (200, 13), (1, 250)]:
            file = folder / f"{format}-code-points-{primaries}-{transfer}.{format}"
            file.write_bytes(data[:start] + struct.pack(">2H", primaries, transfer) + data[start + 4:])
            yield Case(f"{format} nclx {primaries}/{transfer}", file, values, srgb, "srgb")


def translucent(values):
    """Returns the values with an alpha channel that grows from left to right, and starts and ends with a margin."""
    alpha = numpy.clip(numpy.linspace(-0.1, 1.2, values.shape[1]), 0, 1)[None, :, None]
    return numpy.concatenate([values, numpy.broadcast_to(alpha, (*values.shape[:2], 1))], axis=2)


def alpha(folder):
    data, automatic = profile("p3")
    pq = hdr.Conversion("pq", SPACES["bt2020"])
    chart, bright = translucent(scenes.chart()), translucent(signal("pq"))
    for name, meaning, write in [
            ("png pq", pq, lambda file: files.constant(files.write_png(file, bright, 16, [files.cicp(9, 16)]))),
            ("webp p3", data, lambda file: files.write_pillow(file, chart, lossless=True, exact=True, icc_profile=data)),
            ("avif p3", data, lambda file: files.write_avif(file, chart, 10, nclx=(12, 13, 0))),
            ("avif pq", pq, lambda file: files.write_avif(file, bright, 10, nclx=(9, 16, 0))),
            ("heic p3", data, lambda file: files.write_heic(file, chart, 8, nclx=(12, 13, 0), quality=-1)),
            ("heic pq", pq, lambda file: files.write_heic(file, bright, 10, nclx=(9, 16, 0), quality=-1)),
            ("jxl p3", data, lambda file: files.write_jxl(file, chart, 8, "RGB_D65_DCI_Rel_SRG")),
            ("jxl pq", pq, lambda file: files.write_jxl(file, bright, 16, "RGB_D65_202_Rel_PeQ", options=["--intensity_target=1000"]))]:
        file = folder / f"alpha-{name.replace(' ', '-')}.{name.split()[0]}"
        decoded = write(file)
        yield Case(
            f"{name} alpha", file, lambda decoded=decoded: decoded()[..., :3], meaning, automatic, alpha=numpy.floor(bright[..., 3] * 255))


def grays(folder):
    """Yields gray images in the formats that store them as such."""
    gray, linear = scenes.gray()[..., :1], icc.gray_profile(1.0)
    pq = hdr.Conversion("pq", SPACES["bt2020"])
    for name, meaning, write in [
            ("gray.png", pq, lambda file: files.constant(files.write_png(file, PQ_PEAK * gray, 16, [files.cicp(9, 16)]))),
            ("gray.avif", pq, lambda file: files.write_avif(file, PQ_PEAK * scenes.gray(), 10, nclx=(9, 16, 9), sampling="400")),
            ("gray.heic", pq, lambda file: files.write_heic(file, PQ_PEAK * gray, 10, nclx=(9, 16, 9), quality=-1, sampling=None)),
            ("gray.jxl", pq, lambda file: files.write_jxl(file, PQ_PEAK * gray, 16, "Gra_D65_Rel_PeQ")),
            ("gray-linear.png", linear, lambda file: files.constant(files.write_png(file, gray, 16, [files.profile_chunk(linear)]))),
            ("gray-linear.jpg", linear, lambda file: files.write_pillow(file, gray, quality=98, icc_profile=linear))]:
        file = folder / name
        values = write(file)
        yield Case(f"{name.replace('.', ' ')} {'pq' if meaning is pq else 'icc'}", file, values, meaning, None if meaning is pq else "srgb")


def tiny(folder):
    data, automatic = profile("p3")
    pq, hlg = (hdr.Conversion(transfer, SPACES["bt2020"]) for transfer in ("pq", "hlg"))
    for width, height in TINY:
        chart = numpy.resize(scenes.saturated()[2:], (height, width, 3))
        for name, meaning, write in [
                ("jpg", data, lambda file: files.write_pillow(file, chart, quality=98, subsampling=0, icc_profile=data)),
                ("webp", data, lambda file: files.write_pillow(file, chart, lossless=True, icc_profile=data)),
                ("png", pq, lambda file: files.constant(files.write_png(file, PQ_PEAK * chart, 16, [files.cicp(9, 16)]))),
                ("avif", pq, lambda file: files.write_avif(file, PQ_PEAK * chart, 10, nclx=(9, 16, 0))),
                ("heic", hlg, lambda file: files.write_heic(file, chart, 10, nclx=(9, 18, 0), quality=-1)),
                ("jxl", hlg, lambda file: files.write_jxl(file, chart, 16, "RGB_D65_202_Rel_HLG"))]:
            file = folder / f"tiny-{name}-{width}x{height}.{name}"
            yield Case(f"{name} {width}x{height}", file, write(file), meaning, automatic)


def animations(folder):
    """Yields animations, of which the first frame is compared."""
    second, file = folder / "second-frame.png", folder / "animation-pq.avif"
    files.write_png(second, signal("pq")[::-1], 16)
    files.write_avif(file, signal("pq"), 10, nclx=(9, 16, 0), more_frames=[second])
    yield Case("avif animation pq", file, files.constant(numpy.rint(signal("pq") * 1023) / 1023), hdr.Conversion("pq", SPACES["bt2020"]), "p3")
    data, automatic = profile("p3")
    frames = [files.image(values) for values in (scenes.chart(), scenes.chart()[::-1])]
    for format, options in [("webp", {"lossless": True}), ("png", {}), ("avif", {"quality": 100, "subsampling": "4:4:4"})]:
        file = folder / f"animation-{format}.{format}"
        frames[0].save(file, save_all=True, append_images=frames[1:], duration=80, icc_profile=data, **options)
        yield Case(f"{format} animation icc p3", file, lambda file=file: files.decoded_by_pillow(file)[..., :3], data, automatic)


def resized(folder):
    """Yields large images, and what they are at a quarter of their size."""
    data, automatic = profile("p3")
    scene = scenes.smooth()
    small = scene.reshape(88, 4, 120, 4, 3).mean(axis=(1, 3))
    pq, hlg = (hdr.Conversion(transfer, SPACES["bt2020"]) for transfer in ("pq", "hlg"))
    for name, meaning, factor, write in [
            ("jpg", data, 1, lambda file: files.write_pillow(file, scene, quality=98, subsampling=0, icc_profile=data)),
            ("png", data, 1, lambda file: files.write_png(file, scene, 8, [files.profile_chunk(data)])),
            ("webp", data, 1, lambda file: files.write_pillow(file, scene, lossless=True, icc_profile=data)),
            ("avif", pq, PQ_PEAK, lambda file: files.write_avif(file, PQ_PEAK * scene, 10, nclx=(9, 16, 9))),
            ("heic", pq, PQ_PEAK, lambda file: files.write_heic(file, PQ_PEAK * scene, 10, nclx=(9, 16, 0), quality=-1)),
            ("jxl", hlg, 1, lambda file: files.write_jxl(file, scene, 16, "RGB_D65_202_Rel_HLG"))]:
        file = folder / f"resized-{name}.{name}"
        write(file)
        yield Case(f"{name} resized", file, files.constant(factor * small), meaning, automatic)
