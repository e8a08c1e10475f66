"""The test images: each kind of color description in each format that has it."""

import dataclasses
import pathlib
from collections.abc import Callable

import numpy

import files
import hdr
import icc
import scenes
import spaces
from spaces import SPACES


@dataclasses.dataclass
class Case:
    """A file, and how to interpret it."""

    name: str
    file: pathlib.Path
    #: Decodes the file independently of the library: values of 0 to 1 in its color space, with 1, 3 or 4 (CMYK) channels.
    values: Callable[[], numpy.ndarray]
    #: What the values mean: a profile, or a conversion from high dynamic range.
    meaning: bytes | hdr.Conversion
    #: The space that `auto` must choose. None if the gamut is about as large as sRGB.
    automatic: str | None
    #: Whether libvips can decode the file and find its profile.
    is_for_libvips: bool = False
    #: Opacity of 0 to 1. Colors of transparent pixels aren't compared.
    alpha: numpy.ndarray | None = None


PQ_PEAK = hdr.pq_signal(hdr.USUAL_PEAK)
#: Profiles of matrices, by name: the space, and how its curve is stored.
PROFILES = {
    "p3": ("p3", {}), "p3-table-curve": ("p3", {"version": 2, "curve": "table"}),
    "p3-gamma-2.2": ("gamma-2.2-p3", {"version": 2, "curve": 2.2}),
    "p3-linear": ("linear-p3", {"version": 2, "curve": 1.0}), "adobe": ("adobe", {"version": 2, "curve": 563 / 256}),
    "prophoto": ("prophoto", {}), "prophoto-gamma-1.8": ("prophoto", {"version": 2, "curve": 1.8}), "bt2020": ("bt2020", {}),
    "gamma-1.8": ("gamma-1.8", {"version": 2, "curve": 1.8}), "srgb": ("srgb", {}),
    "srgb-table-curve": ("srgb", {"version": 2, "curve": "table"}),
}
#: The spaces that `auto` chooses, for gamuts that aren't larger than sRGB. An old Apple display has more in green and less in red.
AUTOMATIC = {"srgb": "srgb", "srgb-table-curve": "srgb", "gamma-1.8": None}


def profile(name):
    """Returns a profile and the space that `auto` chooses for it."""
    if name == "table":
        return icc.table_profile(SPACES["adobe"]), "p3"
    if name == "table-srgb":
        return icc.table_profile(SPACES["srgb"], points=33, twist=False), "srgb"
    space, options = PROFILES[name]
    return icc.matrix_profile(SPACES[space], **options), AUTOMATIC.get(name, "p3")


def all_cases(folder):
    yield from jpeg(folder)
    yield from png(folder)
    yield from png_chunks(folder)
    yield from webp(folder)
    yield from avif(folder)
    yield from heic(folder)
    yield from jxl(folder)


def with_profiles(folder, format, names, write):
    """Yields a case for each profile. `write` takes the file, values, and the profile, and returns a function that decodes."""
    for name in names:
        data, automatic = profile(name)
        file = folder / f"{format}-{name}.{format}"
        values = write(file, scenes.chart(), data)
        yield Case(f"{format} icc {name}", file, values, data, automatic, is_for_libvips=format not in ("heic", "jxl"))


def jpeg(folder):
    names = [*PROFILES, "table", "table-srgb"]
    yield from with_profiles(
        folder, "jpg", names, lambda file, values, data: files.write_pillow(file, values, quality=98, subsampling=0, icc_profile=data))
    data, automatic = profile("p3")
    for name, options in [("4:2:0", {"subsampling": 2}), ("progressive", {"subsampling": 0, "progressive": True})]:
        file = folder / f"jpg-p3-{name.replace(':', '')}.jpg"
        values = files.write_pillow(file, scenes.chart(), quality=92, icc_profile=data, **options)
        yield Case(f"jpg icc p3 {name}", file, values, data, automatic, is_for_libvips=True)
    for gamma in [1.8, 2.2]:
        file, data = folder / f"jpg-gray-{gamma}.jpg", icc.gray_profile(gamma)
        values = files.write_pillow(file, scenes.gray()[..., :1], quality=98, icc_profile=data)
        yield Case(f"jpg icc gray {gamma}", file, values, data, "srgb", is_for_libvips=True)
    yield cmyk(folder)


