#include "reader.h"

/* ---- source: a buffer with the whole file, a scan, or the available bytes ---- */

static void begin_source(j_decompress_ptr info) { (void)info; }

static void end_source(j_decompress_ptr info) { (void)info; }

static boolean fill_buffer(j_decompress_ptr info) {
    static const JOCTET marker[] = {0xFF, JPEG_EOI};
    ilj_reader *reader = info->client_data;
    if (reader->suspends) return FALSE;
    if (reader->is_truncated && !reader->reached_end) {
        reader->reached_end = true;
        reader->end_row = info->input_iMCU_row;
    }
    info->src->next_input_byte = marker;
    info->src->bytes_in_buffer = sizeof marker;
    return TRUE;
}

static void skip(j_decompress_ptr info, long count) {
    if (count <= 0) return;
    struct jpeg_source_mgr *source = info->src;
    ilj_reader *reader = info->client_data;
    size_t available = source->bytes_in_buffer;
    if ((size_t)count <= available) {
        source->next_input_byte += count;
        source->bytes_in_buffer -= (size_t)count;
    } else if (reader->suspends) {
        reader->pending_skip = (size_t)count - available;
        source->next_input_byte += available;
        source->bytes_in_buffer = 0;
    } else {
        fill_buffer(info);
    }
}

void ilj_feed(ilj_reader *reader, size_t from, size_t to, bool suspends, bool is_truncated) {
    if (to > reader->count) to = reader->count;   /* never bytes of others, whatever the caller computed */
    if (from > to) from = to;
    reader->source.next_input_byte = reader->bytes + from;
    reader->source.bytes_in_buffer = to - from;
    reader->suspends = suspends;
    reader->is_truncated = is_truncated;
}

/* After `fill_buffer`, libjpeg reads an array that is not in `bytes`. */
size_t ilj_position(ilj_reader *reader) {
    uintptr_t next = (uintptr_t)reader->source.next_input_byte, start = (uintptr_t)reader->bytes;
    if (next < start || next - start > reader->count)
        ilj_fail(reader, ILJ_MALFORMED, "a position outside of the bytes");
    return next - start;
}

/* ---- APP1 and APP2: stored as ranges of the file, or as copies if it is a stream ---- */

/* Copies at most `allowance` bytes. */
static segment keep_segment(const ilj_reader *reader, segment found, size_t allowance) {
    segment none = {NULL, 0};
    if (!reader->is_stream) return found;
    if (found.length > allowance) return none;
    uint8_t *copy = malloc(found.length ? found.length : 1);
    if (!copy) return none;
    memcpy(copy, found.start, found.length);
    return (segment){copy, found.length};
}

static void keep_exif(ilj_reader *reader, segment found) {
    enum { tiff_header_length = 8 };
    if (reader->exif_count == exif_max_segments || found.length < exif_prefix_length + tiff_header_length) return;
    if (memcmp(found.start, "Exif\0\0", exif_prefix_length) != 0) return;
    segment kept = keep_segment(reader, found, reader->metadata_limit);
    if (kept.start) reader->exif[reader->exif_count++] = kept;
}

static void keep_icc(ilj_reader *reader, segment found) {
    if (found.length < icc_prefix_length || memcmp(found.start, "ICC_PROFILE", 12) != 0) return;
    int number = found.start[12], count = found.start[13];
    if (reader->icc_count == 0) reader->icc_count = count;
    if (count != reader->icc_count || number < 1 || number > count || reader->icc[number].start) {
        reader->icc_is_broken = true;
        return;
    }
    segment chunk = {found.start + icc_prefix_length, found.length - icc_prefix_length};
    reader->icc[number] = keep_segment(reader, chunk, reader->metadata_limit - reader->icc_copied);
    if (!reader->icc[number].start) reader->icc_is_broken = true;
    if (reader->is_stream) reader->icc_copied += reader->icc[number].length;
}

static bool has_text(segment part, const char *text) {
    size_t length = strlen(text);
    for (size_t i = 0; i + length <= part.length; i++)
        if (memcmp(part.start + i, text, length) == 0) return true;
    return false;
}

/* Returns a number in the byte order of a TIFF file, or 0 outside of it. */
static size_t tiff_number(segment tiff, size_t offset, size_t length) {
    size_t value = 0;
    if (tiff.length < length || offset > tiff.length - length) return 0;
    for (size_t i = 0; i < length; i++)
        value = value << 8 | tiff.start[offset + (tiff.start[0] == 'I' ? length - 1 - i : i)];
    return value;
}

