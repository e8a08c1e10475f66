internal import CGtk

/// A picture for a window that the processor paints, in the arrangement in which that is done.
///
/// GTK 4.8 converts a texture whenever it is painted that way, in each frame of a scroll; here that is done once. Renderers that paint with the graphics
/// processor would upload it in each frame instead: they are given the texture.
@MainActor @safe final class PaintedPicture {
    /// A `GdkPaintable`.
    let pointer: OpaquePointer

    /// Nil when there is no memory for the pixels.
    init?(_ texture: Texture) {
        guard let surface = unsafe Self.surface(of: texture.pointer) else { return nil }
        defer { unsafe cairo_surface_destroy(surface) }
        let (width, height) = unsafe (
            Float(cairo_image_surface_get_width(surface)), Float(cairo_image_surface_get_height(surface))
        )
        var bounds = graphene_rect_t(
            origin: graphene_point_t(x: 0, y: 0), size: graphene_size_t(width: width, height: height))
        let snapshot = unsafe gtk_snapshot_new()
        let context = unsafe gtk_snapshot_append_cairo(snapshot, &bounds)
        unsafe cairo_set_source_surface(context, surface, 0, 0)
        // As GTK paints textures: where they are scaled their edges stay sharp.
        unsafe cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
        unsafe cairo_rectangle(context, 0, 0, Double(width), Double(height))
        unsafe cairo_fill(context)
        unsafe cairo_destroy(context)
        guard let paintable = unsafe gtk_snapshot_free_to_paintable(snapshot, &bounds.size) else { return nil }
        unsafe pointer = unsafe paintable
    }

    isolated deinit { unsafe g_object_unref(UnsafeMutableRawPointer(pointer)) }

    private static func surface(of texture: OpaquePointer) -> OpaquePointer? {
        let (width, height) = unsafe (gdk_texture_get_width(texture), gdk_texture_get_height(texture))
        let surface = unsafe cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height)
        guard let surface = unsafe surface, let data = unsafe cairo_image_surface_get_data(surface) else {
            unsafe cairo_surface_destroy(surface)
            return nil
        }
        unsafe gdk_texture_download(texture, data, gsize(cairo_image_surface_get_stride(surface)))
        unsafe cairo_surface_mark_dirty(surface)
        return unsafe surface
    }
}

extension Widget {
    /// Whether the window that it is in is painted by the processor. False while it is in none that was shown.
    var isPaintedByProcessor: Bool {
        guard let native = unsafe gtk_widget_get_native(pointer), let renderer = unsafe gtk_native_get_renderer(native)
        else { return false }
        let instance = unsafe UnsafeMutableRawPointer(renderer).assumingMemoryBound(to: GTypeInstance.self)
        return unsafe g_type_check_instance_is_a(instance, gsk_cairo_renderer_get_type()) != 0
    }
}
