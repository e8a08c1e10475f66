#include "CImageColorManaging.h"

#include <lcms2.h>
#include <stdlib.h>
#include <string.h>

struct color_transform {
    cmsContext context;
    cmsHTRANSFORM transform;
    color_layout layout;
    uint8_t grays[256 * 4]; /* what each level becomes, for the gray layouts */
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
    default: return TYPE_GRAY_8;
    }
}

/* Gray goes through a table of its 256 levels. For that the curves are evaluated as they are: the optimiser's table
   of 33 points is off by some levels where a curve is steep. */
static cmsUInt32Number flags(color_layout layout) {
    switch (layout) {
    case color_layout_rgba: return cmsFLAGS_COPY_ALPHA;
    case color_layout_cmyk: return 0;
    default: return cmsFLAGS_NOOPTIMIZE;
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

static cmsHTRANSFORM make_transform(cmsContext context, cmsHPROFILE profile, color_layout layout) {
    if (!describes_pictures(profile, layout)) return NULL;
    cmsHPROFILE srgb = cmsCreate_sRGBProfileTHR(context);
    if (srgb == NULL) return NULL;
    cmsHTRANSFORM transform = cmsCreateTransformTHR(
        context, profile, pixel_type(layout), srgb, TYPE_RGBA_8, INTENT_RELATIVE_COLORIMETRIC,
        flags(layout));
    cmsCloseProfile(srgb);
    return transform;
}

static void fill_grays(color_transform *made) {
    uint8_t levels[256];
    for (int level = 0; level < 256; level++) levels[level] = (uint8_t)level;
    cmsDoTransform(made->transform, levels, made->grays, 256);
}

color_transform *color_transform_open(const uint8_t *bytes, size_t length, color_layout layout) {
    if (bytes == NULL || length > UINT32_MAX) return NULL;
    color_transform *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    made->layout = layout;
    made->context = make_context();
    if (made->context != NULL) {
        cmsHPROFILE profile = cmsOpenProfileFromMemTHR(made->context, bytes, (cmsUInt32Number)length);
        if (profile != NULL) {
            made->transform = make_transform(made->context, profile, layout);
            cmsCloseProfile(profile);
        }
    }
    if (made->transform != NULL) {
        if (layout == color_layout_gray || layout == color_layout_gray_alpha) fill_grays(made);
        return made;
    }
    color_transform_close(made);
    return NULL;
}

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

void color_transform_apply(const color_transform *transform, const uint8_t *pixels, uint8_t *rgba, size_t count) {
    if (transform->layout == color_layout_gray || transform->layout == color_layout_gray_alpha) {
        apply_grays(transform, pixels, rgba, count);
        return;
    }
    /* lcms leaves the alpha of the output alone when it has none to copy. */
    if (transform->layout == color_layout_cmyk) memset(rgba, 255, 4 * count);
    cmsDoTransform(transform->transform, pixels, rgba, (cmsUInt32Number)count);
}
