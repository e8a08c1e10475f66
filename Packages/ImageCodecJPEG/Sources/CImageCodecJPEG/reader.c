#include "CImageCodecJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

enum { icc_prefix_length = 14, exif_prefix_length = 6, icc_max_chunks = 255 };

typedef struct segment {
    const uint8_t *start;
    size_t length;
} segment;

struct ilj_reader {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    jmp_buf escape;
    ilj_status failure;
    char message[JMSG_LENGTH_MAX];

    bool ended;              /* the source ran dry and an end-of-image marker was made up */
    JDIMENSION ended_row;    /* the row of blocks that was being read then */
    bool starved;            /* entropy-coded data was missing after that */
    bool contradicts_itself; /* a progressive scan does not continue those before it, as T.81, G.1.1.1 asks */
    int max_scans;
    ilj_layout layout;

    segment exif;
    segment icc[icc_max_chunks + 1];   /* by number, from 1 */
    int icc_count;                     /* how many chunks there should be; 0 before the first */
    bool icc_is_broken;
};

static ilj_reader *owner(j_common_ptr info) { return (ilj_reader *)info->client_data; }

/* ---- errors ---- */

static ilj_status classify(const ilj_reader *reader, int code) {
    switch (code) {
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE:
        return ILJ_OUT_OF_MEMORY;
    case JERR_BAD_PRECISION:
    case JERR_SOF_UNSUPPORTED:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_COMPONENT_COUNT:
    case JERR_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_CCIR601_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
        return ILJ_UNSUPPORTED;
    default:
        return reader->ended ? ILJ_TRUNCATED : ILJ_MALFORMED;
    }
}

static void fail(j_common_ptr info) {
    ilj_reader *reader = owner(info);
    info->err->format_message(info, reader->message);
    reader->failure = classify(reader, info->err->msg_code);
    longjmp(reader->escape, 1);
}

static void note(j_common_ptr info, int level) {
    if (level >= 0) return;
    info->err->num_warnings++;
    ilj_reader *reader = owner(info);
    if (info->err->msg_code == JWRN_HIT_MARKER && reader->ended) reader->starved = true;
    if (info->err->msg_code == JWRN_BOGUS_PROGRESSION) reader->contradicts_itself = true;
}

static void print_nothing(j_common_ptr info) { (void)info; }

/* Called between rows of blocks while a picture of several scans is read in. Only a progressive picture can rightly have
   more scans than components, and only as long as each continues those before it. */
static void watch_scans(j_common_ptr info) {
    ilj_reader *reader = owner(info);
    if (reader->info.input_scan_number <= reader->max_scans) return;
    bool is_malformed = !reader->info.progressive_mode || reader->contradicts_itself;
    reader->failure = is_malformed ? ILJ_MALFORMED : ILJ_TOO_MANY_SCANS;
    strcpy(reader->message, "scans that contradict each other");
    longjmp(reader->escape, 1);
}

/* ---- source: one buffer that holds the whole file ---- */

static void begin_source(j_decompress_ptr info) { (void)info; }

static void end_source(j_decompress_ptr info) { (void)info; }

static boolean fill_with_end_of_image(j_decompress_ptr info) {
    static const JOCTET marker[] = {0xFF, JPEG_EOI};
    ilj_reader *reader = owner((j_common_ptr)info);
    if (!reader->ended) {
        reader->ended = true;
        reader->ended_row = info->input_iMCU_row;
    }
    info->src->next_input_byte = marker;
    info->src->bytes_in_buffer = sizeof marker;
    return TRUE;
}

static void skip(j_decompress_ptr info, long count) {
    if (count <= 0) return;
    struct jpeg_source_mgr *source = info->src;
    if ((size_t)count > source->bytes_in_buffer) {
        fill_with_end_of_image(info);
    } else {
        source->next_input_byte += count;
        source->bytes_in_buffer -= (size_t)count;
    }
}

/* ---- APP1 and APP2: remembered where they are, not copied ---- */

static void keep_exif(ilj_reader *reader, segment found) {
    if (reader->exif.start || found.length < exif_prefix_length) return;
    if (memcmp(found.start, "Exif\0\0", exif_prefix_length) == 0) reader->exif = found;
}

static void keep_icc(ilj_reader *reader, segment found) {
    if (found.length < icc_prefix_length || memcmp(found.start, "ICC_PROFILE", 12) != 0) return;
    int number = found.start[12], count = found.start[13];
    if (reader->icc_count == 0) reader->icc_count = count;
    if (count != reader->icc_count || number < 1 || number > count || reader->icc[number].start) {
        reader->icc_is_broken = true;
        return;
    }
    reader->icc[number].start = found.start + icc_prefix_length;
    reader->icc[number].length = found.length - icc_prefix_length;
}

