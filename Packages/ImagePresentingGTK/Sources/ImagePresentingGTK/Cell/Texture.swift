#if GTK
internal import CLibGTK
public import ImageCore

/// An image that GTK can draw.
@MainActor @safe final class Texture {
    /// A `GdkTexture`, which is a `GdkPaintable`.
    let pointer: OpaquePointer

    let bitmap: Bitmap

    /// Creates a texture that shares the bitmap's bytes without a copy. GTK keeps them as long as the texture.
    ///
    /// With the cairo renderer, GTK converts the texture in each frame, packed bitmaps (`Bitmap.packed()`) fastest.
    init(_ bitmap: Bitmap) {
        self.bitmap = bitmap
        unsafe pointer = unsafe makeTexture(bitmap)
    }

    isolated deinit { unsafe g_object_unref(UnsafeMutableRawPointer(pointer)) }
}

extension GtkWidgetRef {
    /// Puts an image on the clipboard of the widget's display. Other applications get it as PNG and in other formats.
    public func copyToClipboard(_ bitmap: Bitmap) {
        let texture = unsafe makeTexture(bitmap)
        unsafe gdk_clipboard_set_texture(gtk_widget_get_clipboard(pointer), texture)
        unsafe g_object_unref(UnsafeMutableRawPointer(texture))
    }
}

/// Returns a `GdkTexture` that shares the bitmap's bytes, unless it has to be converted to sRGB. Can be called on any
/// thread.
nonisolated func makeTexture(_ bitmap: Bitmap) -> OpaquePointer {
    unsafe sharedTexture(bitmap) ?? makeTexture(bitmap.converted(to: .sRGB))
}

/// Returns nil if GTK can't show the color space.
private nonisolated func sharedTexture(_ bitmap: Bitmap) -> OpaquePointer? {
    let pixels = Pixels(bitmap)
    let bytes = unsafe pixels.bytes.withUnsafeBytes { bytes in
        // The pointer outlives this closure. It stays valid, because the storage of an unchanged array doesn't move,
        // this array is immutable, and `pixels` lives until GTK calls `releasePixels`.
        unsafe g_bytes_new_with_free_func(
            bytes.baseAddress, gsize(bytes.count), releasePixels, Unmanaged.passRetained(pixels).toOpaque())
    }
    defer { unsafe g_bytes_unref(bytes) }
    let codePoints = bitmap.colorSpace.codePoints
    return unsafe cgtk_texture_new(
        Int32(bitmap.size.width), Int32(bitmap.size.height), pixels.format, bytes, gsize(pixels.bytesPerRow),
        guint(codePoints.primaries), guint(codePoints.transfer))
}

/// The pixels of a texture. They live as long as the texture.
private nonisolated final class Pixels: Sendable {
    private let bitmap: Bitmap
    /// The bytes of the bitmap. They are shared, because copying an array only adds a reference.
    let bytes: [UInt8]
    let format: GdkMemoryFormat
    let bytesPerRow: Int

    init(_ bitmap: Bitmap) {
        self.bitmap = bitmap
        if let packed = bitmap.packedPixels {
            bytes = packed
            format = GDK_MEMORY_R8G8B8
            bytesPerRow = bitmap.size.width * 3
        } else {
            bytes = bitmap.withoutHiddenAlpha.pixels
            format = GDK_MEMORY_R8G8B8A8
            bytesPerRow = bitmap.bytesPerRow
        }
    }
}

/// Releases the pixels. Not isolated, because GTK can release a texture on any thread.
private nonisolated func releasePixels(_ pixels: gpointer?) {
    if let pixels = unsafe pixels { unsafe Unmanaged<Pixels>.fromOpaque(pixels).release() }
}
#endif
