#include "CImageColorManagement.h"

#include <lcms2.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct color_transform {
    cmsContext context;
    cmsHTRANSFORM transform;
    color_layout layout;
    uint8_t grays[256 * 4]; /* the RGBA result for each level, for the gray layouts */
    uint8_t curve[256];     /* the result for each level of a channel, if `transform` is NULL */
};

static void ignore_error(cmsContext context, cmsUInt32Number code, const char *text) {
    (void)context;
    (void)code;
    (void)text;
}

static cmsContext make_context(void) {
    cmsContext context = cmsCreateContext(NULL, NULL);
    if (context != NULL) cmsSetLogErrorHandlerTHR(context, ignore_error);
    return context;
}

static cmsColorSpaceSignature color_space(color_layout layout) {
    switch (layout) {
    case color_layout_rgba: return cmsSigRgbData;
    case color_layout_cmyk: return cmsSigCmykData;
    default: return cmsSigGrayData;
    }
}

static cmsUInt32Number pixel_type(color_layout layout) {
    switch (layout) {
    case color_layout_rgba: return TYPE_RGBA_8;
    case color_layout_cmyk: return TYPE_CMYK_8;
    default: return TYPE_GRAY_8;
    }
}

/* Without the one-pixel cache of Little CMS, threads can use a transform concurrently. Gray is converted by a table of
   256 levels. Its curves are evaluated without optimization: the optimizer's table of 33 points is off by some levels
   where a curve is steep. */
static cmsUInt32Number flags(color_layout layout) {
    switch (layout) {
    case color_layout_rgba: return cmsFLAGS_COPY_ALPHA | cmsFLAGS_NOCACHE;
    case color_layout_cmyk: return cmsFLAGS_NOCACHE;
    default: return cmsFLAGS_NOOPTIMIZE | cmsFLAGS_NOCACHE;
    }
}

/* Device link, abstract and named-color profiles do not define the colors of an image. */
static int is_image_profile(cmsHPROFILE profile, color_layout layout) {
    switch (cmsGetDeviceClass(profile)) {
    case cmsSigInputClass:
    case cmsSigDisplayClass:
    case cmsSigOutputClass:
    case cmsSigColorSpaceClass: return cmsGetColorSpace(profile) == color_space(layout);
    default: return 0;
    }
}

static cmsHTRANSFORM make_transform(cmsContext context, cmsHPROFILE profile, color_layout layout) {
    if (!is_image_profile(profile, layout)) return NULL;
    cmsHPROFILE srgb = cmsCreate_sRGBProfileTHR(context);
    if (srgb == NULL) return NULL;
    cmsHTRANSFORM transform = cmsCreateTransformTHR(
        context, profile, pixel_type(layout), srgb, TYPE_RGBA_8, INTENT_RELATIVE_COLORIMETRIC,
        flags(layout));
    cmsCloseProfile(srgb);
    return transform;
}

static void fill_grays(color_transform *result) {
    uint8_t levels[256];
    for (int level = 0; level < 256; level++) levels[level] = (uint8_t)level;
    cmsDoTransform(result->transform, levels, result->grays, 256);
}

color_transform *color_transform_open(const uint8_t *bytes, size_t length, color_layout layout) {
    if (bytes == NULL || length > UINT32_MAX) return NULL;
    color_transform *result = calloc(1, sizeof *result);
    if (result == NULL) return NULL;
    result->layout = layout;
    result->context = make_context();
    if (result->context != NULL) {
        cmsHPROFILE profile = cmsOpenProfileFromMemTHR(result->context, bytes, (cmsUInt32Number)length);
        if (profile != NULL) {
            result->transform = make_transform(result->context, profile, layout);
            cmsCloseProfile(profile);
        }
    }
    if (result->transform != NULL) {
        if (layout == color_layout_gray || layout == color_layout_gray_alpha) fill_grays(result);
        return result;
    }
    color_transform_close(result);
    return NULL;
}

/* ---- calibrations ---- */

