#include "CDecodingFloor.h"

#include <gif_lib.h>
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

bool floor_gif(const uint8_t *data, size_t count) {
    struct source source = {data, count};
    GifFileType *gif = DGifOpen(&source, read_bytes, NULL);
    if (gif == NULL) return false;
    bool succeeded = DGifSlurp(gif) == GIF_OK;
    DGifCloseFile(gif, NULL);
    return succeeded;
}