/* Whether a segment lists an image of the file that is Apple's gain map (CIPA DC-007, 5.2.3). Its XMP comes first. */
static bool lists_gain_map(ilj_reader *reader, segment found) {
    enum { max_images_length = 1600, searched_length = 1 << 16 };
    if (reader->is_stream || reader->has_image_list || found.length < 4 || memcmp(found.start, "MPF", 4) != 0) return false;
    reader->has_image_list = true;
    segment tiff = {found.start + 4, found.length - 4};
    size_t available = reader->count - (size_t)(tiff.start - reader->bytes);
    size_t entry = tiff_number(tiff, 4, 4) + 2;
    for (size_t left = tiff_number(tiff, entry - 2, 2); left > 1 && tiff_number(tiff, entry, 2) != 0xB002; left--) entry += 12;
    if (tiff_number(tiff, entry, 2) != 0xB002) return false;
    size_t images = tiff_number(tiff, entry + 8, 4), length = tiff_number(tiff, entry + 4, 4);
    for (size_t image = 0; image + 16 <= length && image < max_images_length; image += 16) {
        size_t offset = tiff_number(tiff, images + image + 8, 4);
        if (offset == 0 || offset >= available) continue;
        size_t rest = available - offset;
        segment other = {tiff.start + offset, rest < searched_length ? rest : searched_length};
        if (has_text(other, ":aux:hdrgainmap")) return true;
    }
    return false;
}

/* Whether a segment of a base image is the XMP of Ultra HDR 1.1, or the metadata of ISO 21496-1, annex C. */
static bool names_gain_map(segment found) {
    static const char iso[] = "urn:iso:std:iso:ts:21496:-1", xmp[] = "http://ns.adobe.com/xap/1.0/";
    if (found.length >= sizeof iso && memcmp(found.start, iso, sizeof iso) == 0) return true;
    if (found.length < sizeof xmp || memcmp(found.start, xmp, sizeof xmp) != 0) return false;
    return has_text(found, "http://ns.adobe.com/hdr-gain-map/1.0/");
}

static boolean keep_marker(j_decompress_ptr info) {
    ilj_reader *reader = info->client_data;
    struct jpeg_source_mgr *source = info->src;
    if (source->bytes_in_buffer < 2) return fill_buffer(info);
    size_t length = (size_t)source->next_input_byte[0] << 8 | source->next_input_byte[1];
    bool is_available = length >= 2 && length <= source->bytes_in_buffer && !reader->reached_end;
    if (!is_available && length >= 2 && reader->suspends) return FALSE;
    if (is_available && !reader->header_is_read) {
        segment found = {source->next_input_byte + 2, length - 2};
        if (info->unread_marker == JPEG_APP0 + 1) keep_exif(reader, found);
        if (info->unread_marker == JPEG_APP0 + 2) keep_icc(reader, found);
        if (names_gain_map(found) || lists_gain_map(reader, found)) reader->has_gain_map = true;
    }
    skip(info, length < 2 ? 2 : (long)length);
    return TRUE;
}

const uint8_t *ilj_reader_exif(const ilj_reader *reader, int index, size_t *length) {
    *length = reader->exif[index].length;
    return reader->exif[index].start;
}

size_t ilj_icc_length(const ilj_reader *reader) {
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

void ilj_free_metadata(ilj_reader *reader) {
    if (!reader->is_stream) return;
    for (int index = 0; index < reader->exif_count; index++) free((void *)reader->exif[index].start);
    for (int number = 1; number <= icc_max_chunks; number++) free((void *)reader->icc[number].start);
}

void ilj_connect(ilj_reader *reader, const uint8_t *bytes, size_t count) {
    struct jpeg_decompress_struct *info = &reader->info;
    reader->bytes = bytes;
    reader->count = count;
    ilj_feed(reader, 0, count, reader->is_stream, true);
    reader->source.init_source = begin_source;
    reader->source.fill_input_buffer = fill_buffer;
    reader->source.skip_input_data = skip;
    reader->source.resync_to_restart = jpeg_resync_to_restart;
    reader->source.term_source = end_source;
    info->src = &reader->source;
    jpeg_set_marker_processor(info, JPEG_APP0 + 1, keep_marker);
    jpeg_set_marker_processor(info, JPEG_APP0 + 2, keep_marker);
}

/* ---- a stream ---- */

/* Makes space for `count` more bytes. Moves the unread bytes to the front. */
static bool make_space(ilj_reader *reader, size_t count) {
    size_t read = reader->position;
    if (reader->count - read + count > reader->capacity) {
        size_t capacity = reader->count - read + count;
        if (capacity < reader->capacity * 2) capacity = reader->capacity * 2;
        uint8_t *bytes = malloc(capacity);
        if (!bytes) return false;
        if (reader->count > read) memcpy(bytes, reader->owned_bytes + read, reader->count - read);
        free(reader->owned_bytes);
        reader->owned_bytes = bytes;
        reader->capacity = capacity;
    } else if (read > 0) {
        memmove(reader->owned_bytes, reader->owned_bytes + read, reader->count - read);
    }
    reader->bytes = reader->owned_bytes;
    reader->count -= read;
    reader->dropped += read;
    reader->position = 0;
    reader->searched_end = reader->searched_end > read ? reader->searched_end - read : 0;
    return true;
}

ilj_status ilj_reader_append(ilj_reader *reader, const uint8_t *bytes, size_t count) {
    if (!make_space(reader, count)) {
        strcpy(reader->message, "out of memory for the appended bytes");
        return ILJ_OUT_OF_MEMORY;
    }
    memcpy(reader->owned_bytes + reader->count, bytes, count);
    reader->count += count;
    size_t skipped = reader->pending_skip < count ? reader->pending_skip : count;
    reader->pending_skip -= skipped;
    reader->position += skipped;
    return ILJ_OK;
}
