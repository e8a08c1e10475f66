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
    jmp_buf escape;
    unsigned char *buffer; /* libjpeg allocates another one if the file becomes larger */
    unsigned char *bytes;
    unsigned long length;
} recoding;

static void fail(j_common_ptr info) { longjmp(((recoding *)info->client_data)->escape, 1); }

static void ignore(j_common_ptr info) { (void)info; }

static void set_up(recoding *state) {
    state->input.err = state->output.err = jpeg_std_error(&state->errors);
    state->errors.error_exit = fail;
    state->errors.output_message = ignore;
    state->input.client_data = state->output.client_data = state;
    jpeg_create_decompress(&state->input);
    jpeg_create_compress(&state->output);
}

static void recode(recoding *state, const uint8_t *bytes, size_t length, int is_progressive) {
    jpeg_mem_src(&state->input, bytes, length);
    jpeg_read_header(&state->input, TRUE);
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

int tool_recode_jpeg(const uint8_t *bytes, size_t length, int is_progressive, tool_bytes *recoded) {
    recoding *state = calloc(1, sizeof *state);
    if (!state) return 0;
    int is_good = 0;
    state->length = length + (1 << 16);
    state->buffer = state->bytes = malloc(state->length);
    if (state->buffer && !setjmp(state->escape)) {
        set_up(state);
        recode(state, bytes, length, is_progressive);
        /* A warning means that libjpeg replaced damaged or missing data. */
        is_good = state->errors.num_warnings == 0;
    }
    jpeg_destroy_compress(&state->output);
    jpeg_destroy_decompress(&state->input);
    recoded->bytes = is_good ? state->bytes : NULL;
    recoded->length = is_good ? state->length : 0;
    if (recoded->bytes != state->buffer) free(state->buffer);
    free(state);
    return is_good;
}
