#include "CDecodingFloor.h"

#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

struct source {
    const uint8_t *bytes;
    size_t count;
};

static int read_bytes(GifFileType *gif, GifByteType *into, int count) {
    struct source *source = gif->UserData;
    if ((size_t)count > source->count) count = (int)source->count;
    memcpy(into, source->bytes, (size_t)count);
    source->bytes += count;
    source->count -= (size_t)count;
    return count;
}

// The graphic control extension of the next frame.
struct control {
    int transparent, disposal;
};

static bool read_extension(GifFileType *gif, struct control *control) {
    int code;
    GifByteType *block;
    if (DGifGetExtension(gif, &code, &block) == GIF_ERROR) return false;
    while (block != NULL) {
        if (code == GRAPHICS_EXT_FUNC_CODE) {
            control->disposal = block[1] >> 2 & 7;
            control->transparent = block[1] & 1 ? block[4] : -1;
        }
        if (DGifGetExtensionNext(gif, &block) == GIF_ERROR) return false;
    }
    return true;
}

static void draw_row(GifFileType *gif, const uint8_t *indices, int y, int transparent, uint8_t *canvas) {
    const GifImageDesc *image = &gif->Image;
    const ColorMapObject *map = image->ColorMap != NULL ? image->ColorMap : gif->SColorMap;
    uint8_t *pixel = canvas + ((size_t)(image->Top + y) * gif->SWidth + image->Left) * 4;
    for (int x = 0; x < image->Width; x++, pixel += 4) {
        if (indices[x] == transparent || indices[x] >= map->ColorCount) continue;
        const GifColorType *color = &map->Colors[indices[x]];
        pixel[0] = color->Red;
        pixel[1] = color->Green;
        pixel[2] = color->Blue;
        pixel[3] = 255;
    }
}

// Supports only frames within the screen and without interlacing. The encoder of the benchmark writes no others.
static bool draw_frame(GifFileType *gif, int transparent, uint8_t *canvas, uint8_t *row) {
    const GifImageDesc *image = &gif->Image;
    if (image->Interlace || image->Left + image->Width > gif->SWidth || image->Top + image->Height > gif->SHeight) return false;
    for (int y = 0; y < image->Height; y++) {
        if (DGifGetLine(gif, row, image->Width) == GIF_ERROR) return false;
        draw_row(gif, row, y, transparent, canvas);
    }
    return true;
}

static void clear(const GifFileType *gif, const GifImageDesc *area, uint8_t *canvas) {
    for (int y = 0; y < area->Height; y++)
        memset(canvas + ((size_t)(area->Top + y) * gif->SWidth + area->Left) * 4, 0, (size_t)area->Width * 4);
}

static bool draw_all(GifFileType *gif, uint8_t *canvas, uint8_t *row) {
    GifImageDesc last = {0};
    GifRecordType kind;
    struct control control = {-1, 0};
    int last_disposal = 0;
    while (DGifGetRecordType(gif, &kind) != GIF_ERROR && kind != TERMINATE_RECORD_TYPE) {
        if (kind == EXTENSION_RECORD_TYPE && !read_extension(gif, &control)) return false;
        if (kind != IMAGE_DESC_RECORD_TYPE) continue;
        if (DGifGetImageDesc(gif) == GIF_ERROR) return false;
        if (last_disposal == DISPOSE_BACKGROUND) clear(gif, &last, canvas);
        if (!draw_frame(gif, control.transparent, canvas, row)) return false;
        last = gif->Image;
        last_disposal = control.disposal;
        control = (struct control){-1, 0};
    }
    return kind == TERMINATE_RECORD_TYPE;
}

bool floor_gif(const uint8_t *data, size_t count, uint8_t *canvas, size_t capacity) {
    struct source source = {data, count};
    GifFileType *gif = DGifOpen(&source, read_bytes, NULL);
    if (gif == NULL) return false;
    bool succeeded = (size_t)gif->SWidth * gif->SHeight * 4 <= capacity;
    uint8_t *row = malloc((size_t)gif->SWidth);
    if (succeeded) memset(canvas, 0, (size_t)gif->SWidth * gif->SHeight * 4);
    succeeded = succeeded && row != NULL && draw_all(gif, canvas, row);
    free(row);
    DGifCloseFile(gif, NULL);
    return succeeded;
}
