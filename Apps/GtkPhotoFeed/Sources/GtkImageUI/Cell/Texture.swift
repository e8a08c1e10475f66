internal import CGtk
public import ImageCore

/// A picture in the form that GTK draws: our own bitmap, not a copy of it.
@MainActor @safe public final class Texture {
    /// A `GdkTexture`, which is a `GdkPaintable`.
    public let pointer: OpaquePointer

    /// Shares the bitmap's pixels, and keeps them for as long as GTK keeps the texture.
    public init(_ bitmap: Bitmap) {
        let pixels = Pixels(bitmap)
        let bytes = unsafe pixels.bytes.withUnsafeBytes { bytes in
            // The pointer outlives this closure. It stays good because an array's storage does not move while it is not changed, this one
            // can't be changed, and `pixels` lives until GTK calls `releasePixels`.
            unsafe g_bytes_new_with_free_func(
                bytes.baseAddress, gsize(bytes.count), releasePixels, Unmanaged.passRetained(pixels).toOpaque())
        }
        unsafe pointer = unsafe gdk_memory_texture_new(
            Int32(bitmap.size.width), Int32(bitmap.size.height), GDK_MEMORY_R8G8B8A8, bytes, gsize(bitmap.bytesPerRow))
        unsafe g_bytes_unref(bytes)
    }

    isolated deinit { unsafe g_object_unref(UnsafeMutableRawPointer(pointer)) }
}

/// A bitmap's pixels while a texture shows them.
private nonisolated final class Pixels: Sendable {
    private let bitmap: Bitmap
    /// The same storage as the bitmap's: a copy of an array is one more reference.
    let bytes: [UInt8]

    init(_ bitmap: Bitmap) {
        self.bitmap = bitmap
        bytes = bitmap.pixels
    }
}

/// Not isolated: GTK drops textures where it will.
private nonisolated func releasePixels(_ pixels: gpointer?) {
    if let pixels = unsafe pixels { unsafe Unmanaged<Pixels>.fromOpaque(pixels).release() }
}