/* Little CMS counts the types of curves from 1, ICC.1 from 0. */
static cmsToneCurve *make_curve(cmsContext context, const color_curve *curve) {
    const double parameters[] = {curve->exponent, curve->scale, curve->offset, curve->slope, curve->threshold};
    return cmsBuildParametricToneCurve(context, 4, parameters);
}

static cmsHPROFILE make_profile(cmsContext context, const color_calibration *calibration) {
    cmsCIExyY points[4];
    for (int i = 0; i < 4; i++)
        points[i] = (cmsCIExyY){calibration->chromaticities[i][0], calibration->chromaticities[i][1], 1};
    cmsCIExyYTRIPLE primaries = {points[1], points[2], points[3]};
    cmsToneCurve *curve = make_curve(context, &calibration->curve);
    if (curve == NULL) return NULL;
    cmsToneCurve *curves[] = {curve, curve, curve};
    cmsHPROFILE profile = cmsCreateRGBProfileTHR(context, &points[0], &primaries, curves);
    cmsFreeToneCurve(curve);
    return profile;
}

color_transform *color_transform_open_calibrated(const color_calibration *calibration) {
    color_transform *result = calloc(1, sizeof *result);
    if (result == NULL) return NULL;
    result->layout = color_layout_rgba;
    result->context = make_context();
    if (result->context != NULL) {
        cmsHPROFILE profile = make_profile(result->context, calibration);
        if (profile != NULL) {
            result->transform = make_transform(result->context, profile, color_layout_rgba);
            cmsCloseProfile(profile);
        }
    }
    if (result->transform != NULL) return result;
    color_transform_close(result);
    return NULL;
}

static double light(const color_curve *curve, double value) {
    if (value < curve->threshold) return curve->slope * value;
    double base = curve->scale * value + curve->offset;
    return base > 0 ? pow(base, curve->exponent) : 0;
}

color_transform *color_transform_open_curve(const color_curve *curve) {
    color_transform *result = calloc(1, sizeof *result);
    if (result == NULL) return NULL;
    result->layout = color_layout_rgba;
    for (int level = 0; level < 256; level++) {
        double linear = fmin(fmax(light(curve, level / 255.0), 0), 1);
        double srgb = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
        result->curve[level] = (uint8_t)(255 * srgb + 0.5);
    }
    return result;
}

/* ---- */

void color_transform_close(color_transform *transform) {
    if (transform->transform != NULL) cmsDeleteTransform(transform->transform);
    if (transform->context != NULL) cmsDeleteContext(transform->context);
    free(transform);
}

static void apply_grays(const color_transform *transform, const uint8_t *pixels, uint8_t *rgba, size_t count) {
    int has_alpha = transform->layout == color_layout_gray_alpha;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *pixel = pixels + (has_alpha ? 2 * i : i);
        memcpy(rgba + 4 * i, transform->grays + 4 * pixel[0], 3);
        rgba[4 * i + 3] = has_alpha ? pixel[1] : 255;
    }
}

static void apply_curve(const color_transform *transform, const uint8_t *pixels, uint8_t *rgba, size_t count) {
    for (size_t i = 0; i < 4 * count; i += 4) {
        for (size_t channel = 0; channel < 3; channel++) rgba[i + channel] = transform->curve[pixels[i + channel]];
        rgba[i + 3] = pixels[i + 3];
    }
}

void color_transform_apply(const color_transform *transform, const uint8_t *pixels, uint8_t *rgba, size_t count) {
    if (transform->layout == color_layout_gray || transform->layout == color_layout_gray_alpha) {
        apply_grays(transform, pixels, rgba, count);
        return;
    }
    if (transform->transform == NULL) {
        apply_curve(transform, pixels, rgba, count);
        return;
    }
    /* lcms does not write the alpha of the output if the input has none. */
    if (transform->layout == color_layout_cmyk) memset(rgba, 255, 4 * count);
    cmsDoTransform(transform->transform, pixels, rgba, (cmsUInt32Number)count);
}
