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
    convenience init?(_ pixels: CairoPixels) { self.init(pixels, at: PixelArea(size: pixels.size), of: pixels.size) }

    /// Creates an image that is transparent around a part. Returns nil if there is not enough memory.
    init?(_ pixels: CairoPixels, at part: PixelArea, of image: PixelSize) {
        let size = pixels.size
        var bounds = graphene_rect_t(part)
        let snapshot = unsafe gtk_snapshot_new()
        let context = unsafe gtk_snapshot_append_cairo(snapshot, &bounds)
        unsafe cairo_translate(context, Double(part.left), Double(part.top))
        unsafe cairo_scale(
            context, Double(part.width) / Double(size.width), Double(part.height) / Double(size.height))
        unsafe cairo_set_source_surface(context, pixels.surface, 0, 0)
        // Like GTK's textures: edges stay sharp if the image is scaled.
        unsafe cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
        unsafe cairo_rectangle(context, 0, 0, Double(size.width), Double(size.height))
        unsafe cairo_fill(context)
        unsafe cairo_destroy(context)
        var whole = graphene_rect_t(PixelArea(size: image)).size
        guard let paintable = unsafe gtk_snapshot_free_to_paintable(snapshot, &whole) else { return nil }
        unsafe pointer = unsafe paintable
    }

    isolated deinit { unsafe g_object_unref(UnsafeMutableRawPointer(pointer)) }
}

extension graphene_rect_t {
    init(_ area: PixelArea) {
        self.init(
            origin: graphene_point_t(x: Float(area.left), y: Float(area.top)),
            size: graphene_size_t(width: Float(area.width), height: Float(area.height)))
    }
}

/// The pixels of an image in cairo's format, which all views that show the image share.
// Sendable, because cairo counts references atomically, and nobody writes to the surface after its initializer.
@safe nonisolated final class CairoPixels: @unchecked Sendable {
    /// Owns its memory. Otherwise, cairo would copy the pixels when the surface is destroyed before the picture of it.
    fileprivate let surface: OpaquePointer
    fileprivate let size: PixelSize

    /// Returns nil if there is not enough memory.
    fileprivate init?(_ bitmap: Bitmap) {
        size = bitmap.size
        // Cairo ignores the alpha of RGB24, and doesn't look for transparent pixels.
        let format = bitmap.isOpaque ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32
        let surface = unsafe cairo_image_surface_create(format, Int32(size.width), Int32(size.height))
        guard let surface = unsafe surface, let data = unsafe cairo_image_surface_get_data(surface) else {
            unsafe cairo_surface_destroy(surface)
            return nil
        }
        unsafe self.surface = unsafe surface
        let texture = unsafe makeTexture(bitmap)
        unsafe gdk_texture_download(texture, data, gsize(cairo_image_surface_get_stride(surface)))
        unsafe g_object_unref(UnsafeMutableRawPointer(texture))
        unsafe cairo_surface_mark_dirty(surface)
    }

    deinit { unsafe cairo_surface_destroy(surface) }

    /// Converts a bitmap outside the main actor.
    @concurrent static func converted(_ bitmap: Bitmap) async -> CairoPixels? { CairoPixels(bitmap) }
}

extension Bitmap {
    /// Converts the image for `preparedForCairo`.
    nonisolated func prepareForCairo() { _ = drawable(CairoPixels.init) }

    /// The pixels that `prepareForCairo` has converted, or nil if it has not.
    var preparedForCairo: CairoPixels? { drawable { _ in nil } }
}

extension GtkWidgetRef {
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
