#ifndef ILJ_READER_H
#define ILJ_READER_H

#include "CImageCodecJPEG.h"

#include <limits.h>
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

/* The coefficients of a component: all blocks; or the first of each block, and the blocks of a few rows, which the library
   reads or writes. */
typedef struct ilj_array {
    JDIMENSION columns, rows, window_rows;
    bool keeps_first_only;
    JBLOCKROW blocks;
    JBLOCKARRAY window; /* the rows of `blocks` */
    JCOEF *firsts;
    JDIMENSION start;   /* the first row of the window; `rows` when there is none */
    bool is_changed;
} ilj_array;

struct ilj_reader {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    jmp_buf escape;
    ilj_status failure;
    char message[JMSG_LENGTH_MAX];

    /* The file, or what has come in of it and is not read yet. */
    const uint8_t *bytes;
    size_t count;
    bool streams;            /* bytes come in by and by; `bytes` is `owned` then */
    uint8_t *owned;
    size_t capacity;
    uint64_t dropped;        /* bytes of the stream before `bytes` */
    uint64_t exposed;        /* how far the library may have read a stream of one scan */
    size_t pending_skip;     /* bytes to come that a marker segment wants to be skipped */
    bool suspends;           /* what the source does at its end: wait, or make up an end-of-image marker, */
    bool is_cut;             /* which means that the file ends too early */

    bool ended;              /* the source ran dry at the end of a file that is too short */
    JDIMENSION ended_row;    /* the row of blocks that was being read then */
    bool starved;            /* entropy-coded data was missing after that */
    JDIMENSION starved_row;  /* the first row of blocks that is not all there */
    bool contradicts_itself; /* a progressive scan does not continue those before it, as T.81, G.1.1.1 asks */

    /* An image of several scans. */
    size_t at;               /* the byte after the last that was read or left out */
    size_t searched;         /* how far the end of the next scan was looked for in vain */
    bool awaits_data;        /* a scan's header is read, but not its data */
    bool in_scan;
    bool is_done;            /* the end, or all that is needed, was read */
    int scans_read;
    int max_scans;
    bool leaves_out;         /* leave out scans that the size does not need */
    bool prefers_speed;

    ilj_array arrays[MAX_COMPONENTS];
    int array_count;
    jvirt_barray_ptr (*library_request)(j_common_ptr, int, boolean, JDIMENSION, JDIMENSION, JDIMENSION);
    void (*library_realize)(j_common_ptr);
    JBLOCKARRAY (*library_access)(j_common_ptr, jvirt_barray_ptr, JDIMENSION, JDIMENSION, boolean);

    ilj_layout layout;
    bool header_is_read;
    segment exif;
    segment icc[icc_max_chunks + 1];   /* by number, from 1 */
    int icc_count;                     /* how many chunks there should be; 0 before the first */
    bool icc_is_broken;
    size_t metadata_limit;             /* of copies, which only streams make */
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
void ilj_feed(ilj_reader *reader, size_t from, size_t to, bool suspends, bool is_cut);
size_t ilj_icc_length(const ilj_reader *reader);
void ilj_free_metadata(ilj_reader *reader);

/* scans.c */
bool ilj_keeps_first_only(const ilj_reader *reader, int index);
bool ilj_has_enough(const ilj_reader *reader);
bool ilj_find_end_of_scan(const ilj_reader *reader, size_t from, size_t *end);

/* arrays.c */
void ilj_replace_arrays(ilj_reader *reader);
void ilj_free_arrays(ilj_reader *reader);

/* reader.c: does not return. */
void ilj_give_up(ilj_reader *reader, ilj_status failure, const char *message);

#endif
