#include "reader.h"

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
    case JERR_IMAGE_TOO_BIG:      /* libjpeg's limit is below the format's */
        return ILJ_UNSUPPORTED;
    default:
        return reader->reached_end ? ILJ_TRUNCATED : ILJ_MALFORMED;
    }
}

static void fail(j_common_ptr info) {
    ilj_reader *reader = owner(info);
    info->err->format_message(info, reader->message);
    reader->failure = classify(reader, info->err->msg_code);
    longjmp(reader->escape, 1);
}

static void record_warning(j_common_ptr info, int level) {
    if (level >= 0) return;
    info->err->num_warnings++;
    ilj_reader *reader = owner(info);
    if (info->err->msg_code == JWRN_HIT_MARKER && reader->reached_end && !reader->lacks_data) {
        reader->lacks_data = true;
        reader->first_incomplete_row = reader->info.input_iMCU_row;
    }
    if (info->err->msg_code == JWRN_BOGUS_PROGRESSION) reader->has_invalid_progression = true;
}

void ilj_fail(ilj_reader *reader, ilj_status failure, const char *message) {
    reader->failure = failure;
    snprintf(reader->message, sizeof reader->message, "%s", message);
    longjmp(reader->escape, 1);
}

static void print_nothing(j_common_ptr info) { (void)info; }

/* ---- creating and destroying ---- */

static bool set_up(ilj_reader *reader, const uint8_t *bytes, size_t count) {
    reader->info.err = jpeg_std_error(&reader->errors);
    reader->errors.error_exit = fail;
    reader->errors.emit_message = record_warning;
    reader->errors.output_message = print_nothing;
    reader->info.client_data = reader;
    if (setjmp(reader->escape)) return false;
    jpeg_create_decompress(&reader->info);
    ilj_connect(reader, bytes, count);
    return true;
}

ilj_reader *ilj_reader_create(const uint8_t *bytes, size_t count) {
    ilj_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    if (set_up(reader, bytes, count)) return reader;
    ilj_reader_destroy(reader);
    return NULL;
}

ilj_reader *ilj_reader_create_stream(size_t metadata_limit) {
    ilj_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    reader->is_stream = true;
    reader->metadata_limit = metadata_limit;
    if (set_up(reader, NULL, 0)) return reader;
    ilj_reader_destroy(reader);
    return NULL;
}

void ilj_reader_destroy(ilj_reader *reader) {
    if (!reader) return;
    jpeg_destroy_decompress(&reader->info);
    ilj_free_metadata(reader);
    ilj_free_arrays(reader);
    free(reader->owned_bytes);
    free(reader);
}

/* ---- reading ---- */