def cmyk(folder):
    """Returns a CMYK JPEG with a printer's profile, all of whose inks are inside sRGB. Pillow writes it inverted, as Adobe does."""
    chart = 0.95 * scenes.chart()
    inks = files.coded(numpy.concatenate([1 - chart, 0.4 * (1 - chart.max(axis=2, keepdims=True))], axis=2), 8).astype(numpy.uint8)
    file, data = folder / "jpg-cmyk.jpg", icc.cmyk_profile()
    files.Image.fromarray(inks, "CMYK").save(file, quality=98, subsampling=0, icc_profile=data)
    return Case("jpg icc cmyk", file, lambda: files.decoded_by_pillow(file), data, "srgb")


def png(folder):
    for depth in [8, 16]:
        for name in [*PROFILES, "table"]:
            data, automatic = profile(name)
            file = folder / f"png-{name}-{depth}.png"
            values = files.write_png(file, scenes.chart(), depth, [files.profile_chunk(data)])
            yield Case(f"png {depth} icc {name}", file, lambda values=values: values, data, automatic, is_for_libvips=True)
    data, automatic = profile("p3")
    yield translucent_png(folder, data, 8)
    yield translucent_png(folder, data, 16)
    file = folder / "png-palette.png"
    values = files.write_palette(file, scenes.chart(), [files.profile_chunk(data)])
    yield Case("png palette icc p3", file, lambda: values, data, automatic, is_for_libvips=True)
    file = folder / "png-interlaced.png"
    interlaced = files.write_png(file, scenes.chart(), 8, [files.profile_chunk(data)], is_interlaced=True)
    yield Case("png interlaced icc p3", file, lambda: interlaced, data, automatic, is_for_libvips=True)
    for depth in [8, 16]:
        file, gray = folder / f"png-gray-{depth}.png", icc.gray_profile(1.8)
        samples = files.write_png(file, scenes.gray()[..., :1], depth, [files.profile_chunk(gray)])
        yield Case(f"png {depth} icc gray 1.8", file, lambda samples=samples: samples, gray, "srgb", is_for_libvips=True)


def translucent_png(folder, data, depth):
    chart = scenes.chart()
    alpha = numpy.clip(numpy.linspace(-0.1, 1.3, scenes.WIDTH), 0, 1)[None, :, None] * numpy.ones((scenes.HEIGHT, 1, 1))
    file = folder / f"png-alpha-{depth}.png"
    values = files.write_png(file, numpy.concatenate([chart, alpha], axis=2), depth, [files.profile_chunk(data)])
    return Case(f"png {depth} alpha icc p3", file, lambda: values[..., :3], data, "p3", alpha=values[..., 3])


def png_chunks(folder):
    """Yields images that are described by chunks other than iCCP, and by several chunks, the first of which applies (PNG 3rd edition,
    table 12): cICP, iCCP, sRGB, cHRM and gAMA."""
    space = {name: icc.matrix_profile(value) for name, value in SPACES.items()}
    p3, adobe = files.profile_chunk(space["p3"]), files.profile_chunk(space["adobe"])
    for name, chunks, meaning, automatic in [
            ("cICP p3", [files.cicp(12, 13)], space["p3"], "p3"),
            ("cICP bt2020", [files.cicp(9, 13)], space["bt2020"], "p3"),
            ("cICP srgb", [files.cicp(1, 13)], space["srgb"], "srgb"),
            ("cICP p3 over iCCP", [files.cicp(12, 13), adobe], space["p3"], "p3"),
            ("cICP srgb over iCCP", [files.cicp(1, 13), p3], space["srgb"], "srgb"),
            ("iCCP over sRGB and gAMA", [files.SRGB_CHUNK, files.gamma_chunk(2.2), p3], space["p3"], "p3"),
            ("sRGB over gAMA and cHRM", [files.gamma_chunk(1.8), files.chromaticities(SPACES["p3"]), files.SRGB_CHUNK],
             space["srgb"], "srgb"),
            ("gAMA 1.8", [files.gamma_chunk(1.8)], space["gamma-1.8-srgb-primaries"], "srgb"),
            ("gAMA and cHRM p3", [files.gamma_chunk(2.2), files.chromaticities(SPACES["p3"])], space["gamma-2.2-p3"], "p3"),
            ("gAMA and cHRM adobe", [files.gamma_chunk(563 / 256), files.chromaticities(SPACES["adobe"])], space["adobe"], "p3"),
            ("gAMA and cHRM gamma-1.8", [files.gamma_chunk(1.8), files.chromaticities(SPACES["gamma-1.8"])], space["gamma-1.8"], None)]:
        file = folder / f"png-{name.replace(' ', '-')}.png"
        values = files.write_png(file, scenes.chart(), 8, chunks)
        yield Case(f"png {name}", file, lambda values=values: values, meaning, automatic)
    yield from png_of_high_range(folder)


