#if __has_include(<gtk/gtk.h>)
#include <glib-unix.h>
#include <gtk/gtk.h>
#else
#error "gtk/gtk.h is missing: install libgtk-4-dev (Debian), gtk4-devel (Fedora) or gtk4 (Homebrew)"
#endif

/* Functions with variable arguments, which Swift can't call. */

static inline gboolean cgtk_get_flag(gpointer object, const char *property) {
    gboolean value = FALSE;
    g_object_get(object, property, &value, NULL);
    return value;
}

static inline void cgtk_set_flag(gpointer object, const char *property, gboolean value) {
    g_object_set(object, property, value, NULL);
}

static inline void cgtk_set_accessible_label(GtkWidget *widget, const char *label) {
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

static inline void cgtk_set_busy(GtkWidget *widget, gboolean is_busy) {
    gtk_accessible_update_state(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_BUSY, is_busy, -1);
}

static inline void cgtk_set_role(GtkWidget *widget, GtkAccessibleRole role) {
    g_object_set(widget, "accessible-role", role, NULL);
}

/* Whether GTK converts textures from their color space to that of the display. */
static inline gboolean cgtk_has_color_states(void) { return GTK_CHECK_VERSION(4, 16, 0); }

/* Creates a texture whose color space has these code points of H.273. Returns NULL if GTK can only show sRGB (1, 13). */
static inline GdkTexture *cgtk_texture_new(
    int width, int height, GdkMemoryFormat format, GBytes *bytes, gsize stride, guint primaries, guint transfer) {
    if (primaries == 1 && transfer == 13) return gdk_memory_texture_new(width, height, format, bytes, stride);
#if GTK_CHECK_VERSION(4, 16, 0)
    GdkCicpParams *params = gdk_cicp_params_new();
    gdk_cicp_params_set_color_primaries(params, primaries);
    gdk_cicp_params_set_transfer_function(params, transfer);
    gdk_cicp_params_set_matrix_coefficients(params, 0);
    gdk_cicp_params_set_range(params, GDK_CICP_RANGE_FULL);
    GdkColorState *state = gdk_cicp_params_build_color_state(params, NULL);
    g_object_unref(params);
    if (state == NULL) return NULL;
    GdkMemoryTextureBuilder *builder = gdk_memory_texture_builder_new();
    gdk_memory_texture_builder_set_width(builder, width);
    gdk_memory_texture_builder_set_height(builder, height);
    gdk_memory_texture_builder_set_format(builder, format);
    gdk_memory_texture_builder_set_bytes(builder, bytes);
    gdk_memory_texture_builder_set_stride(builder, stride);
    gdk_memory_texture_builder_set_color_state(builder, state);
    GdkTexture *texture = gdk_memory_texture_builder_build(builder);
    gdk_color_state_unref(state);
    g_object_unref(builder);
    return texture;
#else
    return NULL;
#endif
}
