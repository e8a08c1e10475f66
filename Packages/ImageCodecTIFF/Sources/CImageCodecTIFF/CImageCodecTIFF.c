#ifdef TIFF

/* The trait, which is also the name of a type of libtiff. */
#undef TIFF

#include "CImageCodecTIFF.h"

#include <stdlib.h>
#include <string.h>
#include "../CLibTIFF/shim.h"

struct tiff_image {
    TIFF *tiff;
    const uint8_t *bytes;
    size_t length, position;
    tiff_header header;
    uint16_t samples, bits;
    int is_associated; /* whether color is multiplied by alpha */
    int is_inverted;   /* whether 0 is white */
    int is_converted;  /* whether libtiff converts to RGBA, in bands */
    TIFFRGBAImage converter;
    uint8_t *band; /* rows that are decoded at once: those of a strip or of a row of tiles, or one */
    int band_rows, row;
};

/* ---- a file in memory ---- */

static tmsize_t read_bytes(thandle_t handle, void *target, tmsize_t size) {
    tiff_image *image = handle;
    size_t rest = image->length - image->position, count = size < 0 ? 0 : (size_t)size;
    if (count > rest) count = rest;
    /* An empty file has no bytes to point at. */
    if (count > 0) memcpy(target, image->bytes + image->position, count);
    image->position += count;
    return (tmsize_t)count;
}

static tmsize_t write_bytes(thandle_t handle, void *bytes, tmsize_t size) {
    (void)handle, (void)bytes, (void)size;
    return -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int origin) {
    tiff_image *image = handle;
    if (origin == SEEK_CUR) offset += image->position;
    if (origin == SEEK_END) offset += image->length;
    image->position = offset > image->length ? image->length : (size_t)offset;
    return image->position;
}

static int close_file(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t file_size(thandle_t handle) { return ((tiff_image *)handle)->length; }

/* Gives libtiff the bytes of the file, which it only reads. */
static int map(thandle_t handle, void **base, toff_t *size) {
    tiff_image *image = handle;
    *base = (void *)image->bytes;
    *size = image->length;
    return 1;
}

static void unmap(thandle_t handle, void *base, toff_t size) { (void)handle, (void)base, (void)size; }

static int ignore(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments) {
    (void)tiff, (void)data, (void)module, (void)format, (void)arguments;
    return 1;
}

static TIFF *open_file(tiff_image *image, size_t memory) {
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (options == NULL) return NULL;
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)memory);
    TIFFOpenOptionsSetErrorHandlerExtR(options, ignore, NULL);
    TIFFOpenOptionsSetWarningHandlerExtR(options, ignore, NULL);
    TIFF *tiff = TIFFClientOpenExt(
        "image", "r", image, read_bytes, write_bytes, seek, close_file, file_size, map, unmap, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}

/* ---- the header ---- */

static int field(TIFF *tiff, uint32_t tag) {
    uint16_t value = 0;
    return TIFFGetFieldDefaulted(tiff, tag, &value) ? value : 0;
}

/* Sets the layout of samples of 8 or 16 bits side by side, which need no conversion but that of their depth. Returns 0 for
   others. */
static int set_samples(tiff_image *image) {
    TIFF *tiff = image->tiff;
    int photometric = field(tiff, TIFFTAG_PHOTOMETRIC), compression = field(tiff, TIFFTAG_COMPRESSION), colors;
    image->samples = (uint16_t)field(tiff, TIFFTAG_SAMPLESPERPIXEL);
    image->bits = (uint16_t)field(tiff, TIFFTAG_BITSPERSAMPLE);
    if (photometric == PHOTOMETRIC_YCBCR && compression == COMPRESSION_JPEG) {
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        photometric = PHOTOMETRIC_RGB;
    }
    if ((image->bits != 8 && image->bits != 16) || field(tiff, TIFFTAG_SAMPLEFORMAT) != SAMPLEFORMAT_UINT) return 0;
    if (field(tiff, TIFFTAG_PLANARCONFIG) != PLANARCONFIG_CONTIG && image->samples > 1) return 0;
    switch (photometric) {
    case PHOTOMETRIC_MINISWHITE: image->is_inverted = 1; /* fall through */
    case PHOTOMETRIC_MINISBLACK: colors = 1; break;
    case PHOTOMETRIC_RGB: colors = 3; break;
    case PHOTOMETRIC_SEPARATED:
        if (field(tiff, TIFFTAG_INKSET) != INKSET_CMYK) return 0;
        colors = 4;
        break;
    default: return 0;
    }
    uint16_t extra_count = 0, *extras = NULL;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &extra_count, &extras);
    if (image->samples < colors || image->samples > 64) return 0;
    int alpha = image->samples > colors && extra_count > 0 && colors < 4 ? extras[0] : EXTRASAMPLE_UNSPECIFIED;
    image->header.has_alpha = alpha != EXTRASAMPLE_UNSPECIFIED;
    image->is_associated = alpha == EXTRASAMPLE_ASSOCALPHA;
    image->header.layout = colors == 4   ? tiff_cmyk
                           : colors == 3 ? tiff_rgba
                                         : (image->header.has_alpha ? tiff_gray_alpha : tiff_gray);
    return 1;
}