def png_of_high_range(folder):
    for name, primaries, transfer, depth, chunks, options in [
            ("pq", "bt2020", "pq", 16, [], {}), ("pq p3", "p3", "pq", 16, [], {}), ("hlg", "bt2020", "hlg", 16, [], {}),
            ("pq 8", "bt2020", "pq", 8, [], {}), ("pq cLLI 4000", "bt2020", "pq", 16, [files.light_levels(4000)], {"peak": 4000})]:
        code = {"bt2020": 9, "p3": 12}[primaries], {"pq": 16, "hlg": 18}[transfer]
        file = folder / f"png-cicp-{name.replace(' ', '-')}.png"
        values = files.write_png(file, signal(transfer, options.get("peak", hdr.USUAL_PEAK)), depth, [files.cicp(*code), *chunks])
        conversion = hdr.Conversion(transfer, SPACES[primaries], **options)
        yield Case(f"png cICP {name}", file, lambda values=values: values, conversion, "p3")


    for transfer, code in [("pq", 16), ("hlg", 18)]:
        file = folder / f"png-icc-{transfer}.png"
        data = icc.matrix_profile(SPACES["bt2020"], cicp=(9, code))
        values = files.write_png(file, signal(transfer), 16, [files.profile_chunk(data)])
        conversion = hdr.Conversion(transfer, SPACES["bt2020"])
        yield Case(f"png icc with tag cicp {transfer}", file, lambda values=values: values, conversion, "p3")


def signal(transfer, peak=hdr.USUAL_PEAK, scene=None):
    """Returns the chart as a signal of high dynamic range. PQ reaches the peak."""
    chart = scenes.chart() if scene is None else scene
    return chart * hdr.pq_signal(peak) if transfer == "pq" else chart


def webp(folder):
    names = ["p3", "adobe", "prophoto", "bt2020", "gamma-1.8", "table", "srgb"]
    yield from with_profiles(
        folder, "webp", names, lambda file, values, data: files.write_pillow(file, values, lossless=True, icc_profile=data))
    data, automatic = profile("p3")
    file = folder / "webp-lossy.webp"
    values = files.write_pillow(file, scenes.chart(), quality=95, icc_profile=data)
    yield Case("webp lossy icc p3", file, values, data, automatic, is_for_libvips=True)


def avif(folder):
    names = ["p3", "p3-table-curve", "adobe", "prophoto", "bt2020", "gamma-1.8", "table", "srgb"]
    yield from with_profiles(
        folder, "avif", names, lambda file, values, data: files.write_avif(file, values, nclx=(1, 13, 6), profile=data))
    data = icc.matrix_profile(SPACES["adobe"])
    file = folder / "avif-both.avif"
    values = files.write_avif(file, scenes.chart(), 10, nclx=(12, 13, 0), profile=data)
    yield Case("avif icc adobe over nclx p3", file, values, data, "p3")
    yield from code_points(folder, "avif", files.write_avif, [0, 1, 6, 9])
    file = folder / "avif-pq-420.avif"
    values = files.write_avif(file, signal("pq", scene=scenes.chart()), 10, nclx=(9, 16, 9), is_full=False, sampling="420")
    yield Case("avif nclx pq 10 4:2:0", file, values, hdr.Conversion("pq", SPACES["bt2020"]), "p3")
    yield with_light_level(folder / "avif-pq-clli.avif", files.write_avif)


def with_light_level(file, write):
    """Returns an image that is brighter than usual, and says so."""
    values = write(file, signal("pq", 4000), 10, nclx=(9, 16, 0))
    file.write_bytes(files.with_property(file.read_bytes(), b"clli", files.content_light_level(4000)))
    return Case(f"{file.suffix[1:]} nclx pq 10 clli 4000", file, values, hdr.Conversion("pq", SPACES["bt2020"], peak=4000), "p3")


def heic(folder):
    names = ["p3", "adobe", "prophoto", "bt2020", "gamma-1.8", "table", "srgb"]
    yield from with_profiles(
        folder, "heic", names, lambda file, values, data: files.write_heic(file, values, quality=-1, nclx=(1, 13, 0), profile=data))
    yield from code_points(folder, "heic", files.write_heic, [0, 1, 6, 9])
    yield with_light_level(folder / "heic-pq-clli.heic", files.write_heic)


