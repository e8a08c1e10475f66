#include "CImageLoadTool.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

/* The state of one call. libjpeg ends a failed call with longjmp, which stays in tool_recode_jpeg. */
typedef struct recoding {
    struct jpeg_decompress_struct input;
    struct jpeg_compress_struct output;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf escape;
    tool_limits limits;
    tool_recoding result;
    unsigned char *buffer; /* libjpeg allocates another one if the file becomes larger */
    unsigned char *bytes;
    unsigned long length;
} recoding;

static void end(recoding *state, tool_recoding result) {
    state->result = result;
    longjmp(state->escape, 1);
}

static void fail(j_common_ptr info) { end(info->client_data, tool_damaged); }

/* A warning means that libjpeg replaces damaged or missing data. */
static void fail_at_warning(j_common_ptr info, int level) {
    if (level < 0) fail(info);
}

static void check_scans(j_common_ptr info) {
    recoding *state = info->client_data;
    if (state->input.input_scan_number > state->limits.scans) end(state, tool_above_scans);
}

static size_t rounded_up(JDIMENSION count, int factor) {
    return ((size_t)count + (size_t)factor - 1) / (size_t)factor * (size_t)factor;
}

/* The memory that jpeg_read_coefficients allocates. */
static size_t coefficient_bytes(const struct jpeg_decompress_struct *info) {
    size_t blocks = 0;
    for (int index = 0; index < info->num_components; index++) {
        const jpeg_component_info *part = &info->comp_info[index];
        blocks += rounded_up(part->width_in_blocks, part->h_samp_factor)
            * rounded_up(part->height_in_blocks, part->v_samp_factor);
    }
    return blocks * sizeof(JBLOCK);
}

static void set_up(recoding *state) {
    state->input.err = state->output.err = jpeg_std_error(&state->errors);
    state->errors.error_exit = fail;
    state->errors.emit_message = fail_at_warning;
    state->progress.progress_monitor = check_scans;
    state->input.client_data = state->output.client_data = state;
    jpeg_create_decompress(&state->input);
    jpeg_create_compress(&state->output);
    state->input.progress = &state->progress;
}

static void recode(recoding *state, const uint8_t *bytes, size_t length, int is_progressive) {
    jpeg_mem_src(&state->input, bytes, length);
    jpeg_read_header(&state->input, TRUE);
    size_t needed = coefficient_bytes(&state->input);
    if (needed > state->limits.bytes) {
        state->length = needed;
        end(state, tool_above_bytes);
    }
    jvirt_barray_ptr *coefficients = jpeg_read_coefficients(&state->input);
    jpeg_copy_critical_parameters(&state->input, &state->output);
    state->output.optimize_coding = TRUE;
    state->output.arith_code = FALSE;
    if (is_progressive) jpeg_simple_progression(&state->output);
    jpeg_mem_dest(&state->output, &state->bytes, &state->length);
    jpeg_write_coefficients(&state->output, coefficients);
    jpeg_finish_compress(&state->output);
    jpeg_finish_decompress(&state->input);
}

tool_recoding tool_recode_jpeg(
    const uint8_t *bytes, size_t length, int is_progressive, tool_limits limits, tool_bytes *recoded
) {
    recoding *state = calloc(1, sizeof *state);
    if (!state) return tool_damaged;
    state->limits = limits;
    state->length = length + (1 << 16);
    state->buffer = state->bytes = malloc(state->length);
    if (state->buffer && !setjmp(state->escape)) {
        set_up(state);
        recode(state, bytes, length, is_progressive);
        state->result = tool_recoded;
    }
    jpeg_destroy_compress(&state->output);
    jpeg_destroy_decompress(&state->input);
    tool_recoding result = state->result;
    recoded->bytes = result == tool_recoded ? state->bytes : NULL;
    recoded->length = state->length;
    if (recoded->bytes != state->buffer) free(state->buffer);
    free(state);
    return result;
}