static ilj_color_model model(const struct jpeg_decompress_struct *info) {
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

static void set_scale(ilj_reader *reader, int denominator) {
    reader->skips_scans = denominator > 1 && reader->info.progressive_mode;
    reader->info.scale_num = 1;
    reader->info.scale_denom = (unsigned int)denominator;
}

static uint64_t coefficient_bytes(ilj_reader *reader, int denominator) {
    struct jpeg_decompress_struct *info = &reader->info;
    if (!jpeg_has_multiple_scans(info)) return 0;
    set_scale(reader, denominator);
    jpeg_calc_output_dimensions(info);
    uint64_t bytes = 0;
    for (int index = 0; index < info->num_components; index++) {
        const jpeg_component_info *component = &info->comp_info[index];
        uint64_t blocks = round_up(component->width_in_blocks, component->h_samp_factor)
            * round_up(component->height_in_blocks, component->v_samp_factor);
        bytes += blocks * (ilj_keeps_dc_only(reader, index) ? sizeof(JCOEF) : sizeof(JBLOCK));
    }
    return bytes;
}

ilj_status ilj_reader_read_header(ilj_reader *reader, ilj_header *header) {
    if (setjmp(reader->escape)) return reader->failure;
    struct jpeg_decompress_struct *info = &reader->info;
    if (reader->is_stream) ilj_feed(reader, reader->position, reader->count, true, false);
    bool is_complete = jpeg_read_header(info, TRUE) != JPEG_SUSPENDED;
    if (reader->reached_end) ilj_fail(reader, ILJ_TRUNCATED, "the header is incomplete");
    reader->position = ilj_position(reader);
    if (!is_complete) return ILJ_INCOMPLETE;
    reader->header_is_read = true;
    header->width = (int)info->image_width;
    header->height = (int)info->image_height;
    header->model = model(info);
    header->has_multiple_scans = jpeg_has_multiple_scans(info);
    header->is_progressive = info->progressive_mode;
    for (int index = 0; index < 4; index++) header->coefficient_bytes[index] = coefficient_bytes(reader, 1 << index);
    header->exif_count = reader->exif_count;
    header->icc_length = ilj_icc_length(reader);
    header->has_gain_map = reader->has_gain_map;
    return ILJ_OK;
}

/* Returns whether the file is truncated before the end of the image. A missing end marker alone is accepted. */
static bool has_missing_data(const ilj_reader *reader) {
    const struct jpeg_decompress_struct *info = &reader->info;
    if (!reader->reached_end) return false;
    if (reader->lacks_data) return true;
    if (info->arith_code && reader->end_row + 1 < info->total_iMCU_rows) return true;
    return !ilj_has_enough(reader);
}

/* Returns the number of valid rows: those above the first missing block, minus one that upsampling would have
   interpolated with its neighbor below. All rows are valid once a scan of the whole image has been read. */
static JDIMENSION valid_rows(const ilj_reader *reader) {
    const struct jpeg_decompress_struct *info = &reader->info;
    if (!has_missing_data(reader) || reader->scans_read > 1) return info->output_height;
    if (!reader->lacks_data && !info->arith_code) return info->output_height;
    JDIMENSION blocks = reader->lacks_data ? reader->first_incomplete_row : reader->end_row;
    JDIMENSION rows = blocks * (JDIMENSION)(info->max_v_samp_factor * MIN_DCT_LINES(info));
    if (rows > 0 && info->max_v_samp_factor > 1) rows--;
    return rows < info->output_height ? rows : info->output_height;
}

static J_COLOR_SPACE output_space(const ilj_reader *reader) {
    switch (reader->layout) {
    case ILJ_GRAY8: return JCS_GRAYSCALE;
    case ILJ_CMYK8: return JCS_CMYK;
    default: return model(&reader->info) == ILJ_CMYK ? JCS_CMYK : JCS_EXT_RGBA;
    }
}

ilj_status ilj_reader_start(ilj_reader *reader, ilj_options options) {
    if (setjmp(reader->escape)) return reader->failure;
    struct jpeg_decompress_struct *info = &reader->info;
    reader->layout = options.layout;
    reader->max_scans = options.max_scans;
    set_scale(reader, options.denominator);
    reader->prefers_speed = options.prefers_speed;
    info->mem->max_memory_to_use = options.memory;
    info->out_color_space = output_space(reader);
    info->dct_method = JDCT_ISLOW;
    info->do_fancy_upsampling = TRUE;
    info->do_block_smoothing = options.denominator == 1;
    info->buffered_image = jpeg_has_multiple_scans(info);
    reader->needs_scan_data = info->buffered_image;
    if (info->buffered_image) ilj_replace_arrays(reader);
    jpeg_start_decompress(info);
    return ILJ_OK;
}

ilj_status ilj_reader_start_pass(ilj_reader *reader) {
    if (setjmp(reader->escape)) return reader->failure;
    jpeg_start_output(&reader->info, reader->info.input_scan_number);
    reader->info.output_scan_number = 0;   /* far behind the input, so that libjpeg never waits for it */
    return ILJ_OK;
}

ilj_status ilj_reader_end_pass(ilj_reader *reader) {
    if (setjmp(reader->escape)) return reader->failure;
    jpeg_finish_output(&reader->info);
    return ILJ_OK;
}

void ilj_reader_output_size(const ilj_reader *reader, int *width, int *height) {
    *width = (int)reader->info.output_width;
    *height = (int)reader->info.output_height;
}

ilj_status ilj_reader_crop(ilj_reader *reader, int *left, int *width) {
    if (setjmp(reader->escape)) return reader->failure;
    struct jpeg_decompress_struct *info = &reader->info;
    /* Upsampling interpolates with the neighbors, but not at the edges of what libjpeg decodes. */
    int margin = info->max_h_samp_factor * DCTSIZE, end = *left + *width + margin;
    JDIMENSION first = (JDIMENSION)(*left > margin ? *left - margin : 0);
    JDIMENSION count = (end < (int)info->output_width ? (JDIMENSION)end : info->output_width) - first;
    jpeg_crop_scanline(info, &first, &count);
    *left = (int)first;
    *width = (int)count;
    return ILJ_OK;
}

ilj_status ilj_reader_skip_rows(ilj_reader *reader, int count) {
    if (setjmp(reader->escape)) return reader->failure;
    jpeg_skip_scanlines(&reader->info, (JDIMENSION)count);
    return ILJ_OK;
}

const char *ilj_reader_message(const ilj_reader *reader) { return reader->message; }

/* ---- CMYK ---- */

static void invert(uint8_t *row, size_t count) {
    for (size_t index = 0; index < count; index++) row[index] = (uint8_t)~row[index];
}

/* Converts stored CMYK to RGBA. */
static void convert_to_rgba(uint8_t *row, size_t width) {
    for (size_t x = 0; x < width; x++, row += 4) {
        unsigned key = row[3];
        for (int channel = 0; channel < 3; channel++) row[channel] = (uint8_t)((row[channel] * key + 127) / 255);
        row[3] = 255;
    }
}

/* Files store CMYK inverted, with 255 for no ink: as Adobe's programs write it, and as browsers and other decoders read
   every file, with and without Adobe's marker. ITU-T T.872 has 0 for no ink in a file without the marker. */
static void finish_row(const ilj_reader *reader, uint8_t *row) {
    if (reader->info.out_color_space != JCS_CMYK) return;
    size_t width = reader->info.output_width;
    if (reader->layout == ILJ_RGBA8) convert_to_rgba(row, width);
    else invert(row, width * 4);
}

/* Reads a few rows. Returns whether there may be more. */
static bool read_some_rows(ilj_reader *reader, uint8_t *rows, size_t stride, int capacity, int *produced) {
    struct jpeg_decompress_struct *info = &reader->info;
    if (*produced >= capacity || info->output_scanline >= valid_rows(reader)) return false;
    JSAMPROW wanted[16];
    int count = capacity - *produced < 16 ? capacity - *produced : 16;
    for (int index = 0; index < count; index++) wanted[index] = rows + stride * (size_t)(*produced + index);
    int got = (int)jpeg_read_scanlines(info, wanted, (JDIMENSION)count);
    for (int index = 0; index < got; index++) finish_row(reader, wanted[index]);
    *produced += got;
    return got > 0;
}

ilj_status ilj_reader_read_rows(ilj_reader *reader, uint8_t *rows, size_t stride, int capacity, int *produced) {
    *produced = 0;
    if (setjmp(reader->escape)) return reader->failure;
    while (read_some_rows(reader, rows, stride, capacity, produced)) {}
    if (reader->is_stream && reader->suspends && !reader->info.buffered_image)
        reader->position = ilj_position(reader);
    JDIMENSION valid = valid_rows(reader), read = reader->info.output_scanline;
    if (!has_missing_data(reader) || read < valid) return ILJ_OK;
    JDIMENSION excess = read - valid;
    *produced = excess < (JDIMENSION)*produced ? *produced - (int)excess : 0;
    return ILJ_TRUNCATED;
}