static boolean keep_marker(j_decompress_ptr info) {
    ilj_reader *reader = owner((j_common_ptr)info);
    struct jpeg_source_mgr *source = info->src;
    if (source->bytes_in_buffer < 2) return fill_with_end_of_image(info);
    size_t length = (size_t)source->next_input_byte[0] << 8 | source->next_input_byte[1];
    if (length >= 2 && length <= source->bytes_in_buffer && !reader->ended) {
        segment found = {source->next_input_byte + 2, length - 2};
        if (info->unread_marker == JPEG_APP0 + 1) keep_exif(reader, found);
        if (info->unread_marker == JPEG_APP0 + 2) keep_icc(reader, found);
    }
    skip(info, length < 2 ? 2 : (long)length);
    return TRUE;
}

static size_t icc_length(const ilj_reader *reader) {
    if (reader->icc_is_broken) return 0;
    size_t sum = 0;
    for (int number = 1; number <= reader->icc_count; number++) {
        if (!reader->icc[number].start) return 0;
        sum += reader->icc[number].length;
    }
    return sum;
}

void ilj_reader_copy_icc(const ilj_reader *reader, uint8_t *profile) {
    for (int number = 1; number <= reader->icc_count; number++) {
        memcpy(profile, reader->icc[number].start, reader->icc[number].length);
        profile += reader->icc[number].length;
    }
}

/* ---- life ---- */

static void connect(ilj_reader *reader, const uint8_t *bytes, size_t count) {
    struct jpeg_decompress_struct *info = &reader->info;
    reader->source.next_input_byte = bytes;
    reader->source.bytes_in_buffer = count;
    reader->source.init_source = begin_source;
    reader->source.fill_input_buffer = fill_with_end_of_image;
    reader->source.skip_input_data = skip;
    reader->source.resync_to_restart = jpeg_resync_to_restart;
    reader->source.term_source = end_source;
    info->src = &reader->source;
    reader->progress.progress_monitor = watch_scans;
    info->progress = &reader->progress;
    jpeg_set_marker_processor(info, JPEG_APP0 + 1, keep_marker);
    jpeg_set_marker_processor(info, JPEG_APP0 + 2, keep_marker);
}

static bool set_up(ilj_reader *reader, const uint8_t *bytes, size_t count) {
    reader->info.err = jpeg_std_error(&reader->errors);
    reader->errors.error_exit = fail;
    reader->errors.emit_message = note;
    reader->errors.output_message = print_nothing;
    reader->info.client_data = reader;
    reader->max_scans = 1;
    if (setjmp(reader->escape)) return false;
    jpeg_create_decompress(&reader->info);
    connect(reader, bytes, count);
    return true;
}

ilj_reader *ilj_reader_create(const uint8_t *bytes, size_t count) {
    ilj_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    if (set_up(reader, bytes, count)) return reader;
    ilj_reader_destroy(reader);
    return NULL;
}

void ilj_reader_destroy(ilj_reader *reader) {
    if (!reader) return;
    jpeg_destroy_decompress(&reader->info);
    free(reader);
}

/* ---- reading ---- */

static ilj_model model(const struct jpeg_decompress_struct *info) {
    switch (info->jpeg_color_space) {
    case JCS_GRAYSCALE: return ILJ_GRAY;
    case JCS_RGB:
    case JCS_YCbCr: return ILJ_COLOR;
    case JCS_CMYK:
    case JCS_YCCK: return ILJ_CMYK;
    default: return ILJ_OTHER;
    }
}

static uint64_t round_up(uint64_t value, int step) { return (value + (uint64_t)step - 1) / (uint64_t)step * (uint64_t)step; }

static uint64_t coefficient_bytes(const struct jpeg_decompress_struct *info) {
    uint64_t blocks = 0;
    for (int index = 0; index < info->num_components; index++) {
        const jpeg_component_info *component = &info->comp_info[index];
        blocks += round_up(component->width_in_blocks, component->h_samp_factor)
            * round_up(component->height_in_blocks, component->v_samp_factor);
    }
    return blocks * sizeof(JBLOCK);
}

ilj_status ilj_reader_read_header(ilj_reader *reader, ilj_header *header) {
    if (setjmp(reader->escape)) return reader->failure;
    struct jpeg_decompress_struct *info = &reader->info;
    jpeg_read_header(info, TRUE);
    header->width = (int)info->image_width;
    header->height = (int)info->image_height;
    header->model = model(info);
    header->has_multiple_scans = jpeg_has_multiple_scans(info);
    header->coefficient_bytes = header->has_multiple_scans ? coefficient_bytes(info) : 0;
    header->exif = reader->exif.start;
    header->exif_length = reader->exif.length;
    header->icc_length = icc_length(reader);
    return ILJ_OK;
}

