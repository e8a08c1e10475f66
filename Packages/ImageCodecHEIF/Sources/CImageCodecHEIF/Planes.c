#ifdef HEIF

#include "Planes.h"

#include <stdlib.h>
#include <string.h>

/* Padding after the samples of each plane, for vector loads. */
enum { padding = 32 };

heic_planes *planes_without_memory(heic_format format, int capacity) {
    heic_planes *planes = calloc(1, sizeof *planes);
    if (planes == NULL) return NULL;
    planes->format = format;
    planes->capacity = capacity;
    return planes;
}

heic_planes *heic_planes_create(heic_format format, int capacity) {
    heic_planes *planes = planes_without_memory(format, capacity);
    if (planes == NULL) return NULL;
    size_t offsets[3] = {0}, total = 0;
    for (int plane = 0; plane < plane_count(planes); plane++) {
        planes->stride[plane] = (size_t)plane_width(planes, plane) * (size_t)bytes_per_sample(planes);
        offsets[plane] = total;
        total += planes->stride[plane] * (size_t)rounded_up(capacity, down_of(planes, plane)) + padding;
        total += total % 2;
    }
    planes->memory = calloc(1, total);
    for (int plane = 0; plane < plane_count(planes) && planes->memory != NULL; plane++)
        planes->samples[plane] = planes->memory + offsets[plane];
    if (planes->memory != NULL) return planes;
    heic_planes_close(planes);
    return NULL;
}

void heic_planes_close(heic_planes *planes) {
    free(planes->memory);
    free(planes);
}

heic_color heic_planes_color(const heic_planes *planes) { return planes->color; }

/* The samples of row `row`, counted from the first one that is stored. */
static uint8_t *stored_row(heic_planes *planes, int plane, int row) {
    ptrdiff_t offset = planes->samples[plane] - planes->memory;
    return planes->memory + offset + (size_t)row * planes->stride[plane];
}

int heic_planes_paste(heic_planes *planes, const heic_planes *tile, int x) {
    heic_format format = planes->format, other = tile->format;
    if (format.across != other.across || format.down != other.down || format.bit_depth != other.bit_depth) return 0;
    int columns = at_most(other.width, format.width - x);
    int rows = at_most(other.height, format.height - planes->first_row - planes->row_count);
    if (x < 0 || columns < 1 || rows < 1 || rows > planes->capacity - planes->row_count) return 0;
    if (format.across > 0 && (x % format.across != 0 || planes->row_count % format.down != 0)) return 0;
    for (int plane = 0; plane < plane_count(planes); plane++) {
        int across = across_of(planes, plane), down = down_of(planes, plane), bytes = bytes_per_sample(planes);
        size_t offset = (size_t)(x / across * bytes), length = (size_t)(rounded_up(columns, across) * bytes);
        for (int row = 0; row < rounded_up(rows, down); row++) {
            const uint8_t *source = tile->samples[plane] + (size_t)row * tile->stride[plane];
            memcpy(stored_row(planes, plane, planes->row_count / down + row) + offset, source, length);
        }
    }
    return 1;
}

void heic_planes_add_rows(heic_planes *planes, int count) {
    planes->row_count = at_most(planes->row_count + count, planes->capacity);
}

void heic_planes_remove_rows(heic_planes *planes, int row) {
    int removed = at_most(row - planes->first_row, planes->row_count) & ~1;
    if (removed <= 0) return;
    for (int plane = 0; plane < plane_count(planes); plane++) {
        int down = down_of(planes, plane);
        size_t kept = (size_t)rounded_up(planes->row_count - removed, down) * planes->stride[plane];
        memmove(stored_row(planes, plane, 0), stored_row(planes, plane, removed / down), kept);
    }
    planes->first_row += removed;
    planes->row_count -= removed;
}

#endif
