"""PQ and HLG, and their conversion to standard dynamic range, with the curves of colour-science and the
other formulas of the standards, in 64-bit floating point.

The standards leave some choices open. They are made as in the library's documentation of `ToneMapping`: white is 203 cd/m², content
without a stated peak has one of 1,000 cd/m², and so has the display for HLG. The curve is applied to the largest channel, and the
others are scaled with it (ITU-R BT.2408-7, annex 5). Colors outside of the output are clipped in linear light."""

import dataclasses

import numpy

import spaces
from spaces import colour

#: The luminance of diffuse white, in cd/m² (ITU-R BT.2408-7, table 1).
DIFFUSE_WHITE = 203.0
#: The assumed peak of content that doesn't state one, in cd/m².
USUAL_PEAK = 1000.0


def pq_luminance(signal):
    """The PQ EOTF: cd/m² from values of 0 to 1."""
    return colour.models.eotf_ST2084(numpy.clip(signal, 0, 1))


def pq_signal(luminance):
    """The inverse of the PQ EOTF."""
    return colour.models.eotf_inverse_ST2084(numpy.maximum(luminance, 0))


def hlg_scene_light(signal):
    """The inverse of the HLG OETF: scene light of 0 to 1."""
    return colour.models.oetf_inverse_BT2100_HLG(numpy.clip(signal, 0, 1))


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
    light = luminance / peak * numpy.maximum(whole, 1e-9) ** (1 / gamma - 1)
    with numpy.errstate(invalid="ignore"):  # both branches of the curve are computed everywhere
        return colour.models.oetf_BT2100_HLG(numpy.clip(light, 0, 1))


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
