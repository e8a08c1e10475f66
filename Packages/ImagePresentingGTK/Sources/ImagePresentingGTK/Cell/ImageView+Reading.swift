#if GTK
internal import CLibGTK
internal import ImageCore

// Reads from GTK what is shown, for tests.
extension ImageView {
    /// The identity of the visible image, or `nil` if no image is visible. The identity can be reused when the image is
    /// replaced.
    var shownImageID: UInt? { unsafe shownPaintable.map { UInt(bitPattern: $0) } }

    /// A copy of the visible image, as GTK draws it. Colors are premultiplied with alpha.
    var shownBitmap: Bitmap? { unsafe shownPaintable.flatMap { unsafe Self.bitmap(drawnBy: $0) } }

    /// A copy of what a `GdkPaintable` draws at its own size. Colors are premultiplied with alpha.
    static func bitmap(drawnBy paintable: OpaquePointer) -> Bitmap? {
        guard let snapshot = unsafe gtk_snapshot_new() else { return nil }
        let size = unsafe PixelSize(
            width: Int(gdk_paintable_get_intrinsic_width(paintable)),
            height: Int(gdk_paintable_get_intrinsic_height(paintable)))
        unsafe gdk_paintable_snapshot(paintable, snapshot, Double(size.width), Double(size.height))
        guard let node = unsafe gtk_snapshot_free_to_node(snapshot) else { return nil }
        defer { unsafe gsk_render_node_unref(node) }
        var pixels = [UInt8](repeating: 0, count: size.area * 4)
        unsafe draw(node, into: &pixels, size)
        // Cairo's order is blue, green, red, alpha.
        for index in stride(from: 0, to: pixels.count, by: 4) { pixels.swapAt(index, index + 2) }
        return Bitmap(size: size, pixels: pixels, isOpaque: false)
    }

    private static func draw(_ node: OpaquePointer, into pixels: inout [UInt8], _ size: PixelSize) {
        unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            let surface = unsafe cairo_image_surface_create_for_data(
                pixels.baseAddress, CAIRO_FORMAT_ARGB32, Int32(size.width), Int32(size.height), Int32(size.width * 4))
            let context = unsafe cairo_create(surface)
            unsafe gsk_render_node_draw(node, context)
            unsafe cairo_destroy(context)
            // Releases the last reference, so that the surface doesn't outlive the pixels.
            unsafe cairo_surface_destroy(surface)
        }
    }

    /// The visible `GtkPicture`, or `nil` if no image is visible.
    var shownPicture: OpaquePointer? {
        guard content == .image, let page = unsafe gtk_stack_get_visible_child(stack.opaque) else { return nil }
        return OpaquePointer(page)
    }

    private var shownPaintable: OpaquePointer? {
        unsafe shownPicture.flatMap { unsafe gtk_picture_get_paintable($0) }
    }
}
#endif