def code_points(folder, format, write, matrices):
    """Yields images with `nclx` in different depths, ranges and matrices."""
    def file(name):
        return folder / f"{format}-nclx-{name.replace(' ', '-').replace('/', '-')}.{format}"

    for name, primaries, transfer in [("p3", 12, 13), ("bt2020", 9, 13)]:
        meaning = icc.matrix_profile(SPACES[name])
        for depth in [8, 10, 12]:
            path = file(f"{name} {depth}")
            yield Case(
                f"{format} nclx {name} {depth}", path, write(path, scenes.chart(), depth, nclx=(primaries, transfer, 0)), meaning, "p3")
        for matrix in matrices[1:]:
            path = file(f"{name} limited {matrix}")
            values = write(path, scenes.chart(), 10, nclx=(primaries, transfer, matrix), is_full=False)
            yield Case(f"{format} nclx {name} 10 limited matrix {matrix}", path, values, meaning, "p3")
    for transfer, code in [("pq", 16), ("hlg", 18)]:
        for name, space, depth, matrix, is_full in [
                ("10", "bt2020", 10, 0, True), ("12", "bt2020", 12, 0, True), ("8", "bt2020", 8, 0, True),
                ("10 limited", "bt2020", 10, 9, False), ("12 limited", "bt2020", 12, 9, False), ("10 p3", "p3", 10, 0, True), ("10 bt709", "srgb", 10, 0, True)]:
            path = file(f"{transfer} {name}")
            points = {"bt2020": 9, "p3": 12, "srgb": 1}[space], code, matrix
            values = write(path, signal(transfer), depth, nclx=points, is_full=is_full)
            automatic = "srgb" if space == "srgb" else "p3"
            yield Case(f"{format} nclx {transfer} {name}", path, values, hdr.Conversion(transfer, SPACES[space]), automatic)


def jxl(folder):
    names = ["p3", "p3-table-curve", "adobe", "prophoto", "gamma-1.8", "table"]
    yield from with_profiles(folder, "jxl", names, lambda file, values, data: files.write_jxl(file, values, 8, profile=data))
    for name, space, encoding, automatic in [
            ("p3", "p3", "RGB_D65_DCI_Rel_SRG", "p3"), ("bt2020", "bt2020", "RGB_D65_202_Rel_SRG", "p3"),
            ("srgb", "srgb", "RGB_D65_SRG_Rel_SRG", "srgb"), ("linear p3", "linear-p3", "RGB_D65_DCI_Rel_Lin", "p3")]:
        meaning = icc.matrix_profile(SPACES[space])
        for kind, distance in [("lossless", 0), ("lossy", 0.3)]:
            path = folder / f"jxl-{name.replace(' ', '-')}-{kind}.jxl"
            values = files.write_jxl(path, scenes.chart(), 16, encoding, distance=distance)
            yield Case(f"jxl {name} {kind}", path, values, meaning, automatic)
    for name, space, transfer, encoding in [
            ("pq", "bt2020", "pq", "RGB_D65_202_Rel_PeQ"), ("hlg", "bt2020", "hlg", "RGB_D65_202_Rel_HLG"),
            ("pq p3", "p3", "pq", "RGB_D65_DCI_Rel_PeQ")]:
        for kind, distance in [("lossless", 0), ("lossy", 0.3)]:
            yield jxl_of_high_range(folder, f"{name} {kind}", space, transfer, encoding, distance=distance)
    yield jxl_of_high_range(folder, "pq peak 4000", "bt2020", "pq", "RGB_D65_202_Rel_PeQ", stated=4000, peak=4000)
    # The default says only that samples are not above the largest luminance of PQ.
    yield jxl_of_high_range(folder, "pq default peak", "bt2020", "pq", "RGB_D65_202_Rel_PeQ", stated=0)
    yield from lossy_jxl_with_profiles(folder)


def jxl_of_high_range(folder, name, space, transfer, encoding, stated=1000, peak=hdr.USUAL_PEAK, distance=0):
    path = folder / f"jxl-{name.replace(' ', '-')}.jxl"
    options = [f"--intensity_target={stated}"] if stated else []
    values = files.write_jxl(path, signal(transfer, peak), 16, encoding, distance=distance, options=options)
    return Case(f"jxl {name}", path, values, hdr.Conversion(transfer, SPACES[space], peak), "p3")


def lossy_jxl_with_profiles(folder):
    """Yields images that are stored in XYB, and the profile of the source beside it. They are compared with the source, because djxl
    doesn't return to its profile."""
    for name in ["srgb", "p3", "adobe", "prophoto"]:
        data, automatic = profile(name)
        path = folder / f"jxl-xyb-{name}.jxl"
        files.write_jxl(path, scenes.smooth(), 16, profile=data, distance=0.1)
        yield Case(f"jxl lossy icc {name}", path, scenes.smooth, data, automatic)
