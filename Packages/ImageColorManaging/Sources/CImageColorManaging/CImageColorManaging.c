#include "CImageColorManaging.h"

#include <lcms2.h>
#include <stdlib.h>
#include <string.h>

struct color_transform {
    cmsContext context;
    cmsHTRANSFORM transform;
    int has_alpha;
};

static void stay_silent(cmsContext context, cmsUInt32Number code, const char *text) {
    (void)context;
    (void)code;
    (void)text;
}

static cmsContext make_context(void) {
    cmsContext context = cmsCreateContext(NULL, NULL);
    if (context != NULL) cmsSetLogErrorHandlerTHR(context, stay_silent);
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
    case color_layout_gray_alpha: return TYPE_GRAYA_8;
    default: return TYPE_GRAY_8;
    }
}

/* Device links, abstract and named-colour profiles say nothing about what a picture's numbers look like. */
static int describes_pictures(cmsHPROFILE profile, color_layout layout) {
    switch (cmsGetDeviceClass(profile)) {
    case cmsSigInputClass:
    case cmsSigDisplayClass:
    case cmsSigOutputClass:
    case cmsSigColorSpaceClass: return cmsGetColorSpace(profile) == color_space(layout);
    default: return 0;
    }
}

static cmsHTRANSFORM make_transform(cmsContext context, cmsHPROFILE profile, color_layout layout, int has_alpha) {
    if (!describes_pictures(profile, layout)) return NULL;
    cmsHPROFILE srgb = cmsCreate_sRGBProfileTHR(context);
    if (srgb == NULL) return NULL;
    cmsHTRANSFORM transform = cmsCreateTransformTHR(
        context, profile, pixel_type(layout), srgb, TYPE_RGBA_8, INTENT_RELATIVE_COLORIMETRIC,
        has_alpha ? cmsFLAGS_COPY_ALPHA : 0);
    cmsCloseProfile(srgb);
    return transform;
}

color_transform *color_transform_open(const uint8_t *bytes, size_t length, color_layout layout) {
    if (bytes == NULL || length > UINT32_MAX) return NULL;
    color_transform *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    made->has_alpha = layout == color_layout_rgba || layout == color_layout_gray_alpha;
    made->context = make_context();
    if (made->context != NULL) {
        cmsHPROFILE profile = cmsOpenProfileFromMemTHR(made->context, bytes, (cmsUInt32Number)length);
        if (profile != NULL) {
            made->transform = make_transform(made->context, profile, layout, made->has_alpha);
            cmsCloseProfile(profile);
        }
    }
    if (made->transform != NULL) return made;
    color_transform_close(made);
    return NULL;
}

void color_transform_close(color_transform *transform) {
    if (transform->transform != NULL) cmsDeleteTransform(transform->transform);
    if (transform->context != NULL) cmsDeleteContext(transform->context);
    free(transform);
}

void color_transform_apply(const color_transform *transform, const uint8_t *pixels, uint8_t *rgba, size_t count) {
    /* lcms leaves the alpha of the output alone when it has none to copy. */
    if (!transform->has_alpha) memset(rgba, 255, 4 * count);
    cmsDoTransform(transform->transform, pixels, rgba, (cmsUInt32Number)count);
}

static size_t save(cmsHPROFILE profile, uint8_t *bytes, size_t capacity) {
    cmsUInt32Number length = 0;
    if (profile == NULL) return 0;
    if (!cmsSaveProfileToMem(profile, NULL, &length)) length = 0;
    if (length > 0 && length <= capacity && !cmsSaveProfileToMem(profile, bytes, &length)) length = 0;
    cmsCloseProfile(profile);
    return length;
}

size_t color_profile_make_rgb(
    const double white[2], const double primaries[6], double gamma, uint8_t *bytes, size_t capacity) {
    cmsContext context = make_context();
    if (context == NULL) return 0;
    cmsCIExyY white_point = {white[0], white[1], 1};
    cmsCIExyYTRIPLE colors = {
        {primaries[0], primaries[1], 1}, {primaries[2], primaries[3], 1}, {primaries[4], primaries[5], 1}};
    cmsToneCurve *curve = cmsBuildGamma(context, gamma);
    cmsToneCurve *curves[3] = {curve, curve, curve};
    size_t length = curve == NULL
        ? 0 : save(cmsCreateRGBProfileTHR(context, &white_point, &colors, curves), bytes, capacity);
    cmsFreeToneCurve(curve);
    cmsDeleteContext(context);
    return length;
}

size_t color_profile_make_gray(double gamma, uint8_t *bytes, size_t capacity) {
    cmsContext context = make_context();
    if (context == NULL) return 0;
    cmsToneCurve *curve = cmsBuildGamma(context, gamma);
    size_t length = curve == NULL
        ? 0 : save(cmsCreateGrayProfileTHR(context, cmsD50_xyY(), curve), bytes, capacity);
    cmsFreeToneCurve(curve);
    cmsDeleteContext(context);
    return length;
}