static int rows_per_band(const tiff_image *image) {
    uint32_t rows = 0;
    if (TIFFIsTiled(image->tiff)) TIFFGetField(image->tiff, TIFFTAG_TILELENGTH, &rows);
    else if (image->is_converted) TIFFGetFieldDefaulted(image->tiff, TIFFTAG_ROWSPERSTRIP, &rows);
    else rows = 1;
    return rows == 0 || rows > (uint32_t)image->header.height ? image->header.height : (int)rows;
}

/* The bytes of a pixel in a band. */
static size_t pixel_bytes(const tiff_image *image) {
    return image->is_converted ? 4 : (size_t)image->samples * image->bits / 8;
}

/* The memory of libtiff: none if it decodes row by row. */
static size_t decoder_bytes(const tiff_image *image) {
    int compression = field(image->tiff, TIFFTAG_COMPRESSION);
    int is_separate = field(image->tiff, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
    size_t planes = is_separate ? image->samples : 1;
    if (TIFFIsTiled(image->tiff)) return planes * (size_t)TIFFTileSize64(image->tiff);
    if (!image->is_converted && compression != COMPRESSION_WEBP && compression != COMPRESSION_LERC) return 0;
    return planes * (size_t)TIFFStripSize64(image->tiff);
}

static tiff_outcome read_header(tiff_image *image) {
    char message[1024];
    uint32_t width = 0, height = 0, profile_length = 0;
    void *profile = NULL;
    tiff_header *header = &image->header;
    TIFFGetField(image->tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(image->tiff, TIFFTAG_IMAGELENGTH, &height);
    if (width == 0 || height == 0 || width > INT32_MAX / 64 || height > INT32_MAX) return tiff_malformed;
    header->width = (int)width;
    header->height = (int)height;
    header->orientation = field(image->tiff, TIFFTAG_ORIENTATION);
    if (TIFFGetField(image->tiff, TIFFTAG_ICCPROFILE, &profile_length, &profile)) {
        header->profile = profile;
        header->profile_length = profile_length;
    }
    image->is_converted = !set_samples(image);
    if (image->is_converted) {
        if (!TIFFRGBAImageOK(image->tiff, message)) return tiff_unsupported;
        if (!TIFFRGBAImageBegin(&image->converter, image->tiff, 1, message)) {
            image->is_converted = 0;
            return tiff_malformed;
        }
        image->converter.req_orientation = image->converter.orientation;
        header->layout = tiff_rgba;
        header->has_alpha = image->converter.alpha != 0;
    }
    image->band_rows = rows_per_band(image);
    header->held_bytes = (size_t)image->band_rows * width * pixel_bytes(image) + decoder_bytes(image);
    return tiff_ok;
}

tiff_outcome tiff_open(const uint8_t *bytes, size_t length, size_t memory, tiff_image **result, tiff_header *header) {
    tiff_image *image = calloc(1, sizeof *image);
    if (image == NULL) return tiff_out_of_memory;
    image->bytes = bytes;
    image->length = length;
    image->tiff = open_file(image, memory);
    tiff_outcome outcome = image->tiff == NULL ? tiff_malformed : read_header(image);
    if (outcome == tiff_ok) {
        *header = image->header;
        *result = image;
    } else {
        tiff_close(image);
    }
    return outcome;
}

void tiff_close(tiff_image *image) {
    if (image->is_converted && image->converter.tif != NULL) TIFFRGBAImageEnd(&image->converter);
    if (image->tiff != NULL) TIFFClose(image->tiff);
    free(image->band);
    free(image);
}

/* ---- rows ---- */

static int read_tiles(tiff_image *image, size_t row_bytes) {
    uint32_t tile_width = 0;
    TIFFGetField(image->tiff, TIFFTAG_TILEWIDTH, &tile_width);
    size_t tile_row = (size_t)TIFFTileRowSize(image->tiff);
    uint8_t *tile = malloc((size_t)TIFFTileSize(image->tiff));
    int is_read = tile != NULL && tile_width > 0 && tile_row >= tile_width * pixel_bytes(image);
    for (uint32_t x = 0; is_read && x < (uint32_t)image->header.width; x += tile_width) {
        is_read = TIFFReadTile(image->tiff, tile, x, (uint32_t)image->row, 0, 0) >= 0;
        size_t offset = x * pixel_bytes(image), count = tile_width * pixel_bytes(image);
        if (count > row_bytes - offset) count = row_bytes - offset;
        for (int y = 0; is_read && y < image->band_rows && y < image->header.height - image->row; y++)
            memcpy(image->band + (size_t)y * row_bytes + offset, tile + (size_t)y * tile_row, count);
    }
    free(tile);
    return is_read;
}

/* Whether the file ends before its strips or tiles do. */
static int is_truncated(const tiff_image *image) {
    uint32_t count = TIFFIsTiled(image->tiff) ? TIFFNumberOfTiles(image->tiff) : TIFFNumberOfStrips(image->tiff);
    for (uint32_t index = 0; index < count; index++) {
        uint64_t offset = TIFFGetStrileOffset(image->tiff, index), bytes = TIFFGetStrileByteCount(image->tiff, index);
        if (offset > image->length || bytes > image->length - offset) return 1;
    }
    return 0;
}

/* Decodes the rows from image->row on, as many as there are in a band. */
static tiff_outcome read_band(tiff_image *image) {
    size_t width = (size_t)image->header.width, row_bytes = width * pixel_bytes(image);
    int rows = image->header.height - image->row, is_read;
    if (rows > image->band_rows) rows = image->band_rows;
    if (image->band == NULL) {
        size_t needed = (size_t)image->band_rows * row_bytes, scanline = (size_t)TIFFScanlineSize(image->tiff);
        image->band = calloc(1, needed > scanline || image->is_converted ? needed : scanline);
    }
    if (image->band == NULL) return tiff_out_of_memory;
    if (image->is_converted) {
        image->converter.row_offset = image->row;
        is_read = TIFFRGBAImageGet(&image->converter, (uint32_t *)(void *)image->band, (uint32_t)width, (uint32_t)rows);
    } else if (TIFFIsTiled(image->tiff)) {
        is_read = read_tiles(image, row_bytes);
    } else {
        is_read = TIFFReadScanline(image->tiff, image->band, (uint32_t)image->row, 0) >= 0;
    }
    if (is_read) return tiff_ok;
    return is_truncated(image) ? tiff_truncated : tiff_malformed;
}

static uint8_t straight(unsigned value, unsigned alpha) {
    unsigned result = alpha == 0 ? 0 : (value * 255 + alpha / 2) / alpha;
    return (uint8_t)(result > 255 ? 255 : result);
}

/* Returns a sample of a pixel with 8 bits. */
static uint8_t sample(const tiff_image *image, const uint8_t *pixel, int index) {
    if (image->bits == 8) return pixel[index];
    uint16_t value;
    memcpy(&value, pixel + 2 * index, 2);
    return (uint8_t)((value * 255u + 32767) / 65535);
}

/* Stores gray or color, and alpha. */
static uint8_t *put_color(const tiff_image *image, const uint8_t *pixel, int is_rgba, uint8_t *target) {
    int colors = image->header.layout == tiff_rgba ? 3 : 1;
    uint8_t alpha = image->header.has_alpha ? sample(image, pixel, colors) : 255;
    uint8_t values[3];
    for (int index = 0; index < colors; index++) {
        values[index] = sample(image, pixel, index);
        if (image->is_associated) values[index] = straight(values[index], alpha);
        if (image->is_inverted) values[index] = (uint8_t)(255 - values[index]);
    }
    for (int index = 0; index < (is_rgba ? 3 : colors); index++) *target++ = values[colors == 1 ? 0 : index];
    if (is_rgba || image->header.layout == tiff_gray_alpha) *target++ = alpha;
    return target;
}

static uint8_t *put_inks(const tiff_image *image, const uint8_t *pixel, int is_rgba, uint8_t *target) {
    unsigned black = sample(image, pixel, 3);
    for (int index = 0; index < 4; index++) {
        unsigned ink = sample(image, pixel, index);
        if (is_rgba) ink = index == 3 ? 255 : ((255 - ink) * (255 - black) + 127) / 255;
        *target++ = (uint8_t)ink;
    }
    return target;
}

/* Stores pixels of libtiff, which are multiplied by alpha. */
static void put_converted(const tiff_image *image, const uint8_t *pixels, uint8_t *target) {
    for (int x = 0; x < image->header.width; x++, target += 4) {
        uint32_t pixel;
        memcpy(&pixel, pixels + 4 * (size_t)x, 4);
        uint8_t alpha = image->header.has_alpha ? (uint8_t)TIFFGetA(pixel) : 255;
        target[0] = straight(TIFFGetR(pixel), alpha);
        target[1] = straight(TIFFGetG(pixel), alpha);
        target[2] = straight(TIFFGetB(pixel), alpha);
        target[3] = alpha;
    }
}

tiff_outcome tiff_read_row(tiff_image *image, int is_rgba, uint8_t *row) {
    if (image->row >= image->header.height) return tiff_malformed;
    int index = image->row % image->band_rows;
    tiff_outcome outcome = index == 0 ? read_band(image) : tiff_ok;
    if (outcome != tiff_ok) return outcome;
    const uint8_t *pixel = image->band + (size_t)index * (size_t)image->header.width * pixel_bytes(image);
    image->row++;
    if (image->is_converted) {
        put_converted(image, pixel, row);
        return tiff_ok;
    }
    for (int x = 0; x < image->header.width; x++, pixel += pixel_bytes(image))
        row = image->header.layout == tiff_cmyk ? put_inks(image, pixel, is_rgba, row)
                                                : put_color(image, pixel, is_rgba, row);
    return tiff_ok;
}

#endif
