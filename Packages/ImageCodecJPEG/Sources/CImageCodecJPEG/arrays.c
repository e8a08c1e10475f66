#define _DEFAULT_SOURCE   /* madvise */

#include "reader.h"

#include <sys/mman.h>

/* Replaces three functions of libjpeg's memory manager for the coefficients of an image with several scans. libjpeg's
   own functions clear memory that is already cleared, and store all 64 coefficients of every block. These store only
   the DC coefficients of a component that is scaled to one sample per block. */

static ilj_array *find_array(ilj_reader *reader, jvirt_barray_ptr array) {
    for (int index = 0; index < MAX_COMPONENTS; index++)
        if ((void *)array == (void *)&reader->arrays[index]) return &reader->arrays[index];
    return NULL;
}

/* Called once for each component, in order. */
static jvirt_barray_ptr request(
    j_common_ptr info, int pool, boolean pre_zero, JDIMENSION columns, JDIMENSION rows, JDIMENSION max_rows
) {
    ilj_reader *reader = info->client_data;
    int index = reader->array_count++;
    if (index >= reader->info.num_components)
        return reader->library_request(info, pool, pre_zero, columns, rows, max_rows);
    ilj_array *array = &reader->arrays[index];
    array->columns = columns;
    array->rows = rows;
    array->keeps_dc_only = ilj_keeps_dc_only(reader, index);
    array->window_rows = array->keeps_dc_only ? (JDIMENSION)reader->info.comp_info[index].v_samp_factor : rows;
    return (jvirt_barray_ptr)array;
}

/* Allocates cleared memory. Large blocks use huge pages where available, which are much faster to allocate. */
static void *allocate_cleared(ilj_reader *reader, size_t count, size_t size) {
    char *memory = calloc(count, size);
    if (!memory) ilj_fail(reader, ILJ_OUT_OF_MEMORY, "out of memory for the coefficients");
#ifdef MADV_HUGEPAGE
    enum { page = 4096, worthwhile = 4 << 20 };
    if (count * size >= worthwhile) {
        char *start = memory + (page - (uintptr_t)memory % page) % page;
        madvise(start, (size_t)(memory + count * size - start) / page * page, MADV_HUGEPAGE);
    }
#endif
    return memory;
}

static void realize(j_common_ptr info) {
    ilj_reader *reader = info->client_data;
    reader->library_realize(info);
    for (int index = 0; index < MAX_COMPONENTS; index++) {
        ilj_array *array = &reader->arrays[index];
        if (array->columns == 0) continue;
        array->blocks = allocate_cleared(reader, (size_t)array->columns * array->window_rows, sizeof(JBLOCK));
        array->window = allocate_cleared(reader, array->window_rows, sizeof(JBLOCKROW));
        for (JDIMENSION row = 0; row < array->window_rows; row++)
            array->window[row] = array->blocks + (size_t)row * array->columns;
        array->start = array->rows;   /* the window is empty */
        if (array->keeps_dc_only)
            array->dc_coefficients = allocate_cleared(reader, (size_t)array->columns * array->rows, sizeof(JCOEF));
    }
}

void ilj_free_arrays(ilj_reader *reader) {
    for (int index = 0; index < MAX_COMPONENTS; index++) {
        free(reader->arrays[index].blocks);
        free(reader->arrays[index].window);
        free(reader->arrays[index].dc_coefficients);
    }
}

/* Copies the DC coefficients of the rows in the window to the array, or back. */
static void copy_dc(ilj_array *array, bool into_window) {
    for (JDIMENSION row = 0; row < array->window_rows && array->start + row < array->rows; row++) {
        JCOEF *dc_coefficients = array->dc_coefficients + (size_t)(array->start + row) * array->columns;
        JBLOCKROW blocks = array->window[row];
        if (into_window)
            for (JDIMENSION column = 0; column < array->columns; column++) blocks[column][0] = dc_coefficients[column];
        else
            for (JDIMENSION column = 0; column < array->columns; column++) dc_coefficients[column] = blocks[column][0];
    }
}

static JBLOCKARRAY access_rows(
    j_common_ptr info, jvirt_barray_ptr virtual_array, JDIMENSION start, JDIMENSION count, boolean writable
) {
    ilj_reader *reader = info->client_data;
    ilj_array *array = find_array(reader, virtual_array);
    if (!array) return reader->library_access(info, virtual_array, start, count, writable);
    if (count > array->window_rows || start >= array->rows || count > array->rows - start)
        ilj_fail(reader, ILJ_MALFORMED, "block rows out of range");
    if (!array->keeps_dc_only) return array->window + start;
    if (start != array->start) {
        if (array->is_changed) copy_dc(array, false);
        array->start = start;
        array->is_changed = false;
        copy_dc(array, true);
    }
    if (writable) array->is_changed = true;
    return array->window;
}

void ilj_replace_arrays(ilj_reader *reader) {
    struct jpeg_memory_mgr *memory = reader->info.mem;
    reader->library_request = memory->request_virt_barray;
    reader->library_realize = memory->realize_virt_arrays;
    reader->library_access = memory->access_virt_barray;
    memory->request_virt_barray = request;
    memory->realize_virt_arrays = realize;
    memory->access_virt_barray = access_rows;
}
