#include "CImageCodecGIF.h"

#include "../CLibGIF/shim.h"
#include <stdlib.h>
#include <string.h>

struct gif_reader {
    GifFileType *file;
    const uint8_t *bytes;
    size_t length, position;
    int is_truncated;
};

static int read_bytes(GifFileType *file, GifByteType *target, int count) {
    gif_reader *reader = file->UserData;
    size_t left = reader->length - reader->position;
    size_t wanted = count > 0 ? (size_t)count : 0;
    if (wanted > left) {
        reader->is_truncated = 1;
        wanted = left;
    }
    if (wanted > 0) memcpy(target, reader->bytes + reader->position, wanted);
    reader->position += wanted;
    return (int)wanted;
}

static gif_record_kind failure_of(const gif_reader *reader) {
    return reader->is_truncated ? gif_record_truncated : gif_record_malformed;
}

gif_reader *gif_reader_open(const uint8_t *bytes, size_t length, gif_record_kind *failure) {
    gif_reader *reader = calloc(1, sizeof *reader);
    *failure = gif_record_malformed;
    if (reader == NULL) return NULL;
    reader->bytes = bytes;
    reader->length = length;
    int error = 0;
    reader->file = DGifOpen(reader, read_bytes, &error);
    if (reader->file != NULL) return reader;
    *failure = failure_of(reader);
    free(reader);
    return NULL;
}

void gif_reader_close(gif_reader *reader) {
    int error = 0;
    DGifCloseFile(reader->file, &error);
    free(reader);
}

int gif_reader_width(const gif_reader *reader) { return reader->file->SWidth; }

int gif_reader_height(const gif_reader *reader) { return reader->file->SHeight; }

int gif_reader_palette_count(const gif_reader *reader) {
    return reader->file->SColorMap == NULL ? 0 : reader->file->SColorMap->ColorCount;
}

static gif_record failed(const gif_reader *reader) {
    gif_record record = {.kind = failure_of(reader)};
    return record;
}

/* Some writers pad records with zeros, which giflib rejects. */
static void skip_padding(gif_reader *reader) {
    while (reader->position < reader->length && reader->bytes[reader->position] == 0) reader->position++;
}

/* giflib rejects LZW code sizes above 8 after it has read the header. Other decoders accept up to 11, and any if there
   are no codes. */
static int failed_at_code_size(const gif_reader *reader) {
    if (reader->is_truncated || reader->position == 0) return 0;
    uint8_t code_size = reader->bytes[reader->position - 1];
    int is_empty = gif_lzw_is_empty(reader->bytes, reader->length, reader->position - 1);
    return code_size > 8 && (code_size < 12 || is_empty);
}

/* A tracking pixel may end anywhere after its size: browsers show it as transparent. */
static int is_tracking_pixel(const GifFileType *file) {
    return file->SWidth <= 1 && file->SHeight <= 1 && file->Image.Width == 1 && file->Image.Height == 1;
}

/* Returns the record of an image whose header is complete and whose data is not. */
static gif_record truncated_image(gif_record image, const gif_reader *reader) {
    image.kind = gif_record_truncated_image;
    return reader->is_truncated ? image : failed(reader);
}

static gif_record next_image(gif_reader *reader) {
    GifFileType *file = reader->file;
    gif_record record = {.kind = gif_record_image};
    file->Image.Width = file->Image.Height = 0;
    /* DGifGetImageDesc would store every descriptor and palette. */
    int has_failed = DGifGetImageHeader(file) == GIF_ERROR && !failed_at_code_size(reader);
    if (has_failed && !is_tracking_pixel(file)) return failed(reader);
    record.left = file->Image.Left;
    record.top = file->Image.Top;
    record.width = file->Image.Width;
    record.height = file->Image.Height;
    record.data_offset = reader->position - 1;
    record.is_empty = has_failed || gif_lzw_is_empty(reader->bytes, reader->length, record.data_offset);
    if (has_failed) return truncated_image(record, reader);
    record.is_interlaced = file->Image.Interlace ? 1 : 0;
    record.palette_count = file->Image.ColorMap == NULL ? 0 : file->Image.ColorMap->ColorCount;
    record.palette_offset = record.data_offset - 3 * (size_t)record.palette_count;

    int code_size = 0;
    GifByteType *block = NULL;
    if (DGifGetCode(file, &code_size, &block) == GIF_ERROR) return truncated_image(record, reader);
    while (block != NULL) {
        if (DGifGetCodeNext(file, &block) == GIF_ERROR) return truncated_image(record, reader);
    }
    return record;
}

static void read_graphic_control(const GifByteType *block, gif_record *record) {
    GraphicsControlBlock control;
    if (block[0] < 4 || DGifExtensionToGCB(4, block + 1, &control) == GIF_ERROR) return;
    record->kind = gif_record_graphic_control;
    record->disposal = control.DisposalMode;
    record->delay = control.DelayTime;
    record->transparent_index = control.TransparentColor;
}

static int is_loop_application(const GifByteType *block) {
    return block[0] == 11
           && (memcmp(block + 1, "NETSCAPE2.0", 11) == 0 || memcmp(block + 1, "ANIMEXTS1.0", 11) == 0);
}

