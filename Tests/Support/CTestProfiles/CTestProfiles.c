#include "CTestProfiles.h"

#include <lcms2.h>

static size_t save(cmsHPROFILE profile, uint8_t *bytes, size_t capacity) {
    cmsUInt32Number length = 0;
    if (profile == NULL) return 0;
    if (!cmsSaveProfileToMem(profile, NULL, &length)) length = 0;
    if (length > 0 && length <= capacity && !cmsSaveProfileToMem(profile, bytes, &length)) length = 0;
    cmsCloseProfile(profile);
    return length;
}

size_t test_profile_rgb(
    const double white[2], const double primaries[6], double gamma, uint8_t *bytes, size_t capacity) {
    cmsCIExyY white_point = {white[0], white[1], 1};
    cmsCIExyYTRIPLE colors = {
        {primaries[0], primaries[1], 1}, {primaries[2], primaries[3], 1}, {primaries[4], primaries[5], 1}};
    cmsToneCurve *curve = cmsBuildGamma(NULL, gamma);
    cmsToneCurve *curves[3] = {curve, curve, curve};
    size_t length = save(cmsCreateRGBProfile(&white_point, &colors, curves), bytes, capacity);
    cmsFreeToneCurve(curve);
    return length;
}

size_t test_profile_srgb(uint8_t *bytes, size_t capacity) { return save(cmsCreate_sRGBProfile(), bytes, capacity); }

size_t test_profile_gray(double gamma, uint8_t *bytes, size_t capacity) {
    cmsToneCurve *curve = cmsBuildGamma(NULL, gamma);
    size_t length = save(cmsCreateGrayProfile(cmsD50_xyY(), curve), bytes, capacity);
    cmsFreeToneCurve(curve);
    return length;
}

/* cargo: the lightness of the paper. */
static cmsInt32Number neutral_lab(const cmsUInt16Number in[], cmsUInt16Number out[], void *cargo) {
    double ink = (in[0] + in[1] + in[2]) / 3.0 / 65535.0, black = in[3] / 65535.0;
    cmsCIELab lab = {*(const double *)cargo * (1 - ink) * (1 - black), 0, 0};
    cmsFloat2LabEncoded(out, &lab);
    return TRUE;
}

static int write_table(cmsHPROFILE profile, cmsTagSignature tag, double paper) {
    cmsPipeline *pipeline = cmsPipelineAlloc(NULL, 4, 3);
    cmsStage *table = cmsStageAllocCLut16bit(NULL, 5, 4, 3, NULL);
    int is_good = cmsStageSampleCLut16bit(table, neutral_lab, &paper, 0)
                  && cmsPipelineInsertStage(pipeline, cmsAT_BEGIN, cmsStageAllocToneCurves(NULL, 4, NULL))
                  && cmsPipelineInsertStage(pipeline, cmsAT_END, table)
                  && cmsPipelineInsertStage(pipeline, cmsAT_END, cmsStageAllocToneCurves(NULL, 3, NULL))
                  && cmsWriteTag(profile, tag, pipeline);
    cmsPipelineFree(pipeline);
    return is_good;
}

size_t test_profile_cmyk(uint8_t *bytes, size_t capacity) {
    cmsHPROFILE profile = cmsCreateProfilePlaceholder(NULL);
    cmsSetProfileVersion(profile, 4.3);
    cmsSetDeviceClass(profile, cmsSigOutputClass);
    cmsSetColorSpace(profile, cmsSigCmykData);
    cmsSetPCS(profile, cmsSigLabData);
    if (write_table(profile, cmsSigAToB0Tag, 50) && write_table(profile, cmsSigAToB1Tag, 100))
        return save(profile, bytes, capacity);
    cmsCloseProfile(profile);
    return 0;
}
