#ifdef HEIF

#include "Planes.h"

#include "../CLibDE265/shim.h"
#include <stdlib.h>

enum { alignment = 32 };

/* The names have an 8, but libde265 uses them for all depths. */
static enum de265_image_format format_of(heic_format format) {
    if (format.across == 0) return de265_image_format_mono8;
    if (format.across == 1) return de265_image_format_YUV444P8;
    return format.down == 1 ? de265_image_format_YUV422P8 : de265_image_format_YUV420P8;
}

/* Allocates the samples of a picture in this format, or returns NULL. The memory is cleared, because libde265 leaves parts of damaged
   pictures as they are, which would show what was in memory before. */
static uint8_t *allocate_samples(
    const heic_planes *planes, const struct de265_image_spec *spec, struct de265_image *image) {
    size_t offsets[3] = {0}, total = alignment;
    int strides[3] = {0};
    /* By the check of the sequence parameter set, less than 64 samples are outside of the picture. */
    int added_columns = spec->width - planes->format.width, added_rows = spec->height - planes->format.height;
    if (added_columns < 0 || added_columns > 63 || added_rows < 0 || added_rows > 63) return NULL;
    if (spec->format != format_of(planes->format)) return NULL;
    for (int plane = 0; plane < plane_count(planes); plane++) {
        int rows = rounded_up(spec->height, down_of(planes, plane)) + 1;
        int samples = rounded_up(rounded_up(spec->width, across_of(planes, plane)), alignment) * alignment;
        strides[plane] = samples * bytes_per_sample(planes);
        offsets[plane] = total;
        total += (size_t)strides[plane] * (size_t)rows;
    }
    uint8_t *memory = calloc(1, total);
    if (memory == NULL) return NULL;
    uintptr_t unaligned = (uintptr_t)memory % alignment;
    for (int plane = 0; plane < 3; plane++) {
        uint8_t *samples = memory + offsets[plane] - unaligned;
        de265_set_image_plane(image, plane, plane < plane_count(planes) ? samples : NULL, strides[plane], memory);
    }
    return memory;
}

/* Allocates the planes of the only picture. */
static int allocate(
    de265_decoder_context *decoder, struct de265_image_spec *spec, struct de265_image *image, void *user_data) {
    heic_planes *planes = user_data;
    (void)decoder;
    if (planes->memory != NULL) return 0;
    planes->memory = allocate_samples(planes, spec, image);
    return planes->memory != NULL;
}

/* The memory belongs to the planes, which outlive the decoder. */
static void release(de265_decoder_context *decoder, struct de265_image *image, void *user_data) {
    (void)decoder;
    (void)image;
    (void)user_data;
}

static heic_outcome outcome_of(de265_error error) {
    switch (error) {
    case DE265_OK: return heic_ok;
    case DE265_ERROR_OUT_OF_MEMORY: return heic_out_of_memory;
    case DE265_ERROR_NOT_IMPLEMENTED_YET: return heic_unsupported;
    default: return heic_malformed;
    }
}

static heic_outcome push(de265_decoder_context *decoder, const uint8_t *units, size_t length) {
    while (length >= 4) {
        size_t unit = (size_t)units[0] << 24 | (size_t)units[1] << 16 | (size_t)units[2] << 8 | units[3];
        if (unit > length - 4 || unit > INT32_MAX) return heic_malformed;
        heic_outcome outcome = outcome_of(de265_push_NAL(decoder, units + 4, (int)unit, 0, NULL));
        if (outcome != heic_ok) return outcome;
        units += 4 + unit;
        length -= 4 + unit;
    }
    return heic_ok;
}

/* Decodes until the picture is complete, or more data is needed. Warnings mean that the data is damaged. */
static heic_outcome run(de265_decoder_context *decoder) {
    heic_outcome outcome = heic_ok;
    /* Each step decodes a NAL unit. At the end, libde265 asks for more steps until the picture is removed. */
    int more = 1, steps = 2 * de265_get_number_of_NAL_units_pending(decoder) + 16;
    while (outcome == heic_ok && more && steps > 0 && de265_peek_next_picture(decoder) == NULL) {
        more = 0;
        steps -= 1;
        de265_error error = de265_decode(decoder, &more);
        if (error == DE265_ERROR_WAITING_FOR_INPUT_DATA) break;
        outcome = outcome_of(error);
    }
    de265_error warning = de265_get_warning(decoder);
    if (warning == DE265_WARNING_NO_WPP_CANNOT_USE_MULTITHREADING) warning = de265_get_warning(decoder);
    return outcome == heic_ok && warning != DE265_OK ? heic_malformed : outcome;
}

static enum de265_chroma chroma_of(heic_format format) {
    if (format.across == 0) return de265_chroma_mono;
    if (format.across == 1) return de265_chroma_444;
    return format.down == 1 ? de265_chroma_422 : de265_chroma_420;
}

/* Sets the rows of the planes to those of the picture, without the parts outside of its conformance window. */
static heic_outcome take(const struct de265_image *image, heic_planes *planes) {
    heic_format format = planes->format;
    if (image == NULL || planes->memory == NULL) return heic_malformed;
    if (de265_get_chroma_format(image) != chroma_of(format)) return heic_malformed;
    for (int plane = 0; plane < plane_count(planes); plane++) {
        int stride = 0, height = rounded_up(format.height, down_of(planes, plane));
        if (de265_get_image_width(image, plane) != plane_width(planes, plane)) return heic_malformed;
        if (de265_get_image_height(image, plane) != height) return heic_malformed;
        if (de265_get_bits_per_pixel(image, plane) != format.bit_depth) return heic_malformed;
        planes->samples[plane] = de265_get_image_plane(image, plane, &stride);
        if (planes->samples[plane] == NULL || stride < plane_width(planes, plane) * bytes_per_sample(planes)) return heic_malformed;
        planes->stride[plane] = (size_t)stride;
    }
    planes->color = (heic_color){
        .primaries = de265_get_image_colour_primaries(image),
        .transfer = de265_get_image_transfer_characteristics(image),
        .matrix = de265_get_image_matrix_coefficients(image),
        .is_full_range = de265_get_image_full_range_flag(image)};
    planes->row_count = format.height;
    return heic_ok;
}

