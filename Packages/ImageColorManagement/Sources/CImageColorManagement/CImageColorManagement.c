#include "CImageColorManagement.h"

#include "../CLibLCMS/shim.h"
#include <stdlib.h>
#include <string.h>

struct color_transform {
    cmsContext context;
    cmsHTRANSFORM transform;
    color_layout layout;
    uint8_t grays[256 * 4]; /* the RGBA result for each level, for the gray layouts */
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

/* Opens a profile, or sRGB if there are no bytes. */
static cmsHPROFILE open_profile(cmsContext context, const uint8_t *bytes, size_t length) {
    if (bytes == NULL) return cmsCreate_sRGBProfileTHR(context);
    return cmsOpenProfileFromMemTHR(context, bytes, (cmsUInt32Number)length);
}

static cmsHTRANSFORM make_transform(cmsContext context, cmsHPROFILE source, cmsHPROFILE target, color_layout layout) {
    if (source == NULL || target == NULL || !is_image_profile(source, layout)) return NULL;
    return cmsCreateTransformTHR(
        context, source, pixel_type(layout), target, TYPE_RGBA_8, INTENT_RELATIVE_COLORIMETRIC, flags(layout));
}

static void fill_grays(color_transform *result) {
    uint8_t levels[256];
    for (int level = 0; level < 256; level++) levels[level] = (uint8_t)level;
    cmsDoTransform(result->transform, levels, result->grays, 256);
}

color_transform *color_transform_open(
    const uint8_t *source, size_t source_length, color_layout layout, const uint8_t *target, size_t target_length) {
    if (source == NULL || source_length > UINT32_MAX || target_length > UINT32_MAX) return NULL;
    color_transform *result = calloc(1, sizeof *result);
    if (result == NULL) return NULL;
    result->layout = layout;
    result->context = make_context();
    if (result->context != NULL) {
        cmsHPROFILE from = open_profile(result->context, source, source_length);
        cmsHPROFILE to = open_profile(result->context, target, target_length);
        result->transform = make_transform(result->context, from, to, layout);
        if (from != NULL) cmsCloseProfile(from);
        if (to != NULL) cmsCloseProfile(to);
    }
    if (result->transform != NULL) {
        if (layout == color_layout_gray || layout == color_layout_gray_alpha) fill_grays(result);
        return result;
    }
    color_transform_close(result);
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
    /* lcms does not write the alpha of the output if the input has none. */
    if (transform->layout == color_layout_cmyk) memset(rgba, 255, 4 * count);
    cmsDoTransform(transform->transform, pixels, rgba, (cmsUInt32Number)count);
}
