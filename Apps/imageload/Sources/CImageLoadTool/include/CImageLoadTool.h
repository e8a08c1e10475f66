#ifndef CIMAGELOADTOOL_H
#define CIMAGELOADTOOL_H

#include <stddef.h>
#include <stdint.h>

/* Hides what C libraries write to the standard error stream, such as the messages of libjxl, libde265 and dav1d about
   damaged images. They can't be switched off in the libraries. The descriptor 2 stays as it is, and so do the messages
   before a crash. Call it once, before other threads start. It only has an effect with the GNU C library. */
void hide_library_messages(void);

/* Bytes that the caller frees with free(). */
typedef struct tool_bytes {
    uint8_t *bytes;
    size_t length;
} tool_bytes;

/* Writes a file and gives it its name when it is complete, so that no reader sees a part of it. A process that is
   killed leaves nothing behind on file systems with unnamed files (ext4, XFS, Btrfs, tmpfs). On others, SIGKILL can
   leave the file `aside`, but no other signal does.

   `aside` is an unused name in the same folder. `options` can be NULL; else it is kept in an attribute, where the file
   system has them. With `replaces`, there is a file at `path`: the new one gets its owner, permissions except setuid and
   setgid, and options, and its bytes are on the device before the older file is replaced. Returns 0 or errno. */
int tool_write_file(
    const char *folder, const char *path, const char *aside, const uint8_t *bytes, size_t length, const char *options,
    int replaces);

/* Returns 0 if a file was written with other options, and 1 if with these, or if there is no attribute. */
int tool_has_options(const char *path, const char *options);

/* Gives a file the times of access and modification of another one. Returns 0 or errno. */
int tool_copy_times(const char *source, const char *path);

/* Sets what is written to standard error if SIGINT, SIGTERM or SIGHUP ends the process; NULL for nothing. Longer texts
   than 1,023 bytes are cut. Call it on one thread at a time. */
void tool_set_notice(const char *text);

/* Structural similarities (Wang et al. 2004). */
typedef struct tool_similarity {
    double mean;     /* of all windows */
    double detailed; /* the mean of the windows that aren't flat in both images; of all if there are none */
    double lowest;   /* the similarity that 1 % of those windows are below */
} tool_similarity;

/* Compares two planes of 8-bit samples: Gaussian windows of 11 by 11 with a standard deviation of 1.5, K1 = 0.01,
   K2 = 0.03, population covariance, inside the image. `step` is the distance of windows, 1 for all. Smaller images are
   one window. Returns NaN if memory is exhausted. */
tool_similarity tool_ssim(const uint8_t *first, const uint8_t *second, size_t width, size_t height, size_t step);

/* Compresses with libdeflate to a zlib stream. `level` is from 1 to 12. Returns 0 if memory is exhausted. */
int tool_deflate(const uint8_t *bytes, size_t length, int level, tool_bytes *compressed);

/* Decompresses a zlib stream of exactly `length` bytes. Returns 0 if it is damaged or has another length. */
int tool_inflate(const uint8_t *bytes, size_t compressed, uint8_t *inflated, size_t length);

/* Filters of PNG (W3C PNG, section 9). The first five are the filters of the format for all rows; the last one chooses
   for each row the filter whose bytes, as signed numbers, have the smallest sum of absolute values. */
enum { tool_filter_count = 6 };

/* Filters `height` rows of `row` bytes. Each filtered row follows a byte with its filter. `pixel` is the length of a
   pixel in bytes, rounded up to 1. Returns 0 if memory is exhausted. */
int tool_filter(const uint8_t *rows, size_t row, size_t height, size_t pixel, int strategy, uint8_t *filtered);

/* Reverses the filters of rows that have 1 + `row` bytes, in place. Returns 0 for an unknown filter. */
int tool_unfilter(uint8_t *filtered, size_t row, size_t height, size_t pixel);

/* What tool_recode_jpeg may use. */
typedef struct tool_limits {
    size_t bytes; /* for all coefficients, which are in memory at once */
    int scans;    /* to read */
} tool_limits;

typedef enum { tool_damaged, tool_recoded, tool_above_bytes, tool_above_scans } tool_recoding;

/* Codes the coefficients of a JPEG file anew, with optimal Huffman tables and without metadata. The samples stay the
   same. Ends at the first damage. Above `bytes`, `recoded` has the length that is needed, and no bytes. */
tool_recoding tool_recode_jpeg(
    const uint8_t *bytes, size_t length, int is_progressive, tool_limits limits, tool_bytes *recoded);

#endif