/* Decodes the picture whose slices are in the queue. libde265 only uses the functions for memory if there is no sample adaptive offset.
   It allocates memory with the first slice, and applies the filter after the last one, when it knows that no more data follows. */
static heic_outcome decode_picture(de265_decoder_context *decoder) {
    de265_set_parameter_bool(decoder, DE265_DECODER_PARAM_DISABLE_SAO, 1);
    heic_outcome outcome = run(decoder);
    de265_set_parameter_bool(decoder, DE265_DECODER_PARAM_DISABLE_SAO, 0);
    de265_push_end_of_frame(decoder);
    return outcome == heic_ok ? run(decoder) : outcome;
}

/* Decodes a picture into memory of the planes. */
static heic_outcome decode(
    de265_decoder_context *decoder, const uint8_t *sets, size_t sets_length, const uint8_t *slices, size_t slices_length,
    heic_planes *planes) {
    struct de265_image_allocation allocation = {.get_buffer = allocate, .release_buffer = release};
    de265_set_image_allocation_functions(decoder, &allocation, planes);
    heic_outcome outcome = push(decoder, sets, sets_length);
    if (outcome == heic_ok) outcome = push(decoder, slices, slices_length);
    if (outcome == heic_ok) outcome = decode_picture(decoder);
    return outcome == heic_ok ? take(de265_peek_next_picture(decoder), planes) : outcome;
}

heic_outcome heic_planes_decode(
    const uint8_t *sets, size_t sets_length, const uint8_t *slices, size_t slices_length, heic_format format,
    heic_planes **result) {
    heic_planes *planes = planes_without_memory(format, format.height);
    de265_decoder_context *decoder = de265_new_decoder();
    heic_outcome outcome = heic_out_of_memory;
    if (planes != NULL && decoder != NULL) outcome = decode(decoder, sets, sets_length, slices, slices_length, planes);
    if (decoder != NULL) de265_free_decoder(decoder);
    if (outcome == heic_ok) {
        *result = planes;
    } else if (planes != NULL) {
        heic_planes_close(planes);
    }
    return outcome;
}

struct heic_stream {
    de265_decoder_context *decoder;
    heic_planes shape; /* has the format of the pictures, and no samples */
    int picture_count, picture_limit;
};

static int allocate_picture(
    de265_decoder_context *decoder, struct de265_image_spec *spec, struct de265_image *image, void *user_data) {
    heic_stream *stream = user_data;
    (void)decoder;
    if (stream->picture_count >= stream->picture_limit) return 0;
    if (allocate_samples(&stream->shape, spec, image) == NULL) return 0;
    stream->picture_count += 1;
    return 1;
}

static void release_picture(de265_decoder_context *decoder, struct de265_image *image, void *user_data) {
    heic_stream *stream = user_data;
    (void)decoder;
    stream->picture_count -= 1;
    free(de265_get_image_plane_user_data(image, 0));
}

heic_stream *heic_stream_open(const uint8_t *sets, size_t sets_length, heic_format format, int picture_limit) {
    struct de265_image_allocation allocation = {.get_buffer = allocate_picture, .release_buffer = release_picture};
    heic_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) return NULL;
    stream->shape.format = format;
    stream->picture_limit = picture_limit;
    stream->decoder = de265_new_decoder();
    if (stream->decoder != NULL) {
        /* Pictures that refer to missing ones would show gray. */
        de265_set_parameter_bool(stream->decoder, DE265_DECODER_PARAM_SUPPRESS_FAULTY_PICTURES, 1);
        de265_set_image_allocation_functions(stream->decoder, &allocation, stream);
        if (push(stream->decoder, sets, sets_length) == heic_ok) return stream;
    }
    heic_stream_close(stream);
    return NULL;
}

void heic_stream_close(heic_stream *stream) {
    if (stream->decoder != NULL) de265_free_decoder(stream->decoder);
    free(stream);
}

/* Copies the samples of a picture, which belong to the decoder. */
static heic_outcome copy(const struct de265_image *image, const heic_stream *stream, heic_planes **result) {
    heic_planes picture = stream->shape;
    if (image == NULL) return heic_malformed;
    picture.memory = de265_get_image_plane_user_data(image, 0);
    heic_outcome outcome = take(image, &picture);
    if (outcome != heic_ok) return outcome;
    heic_planes *planes = heic_planes_create(picture.format, picture.format.height);
    if (planes == NULL) return heic_out_of_memory;
    heic_planes_paste(planes, &picture, 0);
    heic_planes_add_rows(planes, picture.format.height);
    planes->color = picture.color;
    *result = planes;
    return heic_ok;
}

heic_outcome heic_stream_decode(heic_stream *stream, const uint8_t *slices, size_t length, heic_planes **planes) {
    heic_outcome outcome = push(stream->decoder, slices, length);
    if (outcome == heic_ok) outcome = decode_picture(stream->decoder);
    if (outcome == heic_ok && planes != NULL) outcome = copy(de265_peek_next_picture(stream->decoder), stream, planes);
    while (de265_peek_next_picture(stream->decoder) != NULL) de265_release_next_picture(stream->decoder);
    return outcome;
}

#endif
