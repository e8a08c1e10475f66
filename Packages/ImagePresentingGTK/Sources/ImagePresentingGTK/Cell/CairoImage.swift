#if GTK
internal import CLibGTK
internal import ImageCore

/// An image in cairo's pixel format, for windows with the cairo renderer.
///
/// With this renderer, GTK 4.8 converts a texture each time that it is painted. This type converts it once, off the
/// main actor. GPU renderers would upload it in each frame, so they use the texture.
@MainActor @safe final class CairoImage {
    /// A `GdkPaintable`.
    let pointer: OpaquePointer

    /// Creates an image. Returns nil if there is not enough memory.
    ///
    /// - Parameters:
    ///   - pixels: The result of `Bitmap.cairoPixels`.
    ///   - bitmap: The image itself.
    init?(_ pixels: [UInt8], of bitmap: Bitmap) {
        let size = bitmap.size
        guard let surface = unsafe Self.surface(pixels, size, bitmap.isOpaque) else { return nil }
        defer { unsafe cairo_surface_destroy(surface) }
        var bounds = graphene_rect_t(
            origin: graphene_point_t(x: 0, y: 0),
            size: graphene_size_t(width: Float(size.width), height: Float(size.height)))
        let snapshot = unsafe gtk_snapshot_new()
        let context = unsafe gtk_snapshot_append_cairo(snapshot, &bounds)
        unsafe cairo_set_source_surface(context, surface, 0, 0)
        // Like GTK's textures: edges stay sharp if the image is scaled.
        unsafe cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
        unsafe cairo_rectangle(context, 0, 0, Double(size.width), Double(size.height))
        unsafe cairo_fill(context)
        unsafe cairo_destroy(context)
        guard let paintable = unsafe gtk_snapshot_free_to_paintable(snapshot, &bounds.size) else { return nil }
        unsafe pointer = unsafe paintable
    }

    isolated deinit { unsafe g_object_unref(UnsafeMutableRawPointer(pointer)) }

    /// Returns `Bitmap.cairoPixels`. Doesn't run on the main actor.
    nonisolated static func pixels(of bitmap: Bitmap) async -> [UInt8] { bitmap.cairoPixels }

    private static func surface(_ pixels: [UInt8], _ size: PixelSize, _ isOpaque: Bool) -> OpaquePointer? {
        // Cairo ignores the alpha of RGB24, and doesn't look for transparent pixels.
        let format = isOpaque ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32
        let surface = unsafe cairo_image_surface_create(format, Int32(size.width), Int32(size.height))
        // In cairo too, rows with four bytes per pixel have no padding.
        guard let surface = unsafe surface, let data = unsafe cairo_image_surface_get_data(surface) else {
            unsafe cairo_surface_destroy(surface)
            return nil
        }
        unsafe pixels.withUnsafeBytes {
            unsafe UnsafeMutableRawPointer(data).copyMemory(
                from: $0.baseAddress ?? UnsafeRawPointer(data), byteCount: $0.count)
        }
        unsafe cairo_surface_mark_dirty(surface)
        return unsafe surface
    }
}

extension Bitmap {
    /// The pixels as premultiplied blue, green, red and alpha, without padding.
    nonisolated var cairoPixels: [UInt8] {
        let texture = unsafe makeTexture(self)
        defer { unsafe g_object_unref(UnsafeMutableRawPointer(texture)) }
        return unsafe [UInt8](unsafeUninitializedCapacity: size.area * 4) { pixels, count in
            unsafe gdk_texture_download(texture, pixels.baseAddress, gsize(size.width * 4))
            count = size.area * 4
        }
    }

    /// Converts the image for `preparedForCairo`, which all views that show it share.
    nonisolated func prepareForCairo() { _ = drawable { $0.cairoPixels } }

    /// The pixels that `prepareForCairo` has converted, or nil if it has not.
    var preparedForCairo: [UInt8]? { drawable { _ in nil } }
}

extension Widget {
    /// Whether the widget's window uses the cairo renderer, which paints in software. False if it is in no visible
    /// window.
    var usesCairoRenderer: Bool {
        guard let native = unsafe gtk_widget_get_native(pointer), let renderer = unsafe gtk_native_get_renderer(native)
        else { return false }
        let instance = unsafe UnsafeMutableRawPointer(renderer).assumingMemoryBound(to: GTypeInstance.self)
        return unsafe g_type_check_instance_is_a(instance, gsk_cairo_renderer_get_type()) != 0
    }
}
#endif