static gif_record next_extension(gif_reader *reader) {
    GifFileType *file = reader->file;
    gif_record record = {.kind = gif_record_other};
    int code = 0, is_loop = 0, index = 0;
    GifByteType *block = NULL;
    if (DGifGetExtension(file, &code, &block) == GIF_ERROR) return failed(reader);
    if (code == PLAINTEXT_EXT_FUNC_CODE) record.kind = gif_record_plain_text;
    for (; block != NULL; index++) {
        if (index == 0 && code == GRAPHICS_EXT_FUNC_CODE) read_graphic_control(block, &record);
        if (index == 0 && code == APPLICATION_EXT_FUNC_CODE) is_loop = is_loop_application(block);
        if (index > 0 && is_loop && block[0] >= 3 && (block[1] & 7) == 1) {
            record.kind = gif_record_loop;
            record.repetitions = block[2] | block[3] << 8;
        }
        if (DGifGetExtensionNext(file, &block) == GIF_ERROR) return failed(reader);
    }
    return record;
}

gif_record gif_reader_next(gif_reader *reader) {
    GifRecordType type = UNDEFINED_RECORD_TYPE;
    skip_padding(reader);
    if (reader->position == reader->length) {
        gif_record record = {.kind = gif_record_no_trailer};
        return record;
    }
    if (DGifGetRecordType(reader->file, &type) == GIF_ERROR) return failed(reader);
    switch (type) {
    case IMAGE_DESC_RECORD_TYPE: return next_image(reader);
    case EXTENSION_RECORD_TYPE: return next_extension(reader);
    default: break;
    }
    gif_record end = {.kind = gif_record_end};
    return end;
}

struct gif_writer {
    GifFileType *file;
    uint8_t *bytes;
    size_t length, capacity;
};

static int write_bytes(GifFileType *file, const GifByteType *source, int count) {
    gif_writer *writer = file->UserData;
    size_t added = count > 0 ? (size_t)count : 0;
    if (writer->capacity - writer->length < added) {
        size_t capacity = 2 * writer->capacity + added + 4096;
        uint8_t *grown = realloc(writer->bytes, capacity);
        if (grown == NULL) return 0;
        writer->bytes = grown;
        writer->capacity = capacity;
    }
    memcpy(writer->bytes + writer->length, source, added);
    writer->length += added;
    return count;
}

static int put_loop(GifFileType *file, int repetitions) {
    unsigned char body[3] = {1, (unsigned char)(repetitions & 255), (unsigned char)(repetitions >> 8 & 255)};
    return EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE) != GIF_ERROR
           && EGifPutExtensionBlock(file, 11, "NETSCAPE2.0") != GIF_ERROR
           && EGifPutExtensionBlock(file, 3, body) != GIF_ERROR
           && EGifPutExtensionTrailer(file) != GIF_ERROR;
}

gif_writer *gif_writer_open(int width, int height, int repetitions) {
    gif_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) return NULL;
    int error = 0;
    writer->file = EGifOpen(writer, write_bytes, &error);
    if (writer->file != NULL) {
        EGifSetGifVersion(writer->file, true);
        if (EGifPutScreenDesc(writer->file, width, height, 8, 0, NULL) != GIF_ERROR
            && (repetitions < 0 || put_loop(writer->file, repetitions)))
            return writer;
    }
    gif_writer_close(writer);
    return NULL;
}

static int put_rows(GifFileType *file, const gif_writer_frame *frame, const uint8_t *indices, int first, int step) {
    GifPixelType *row = malloc((size_t)frame->width);
    int is_good = row != NULL;
    for (int y = first; is_good && y < frame->height; y += step) {
        /* giflib modifies the row, so it needs a copy. */
        memcpy(row, indices + (size_t)y * (size_t)frame->width, (size_t)frame->width);
        is_good = EGifPutLine(file, row, frame->width) != GIF_ERROR;
    }
    free(row);
    return is_good;
}

static int put_pixels(GifFileType *file, const gif_writer_frame *frame, const uint8_t *indices) {
    static const int first[4] = {0, 4, 2, 1}, step[4] = {8, 8, 4, 2};
    if (!frame->is_interlaced) return put_rows(file, frame, indices, 0, 1);
    for (int pass = 0; pass < 4; pass++)
        if (!put_rows(file, frame, indices, first[pass], step[pass])) return 0;
    return 1;
}

static int put_control(GifFileType *file, const gif_writer_frame *frame) {
    GraphicsControlBlock control = {
        .DisposalMode = frame->disposal, .DelayTime = frame->delay, .TransparentColor = frame->transparent_index};
    GifByteType block[4];
    return EGifGCBToExtension(&control, block) == 4
           && EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, 4, block) != GIF_ERROR;
}

int gif_writer_put(gif_writer *writer, const gif_writer_frame *frame, const uint8_t *rgb, const uint8_t *indices) {
    if (!put_control(writer->file, frame)) return 0;
    ColorMapObject *palette = GifMakeMapObject(frame->palette_count, NULL);
    if (palette == NULL) return 0;
    for (int i = 0; i < frame->palette_count; i++) {
        GifColorType color = {rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]};
        palette->Colors[i] = color;
    }
    int is_good = EGifPutImageDesc(writer->file, frame->left, frame->top, frame->width, frame->height,
                                   frame->is_interlaced != 0, palette) != GIF_ERROR
                  && put_pixels(writer->file, frame, indices);
    GifFreeMapObject(palette);
    return is_good;
}

int gif_writer_finish(gif_writer *writer, const uint8_t **bytes, size_t *length) {
    int error = 0;
    GifFileType *file = writer->file;
    writer->file = NULL;
    if (EGifCloseFile(file, &error) == GIF_ERROR) return 0;
    *bytes = writer->bytes;
    *length = writer->length;
    return 1;
}

void gif_writer_close(gif_writer *writer) {
    int error = 0;
    if (writer->file != NULL) EGifCloseFile(writer->file, &error);
    free(writer->bytes);
    free(writer);
}