/* True when the source ran dry and something of the picture was still to come. A missing end marker alone is forgiven. */
static bool is_short(const ilj_reader *reader) {
    const struct jpeg_decompress_struct *info = &reader->info;
    if (!reader->ended) return false;
    if (reader->starved) return true;
    if (info->arith_code && reader->ended_row + 1 < info->total_iMCU_rows) return true;
    for (int index = 0; index < info->num_components; index++) {
        if (!info->comp_info[index].quant_table) return true;    /* no scan of this component was seen */
        if (!info->progressive_mode || !info->coef_bits) continue;
        for (int coefficient = 0; coefficient < DCTSIZE2; coefficient++)
            if (info->coef_bits[index][coefficient] != 0) return true;
    }
    return false;
}

static J_COLOR_SPACE output_space(const ilj_reader *reader) {
    switch (reader->layout) {
    case ILJ_GRAY8: return JCS_GRAYSCALE;
    case ILJ_CMYK8: return JCS_CMYK;
    default: return model(&reader->info) == ILJ_CMYK ? JCS_CMYK : JCS_EXT_RGBA;
    }
}

ilj_status ilj_reader_start(ilj_reader *reader, ilj_layout layout, int denominator, long memory, int max_scans) {
    if (setjmp(reader->escape)) return reader->failure;
    struct jpeg_decompress_struct *info = &reader->info;
    reader->layout = layout;
    reader->max_scans = max_scans;
    info->mem->max_memory_to_use = memory;
    info->scale_num = 1;
    info->scale_denom = (unsigned int)denominator;
    info->out_color_space = output_space(reader);
    info->dct_method = JDCT_ISLOW;
    info->do_fancy_upsampling = TRUE;
    info->do_block_smoothing = denominator == 1;
    jpeg_start_decompress(info);
    return jpeg_has_multiple_scans(info) && is_short(reader) ? ILJ_TRUNCATED : ILJ_OK;
}

void ilj_reader_output_size(const ilj_reader *reader, int *width, int *height) {
    *width = (int)reader->info.output_width;
    *height = (int)reader->info.output_height;
}

int ilj_reader_scan_number(const ilj_reader *reader) { return reader->info.input_scan_number; }

const char *ilj_reader_message(const ilj_reader *reader) { return reader->message; }

/* ---- ink ---- */

/* Adobe's programs store 255 for no ink (and mark the file so); everyone else, as ITU-T T.872 says, 0. */
static void invert(uint8_t *row, size_t count) {
    for (size_t index = 0; index < count; index++) row[index] = (uint8_t)~row[index];
}

/* From light that passes each ink, 255 for no ink, to RGBA. */
static void multiply_inks(uint8_t *row, size_t width) {
    for (size_t x = 0; x < width; x++, row += 4) {
        unsigned key = row[3];
        for (int channel = 0; channel < 3; channel++) row[channel] = (uint8_t)((row[channel] * key + 127) / 255);
        row[3] = 255;
    }
}

static void finish_row(const ilj_reader *reader, uint8_t *row) {
    if (reader->info.out_color_space != JCS_CMYK) return;
    size_t width = reader->info.output_width;
    bool stores_light = reader->info.saw_Adobe_marker;
    bool wants_light = reader->layout == ILJ_RGBA8;
    if (stores_light != wants_light) invert(row, width * 4);
    if (wants_light) multiply_inks(row, width);
}

ilj_status ilj_reader_read_rows(ilj_reader *reader, uint8_t *rows, size_t stride, int capacity, int *produced) {
    *produced = 0;
    if (setjmp(reader->escape)) return reader->failure;
    struct jpeg_decompress_struct *info = &reader->info;
    while (*produced < capacity && info->output_scanline < info->output_height) {
        JSAMPROW wanted[16];
        int count = capacity - *produced < 16 ? capacity - *produced : 16;
        for (int index = 0; index < count; index++) wanted[index] = rows + stride * (size_t)(*produced + index);
        int got = (int)jpeg_read_scanlines(info, wanted, (JDIMENSION)count);
        for (int index = 0; index < got; index++) finish_row(reader, wanted[index]);
        *produced += got;
        if (is_short(reader)) return ILJ_TRUNCATED;
        if (got == 0) break;
    }
    return ILJ_OK;
}
