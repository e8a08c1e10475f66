"""Writes and reads ICC profiles (ICC.1:2022), without a color management library."""

import struct

import numpy

import spaces


def matrix_profile(space, name="check-color", version=4, curve=None, omit=(), cicp=None):
    """Returns a display profile of three primaries.

    `curve` replaces the parametric curve: "table" is a curve of 1,024 points, a number is a gamma. `omit` has the names of
    tags that are left out. `cicp` has code points of H.273, which say more than the rest if they are of high dynamic range."""
    matrix = space.to_xyz
    tags = {b"desc": text(name, version), b"cprt": text("CC0", version), b"wtpt": point(spaces.WHITE_D50)}
    for channel, letter in enumerate("rgb"):
        tags[f"{letter}XYZ".encode()] = point(matrix[:, channel])
        tags[f"{letter}TRC".encode()] = curve_tag(space.curve, curve)
    if version == 4:
        tags[b"chad"] = b"sf32\0\0\0\0" + fixed(spaces.adaptation(spaces.xyz(space.white)).ravel())
    if cicp:
        tags[b"cicp"] = b"cicp\0\0\0\0" + bytes([*cicp, 0, 1])
    return assembled(tags, b"mntr", b"RGB ", b"XYZ ", version, omit)


def gray_profile(gamma):
    tags = {b"desc": text("gray", 4), b"cprt": text("CC0", 4), b"wtpt": point(spaces.WHITE_D50), b"kTRC": curve_tag(None, gamma)}
    return assembled(tags, b"mntr", b"GRAY", b"XYZ ", 4)


def table_profile(space, points=17, twist=True):
    """Returns a version 2 profile of RGB with a table (lut16Type) to CIELAB. With `twist`, no matrix describes its colors."""
    grid = mesh(points, 3)
    light = space.curve.light(grid)
    if twist:
        # Each channel takes some of the light of the next one, most where both are strong.
        light = light * (1 - 0.12 * light[:, [1, 2, 0]])
    values = spaces.lab_of_xyz(light @ space.to_xyz.T)
    return lut_profile(values, points, b"RGB ", b"scnr")


def cmyk_profile(points=9):
    """Returns a version 2 profile of a printer, after Neugebauer: the mean of the 16 overprints, weighted by their area."""
    inks = numpy.array([[0.17, 0.33, 0.85], [0.62, 0.20, 0.20], [0.92, 0.93, 0.10], [0.04, 0.04, 0.04]])
    coverage = mesh(points, 4) ** 0.8
    total = numpy.zeros((len(coverage), 3))
    for overprint in range(16):
        has = [overprint >> bit & 1 for bit in range(4)]
        weight = numpy.prod([coverage[:, i] if has[i] else 1 - coverage[:, i] for i in range(4)], axis=0)
        total += weight[:, None] * numpy.prod([inks[i] if has[i] else numpy.ones(3) for i in range(4)], axis=0)
    to_xyz = spaces.SPACES["srgb"].to_xyz
    # Paper is white, because the connection space is relative to the medium.
    return lut_profile(spaces.lab_of_xyz(total @ to_xyz.T), points, b"CMYK", b"prtr")


def mesh(points, channels):
    """The nodes of a table. The last channel varies fastest."""
    axes = numpy.meshgrid(*[numpy.linspace(0, 1, points)] * channels, indexing="ij")
    return numpy.stack(axes, axis=-1).reshape(-1, channels)


def lut_profile(values, points, color_space, device_class):
    # The encoding of CIELAB in lut16Type (ICC.1, 10.10).
    codes = numpy.stack([values[:, 0] * 652.8, (values[:, 1] + 128) * 256, (values[:, 2] + 128) * 256], axis=1)
    channels = 3 if color_space == b"RGB " else 4
    straight = struct.pack(">2H", 0, 65535)
    table = b"mft2\0\0\0\0" + bytes([channels, 3, points, 0]) + fixed([1, 0, 0, 0, 1, 0, 0, 0, 1]) + struct.pack(">2H", 2, 2)
    table += straight * channels + numpy.clip(numpy.rint(codes), 0, 65535).astype(">u2").tobytes() + straight * 3
    tags = {b"desc": text("table", 2), b"cprt": text("CC0", 2), b"wtpt": point(spaces.WHITE_D50), b"A2B0": table, b"A2B1": table}
    return assembled(tags, device_class, color_space, b"Lab ", 2)


