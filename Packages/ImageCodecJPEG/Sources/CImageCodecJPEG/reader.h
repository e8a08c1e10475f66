#ifndef ILJ_READER_H
#define ILJ_READER_H

#include "CImageCodecJPEG.h"

#include <limits.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../CLibJPEG/shim.h"
#include <jerror.h>

enum { icc_prefix_length = 14, exif_prefix_length = 6, icc_max_chunks = 255, exif_max_segments = 16 };

typedef struct segment {
    const uint8_t *start;
    size_t length;
} segment;

/* The coefficients of a component: either all blocks, or the DC coefficient of each block and a window with the blocks
   of a few rows for libjpeg. */
typedef struct ilj_array {
    JDIMENSION columns, rows, window_rows;
    bool keeps_dc_only;
    JBLOCKROW blocks;
    JBLOCKARRAY window; /* the rows of `blocks` */
    JCOEF *dc_coefficients;
    JDIMENSION start;   /* the first row of the window; `rows` if it is empty */
    bool is_changed;
} ilj_array;

struct ilj_reader {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    jmp_buf escape;
    ilj_status failure;
    char message[JMSG_LENGTH_MAX];

    /* The file, or the unread bytes of a stream. */
    const uint8_t *bytes;
    size_t count;
    bool is_stream;          /* bytes arrive in pieces; `bytes` is `owned_bytes` */
    uint8_t *owned_bytes;
    size_t capacity;
    uint64_t dropped;        /* bytes of the stream before `bytes` */
    uint64_t fed_end;        /* the end of the bytes that libjpeg may have read of a stream with one scan */
    size_t pending_skip;     /* bytes of a marker segment to skip when they arrive */
    bool suspends;           /* at the end of the source: whether to suspend, or else to insert an end-of-image marker */
    bool is_truncated;       /* whether the end of the source is a truncation of the file */

    bool reached_end;                /* libjpeg reached the end of a truncated file */
    JDIMENSION end_row;              /* the block row that was being read at that time */
    bool lacks_data;                 /* entropy-coded data was missing after the end */
    JDIMENSION first_incomplete_row; /* the first incomplete block row */
    bool has_invalid_progression;    /* a progressive scan does not continue earlier ones (T.81, G.1.1.1) */

    /* An image with several scans. */
    size_t position;         /* the position after the last byte that was read or skipped */
    size_t searched_end;     /* the position up to which the end of the next scan was not found */
    bool needs_scan_data;    /* the header of a scan has been read, but not its data */
    bool in_scan;
    bool is_done;            /* the end, or all that is needed, has been read */
    int scans_read;
    int max_scans;
    bool skips_scans;        /* skip scans that the size does not need */
    bool prefers_speed;

    ilj_array arrays[MAX_COMPONENTS];
    int array_count;
    jvirt_barray_ptr (*library_request)(j_common_ptr, int, boolean, JDIMENSION, JDIMENSION, JDIMENSION);
    void (*library_realize)(j_common_ptr);
    JBLOCKARRAY (*library_access)(j_common_ptr, jvirt_barray_ptr, JDIMENSION, JDIMENSION, boolean);

    ilj_layout layout;
    bool header_is_read;
    segment exif[exif_max_segments];   /* those that can hold a TIFF header; later ones are ignored */
    int exif_count;
    segment icc[icc_max_chunks + 1];   /* by number, from 1 */
    int icc_count;                     /* the number of chunks; 0 before the first */
    bool icc_is_broken;
    bool has_gain_map;
    bool has_image_list; /* an MPF segment was read; a file has one */
    size_t metadata_limit;             /* for copies, which only streams make */
    size_t icc_copied;
};

#if JPEG_LIB_VERSION >= 70
#define DCT_SIZE(component) ((component)->DCT_h_scaled_size)
#define MIN_DCT_LINES(info) ((info)->min_DCT_v_scaled_size)
#else
#define DCT_SIZE(component) ((component)->DCT_scaled_size)
#define MIN_DCT_LINES(info) ((info)->min_DCT_scaled_size)
#endif

/* source.c */
void ilj_connect(ilj_reader *reader, const uint8_t *bytes, size_t count);
void ilj_feed(ilj_reader *reader, size_t from, size_t to, bool suspends, bool is_truncated);
size_t ilj_position(ilj_reader *reader);   /* the position in `bytes` up to which libjpeg has read, or fails */
size_t ilj_icc_length(const ilj_reader *reader);
void ilj_free_metadata(ilj_reader *reader);

/* scans.c */
bool ilj_keeps_dc_only(const ilj_reader *reader, int index);
bool ilj_has_enough(const ilj_reader *reader);
bool ilj_find_end_of_scan(const ilj_reader *reader, size_t from, size_t *end);

/* arrays.c */
void ilj_replace_arrays(ilj_reader *reader);
void ilj_free_arrays(ilj_reader *reader);

/* reader.c. Does not return. */
void ilj_fail(ilj_reader *reader, ilj_status failure, const char *message);

#endif
