#include "CImageCodecJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "../CLibJPEG/shim.h"
#include <jerror.h>

struct ilj_writer {
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_destination_mgr destination;
    struct jpeg_progress_mgr progress;
    bool (*is_cancelled)(void);
    bool was_cancelled;
    jmp_buf escape;
    char message[JMSG_LENGTH_MAX];
    uint8_t *bytes;
    size_t count, capacity;
};

static ilj_writer *owner(j_compress_ptr info) { return (ilj_writer *)info->client_data; }

static void fail(j_common_ptr info) {
    ilj_writer *writer = (ilj_writer *)info->client_data;
    info->err->format_message(info, writer->message);
    longjmp(writer->escape, 1);
}

static void ignore(j_common_ptr info, int level) {
    (void)info;
    (void)level;
}

static void print_nothing(j_common_ptr info) { (void)info; }

static void note_progress(j_common_ptr info) {
    ilj_writer *writer = (ilj_writer *)info->client_data;
    writer->was_cancelled = writer->is_cancelled();
    if (writer->was_cancelled) longjmp(writer->escape, 1);
}

static ilj_status failure(const ilj_writer *writer) { return writer->was_cancelled ? ILJ_CANCELLED : ILJ_MALFORMED; }

/* ---- destination: a buffer that doubles its capacity ---- */

static void grow(j_compress_ptr info) {
    ilj_writer *writer = owner(info);
    size_t capacity = writer->capacity ? writer->capacity * 2 : 1 << 16;
    uint8_t *bytes = realloc(writer->bytes, capacity);
    if (!bytes) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
    info->dest->next_output_byte = bytes + writer->capacity;
    info->dest->free_in_buffer = capacity - writer->capacity;
    writer->bytes = bytes;
    writer->capacity = capacity;
}

/* libjpeg calls this with a full buffer, whatever free_in_buffer is. */
static boolean empty(j_compress_ptr info) {
    grow(info);
    return TRUE;
}

static void end(j_compress_ptr info) {
    ilj_writer *writer = owner(info);
    writer->count = writer->capacity - info->dest->free_in_buffer;
}

/* ---- creating and destroying ---- */

static bool set_up(ilj_writer *writer) {
    writer->info.err = jpeg_std_error(&writer->errors);
    writer->errors.error_exit = fail;
    writer->errors.emit_message = ignore;
    writer->errors.output_message = print_nothing;
    writer->info.client_data = writer;
    if (setjmp(writer->escape)) return false;
    jpeg_create_compress(&writer->info);
    writer->destination.init_destination = grow;
    writer->destination.empty_output_buffer = empty;
    writer->destination.term_destination = end;
    writer->info.dest = &writer->destination;
    return true;
}

ilj_writer *ilj_writer_create(void) {
    ilj_writer *writer = calloc(1, sizeof *writer);
    if (!writer) return NULL;
    if (set_up(writer)) return writer;
    ilj_writer_destroy(writer);
    return NULL;
}

void ilj_writer_destroy(ilj_writer *writer) {
    if (!writer) return;
    jpeg_destroy_compress(&writer->info);
    free(writer->bytes);
    free(writer);
}

/* ---- writing ---- */

static void set_sampling(struct jpeg_compress_struct *info, bool subsamples_chroma) {
    for (int index = 0; index < info->num_components; index++) {
        int factor = index == 0 && subsamples_chroma ? 2 : 1;
        info->comp_info[index].h_samp_factor = factor;
        info->comp_info[index].v_samp_factor = factor;
    }
}

ilj_status ilj_writer_start(ilj_writer *writer, ilj_writer_options options) {
    if (setjmp(writer->escape)) return failure(writer);
    struct jpeg_compress_struct *info = &writer->info;
    info->image_width = (JDIMENSION)options.width;
    info->image_height = (JDIMENSION)options.height;
    info->input_components = 4;
    info->in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(info);
    if (options.is_gray) jpeg_set_colorspace(info, JCS_GRAYSCALE);
    jpeg_set_quality(info, options.quality, TRUE);
    set_sampling(info, options.subsamples_chroma && !options.is_gray);
    info->optimize_coding = !options.is_arithmetic;
    info->arith_code = options.is_arithmetic;
    info->dct_method = JDCT_ISLOW;
    if (options.is_progressive) jpeg_simple_progression(info);
    writer->is_cancelled = options.is_cancelled;
    writer->progress.progress_monitor = note_progress;
    if (options.is_cancelled) info->progress = &writer->progress;
    jpeg_start_compress(info, TRUE);
    if (options.profile_length > 0)
        jpeg_write_icc_profile(info, options.profile, (unsigned int)options.profile_length);
    return ILJ_OK;
}

ilj_status ilj_writer_write_rows(ilj_writer *writer, const uint8_t *pixels, int count) {
    if (setjmp(writer->escape)) return failure(writer);
    size_t stride = (size_t)writer->info.image_width * 4;
    for (int index = 0; index < count; index++) {
        JSAMPROW row = (JSAMPROW)(pixels + stride * (size_t)index);   /* libjpeg does not modify it */
        jpeg_write_scanlines(&writer->info, &row, 1);
    }
    return ILJ_OK;
}

ilj_status ilj_writer_finish(ilj_writer *writer, const uint8_t **bytes, size_t *count) {
    if (setjmp(writer->escape)) return failure(writer);
    jpeg_finish_compress(&writer->info);
    *bytes = writer->bytes;
    *count = writer->count;
    return ILJ_OK;
}

const char *ilj_writer_message(const ilj_writer *writer) { return writer->message; }