def assembled(tags, device_class, color_space, connection, version, omit=()):
    tags = {name: data + bytes(-len(data) % 4) for name, data in tags.items() if name.decode() not in omit}
    offset = 128 + 4 + 12 * len(tags)
    index, body, written = struct.pack(">I", len(tags)), b"", {}
    for name, data in tags.items():
        if data not in written:
            written[data] = offset + len(body)
            body += data
        index += name + struct.pack(">2I", written[data], len(data))
    head = struct.pack(
        ">I4sI4s4s4s6H4s", offset + len(body), b"\0\0\0\0", version << 24, device_class, color_space, connection, 2026, 1, 1, 0, 0, 0,
        b"acsp")
    return head.ljust(64, b"\0") + struct.pack(">I", 1) + fixed(spaces.WHITE_D50) + bytes(48) + index + body


def fixed(values):
    return struct.pack(f">{len(values)}i", *[round(float(value) * 65536) for value in values])


def point(value):
    return b"XYZ \0\0\0\0" + fixed(value)


def text(value, version):
    if version == 4:
        data = value.encode("utf-16-be")
        return b"mluc\0\0\0\0" + struct.pack(">2I2s2s2I", 1, 12, b"en", b"US", len(data), 28) + data
    data = value.encode() + b"\0"
    return b"desc\0\0\0\0" + struct.pack(">I", len(data)) + data + bytes(78)


def curve_tag(curve, replacement):
    if replacement == "table":
        points = numpy.rint(65535 * curve.light(numpy.linspace(0, 1, 1024))).astype(">u2")
        return b"curv\0\0\0\0" + struct.pack(">I", len(points)) + points.tobytes()
    if replacement is not None:
        return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(replacement * 256))
    return b"para\0\0\0\0" + struct.pack(">2H", 3, 0) + fixed([curve.exponent, curve.scale, curve.offset, curve.slope, curve.threshold])


class MatrixProfile:
    """A profile of three primaries that is read from a file. It has the members of `Space` that colors are measured with."""

    def __init__(self, data):
        count = struct.unpack_from(">I", data, 128)[0]
        if data[36:40] != b"acsp" or count > 100:
            raise ValueError("it is not an ICC profile")
        entries = [struct.unpack_from(">4s2I", data, 132 + 12 * index) for index in range(count)]
        tags = {name: data[offset:offset + length] for name, offset, length in entries}
        self.to_xyz = numpy.array([struct.unpack(">3i", tags[name][8:20]) for name in (b"rXYZ", b"gXYZ", b"bXYZ")]).T / 65536
        self.curve = ReadCurve(tags[b"rTRC"])

    @property
    def gamut(self):
        """Returns "srgb", "p3" or None."""
        for name in ("srgb", "p3"):
            if numpy.abs(self.to_xyz - spaces.SPACES[name].to_xyz).max() < 0.002:
                return name
        return None


class ReadCurve:
    def __init__(self, tag):
        if tag[:4] == b"curv":
            count = struct.unpack_from(">I", tag, 8)[0]
            points = struct.unpack_from(f">{count}H", tag, 12)
            self.gamma = points[0] / 256 if count == 1 else 1
            self.points = numpy.array(points) / 65535 if count > 1 else None
            self.formula = None
        else:
            kind = struct.unpack_from(">H", tag, 8)[0]
            count = {0: 1, 3: 5, 4: 7}[kind]
            values = numpy.array(struct.unpack_from(f">{count}i", tag, 12)) / 65536
            self.formula = spaces.Curve(*values[:5])

    def light(self, value):
        if self.formula:
            return self.formula.light(value)
        if self.points is None:
            return value**self.gamma
        return numpy.interp(value, numpy.linspace(0, 1, len(self.points)), self.points)
