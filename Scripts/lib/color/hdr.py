"""PQ and HLG, and their conversion to standard dynamic range, from the formulas of the standards, in 64-bit floating point.

The standards leave some choices open. They are made as in the library's documentation of `ToneMapping`: white is 203 cd/m², content
without a stated peak has one of 1,000 cd/m², and so has the display for HLG. The curve is applied to the largest channel, and the
others are scaled with it (ITU-R BT.2408-7, annex 5). Colors outside of the output are clipped in linear light."""

import dataclasses

import numpy

import spaces

#: The luminance of diffuse white, in cd/m² (ITU-R BT.2408-7, table 1).
DIFFUSE_WHITE = 203.0
#: The assumed peak of content that doesn't state one, in cd/m².
USUAL_PEAK = 1000.0

# ITU-R BT.2100-2, table 4.
M1, M2 = 2610 / 16384, 2523 / 4096 * 128
C1, C2, C3 = 3424 / 4096, 2413 / 4096 * 32, 2392 / 4096 * 32
# ITU-R BT.2100-2, table 5.
HLG_A = 0.17883277
HLG_B = 1 - 4 * HLG_A
HLG_C = 0.5 - HLG_A * numpy.log(4 * HLG_A)


def pq_luminance(signal):
    """The PQ EOTF: cd/m² from values of 0 to 1."""
    power = numpy.clip(signal, 0, 1) ** (1 / M2)
    return 10000 * (numpy.maximum(power - C1, 0) / (C2 - C3 * power)) ** (1 / M1)


def pq_signal(luminance):
    """The inverse of the PQ EOTF."""
    power = (numpy.maximum(luminance, 0) / 10000) ** M1
    return ((C1 + C2 * power) / (1 + C3 * power)) ** M2


def hlg_scene_light(signal):
    """The inverse of the HLG OETF: scene light of 0 to 1."""
    signal = numpy.clip(signal, 0, 1)
    return numpy.where(signal <= 0.5, signal**2 / 3, (numpy.exp((signal - HLG_C) / HLG_A) + HLG_B) / 12)


def hlg_luminance(signal, weights, peak=USUAL_PEAK):
    """The HLG EOTF with black at 0: cd/m² on a display with this peak."""
    light = hlg_scene_light(signal)
    gamma = 1.2 + 0.42 * numpy.log10(peak / 1000)
    luminance = (light @ weights)[..., None]
    return peak * numpy.where(luminance > 0, numpy.maximum(luminance, 1e-30) ** (gamma - 1), 0) * light


def hlg_of_luminance(luminance, weights, peak=USUAL_PEAK):
    """The inverse of `hlg_luminance`, by the inverse OOTF and the OETF."""
    whole = (luminance @ weights)[..., None] / peak
    gamma = 1.2 + 0.42 * numpy.log10(peak / 1000)
    light = numpy.clip(luminance / peak * numpy.maximum(whole, 1e-9) ** (1 / gamma - 1), 0, 1)
    return numpy.where(light <= 1 / 12, numpy.sqrt(3 * light), HLG_A * numpy.log(numpy.maximum(12 * light - HLG_B, 1e-9)) + HLG_C)


def mapped(luminance, source_peak, target_peak=DIFFUSE_WHITE):
    """The EETF of ITU-R BT.2390-10, 5.4.1, from a content peak to a display's, with both blacks at 0."""
    largest = pq_signal(source_peak)
    e1 = numpy.minimum(pq_signal(luminance) / largest, 1)
    max_lum = min(pq_signal(target_peak) / largest, 1.0)
    knee = 1.5 * max_lum - 0.5
    t = (e1 - knee) / max(1 - knee, 1e-12)
    spline = (2 * t**3 - 3 * t**2 + 1) * knee + (t**3 - 2 * t**2 + t) * (1 - knee) + (-2 * t**3 + 3 * t**2) * max_lum
    e2 = numpy.where((e1 < knee) | (max_lum >= 1), e1, spline)
    return pq_luminance(e2 * largest)


@dataclasses.dataclass(frozen=True)
class Conversion:
    """How a file of high dynamic range is converted."""

    transfer: str
    space: spaces.Space
    #: The peak of the content in cd/m².
    peak: float = USUAL_PEAK

    def luminance(self, signal):
        """The light of each channel on a display for high dynamic range, in cd/m²."""
        return pq_luminance(signal) if self.transfer == "pq" else hlg_luminance(signal, self.space.to_own_xyz[1])

    def light(self, signal):
        """Linear light in the primaries of the source, 1 at diffuse white."""
        luminance = self.luminance(signal)
        largest = luminance.max(axis=-1, keepdims=True)
        return luminance * mapped(largest, self.peak) / numpy.maximum(largest, 1e-9) / DIFFUSE_WHITE

    def pixels(self, signal, target):
        """Returns pixels from 0 to 255 in a space with the curve of sRGB, not rounded."""
        return 255 * spaces.encoded_srgb(spaces.converted(self.light(signal), self.space, target))
