internal import CGtk
public import ImageCore

/// An image in the form that GTK draws.
@MainActor @safe public final class Texture {
    /// A `GdkTexture`, which is a `GdkPaintable`.
    public let pointer: OpaquePointer

    let bitmap: Bitmap

    /// Shares the bitmap's bytes, without a copy, and keeps them for as long as GTK keeps the texture.
    ///
    /// Where the processor paints, GTK converts every texture in every frame, packed ones (`Bitmap.packed()`) three times as fast.
    public init(_ bitmap: Bitmap) {
        self.bitmap = bitmap
        unsafe pointer = unsafe makeTexture(bitmap)
    }

    isolated deinit { unsafe g_object_unref(UnsafeMutableRawPointer(pointer)) }
}

/// A `GdkTexture` over the bitmap's own bytes, on whatever thread.
nonisolated func makeTexture(_ bitmap: Bitmap) -> OpaquePointer {
    let pixels = Pixels(bitmap)
    let bytes = unsafe pixels.bytes.withUnsafeBytes { bytes in
        // The pointer outlives this closure. It stays good because an array's storage does not move while it is not changed, this one
        // can't be changed, and `pixels` lives until GTK calls `releasePixels`.
        unsafe g_bytes_new_with_free_func(
            bytes.baseAddress, gsize(bytes.count), releasePixels, Unmanaged.passRetained(pixels).toOpaque())
    }
    defer { unsafe g_bytes_unref(bytes) }
    return unsafe gdk_memory_texture_new(
        Int32(bitmap.size.width), Int32(bitmap.size.height), pixels.format, bytes, gsize(pixels.bytesPerRow))
}

/// The pixels that a texture shows, for as long as it does.
private nonisolated final class Pixels: Sendable {
    private let bitmap: Bitmap
    /// The bitmap's own: a copy of an array is one more reference.
    let bytes: [UInt8]
    let format: GdkMemoryFormat
    let bytesPerRow: Int

    init(_ bitmap: Bitmap) {
        self.bitmap = bitmap
        if let packed = bitmap.packedPixels {
            (bytes, format, bytesPerRow) = (packed, GDK_MEMORY_R8G8B8, bitmap.size.width * 3)
        } else {
            (bytes, format, bytesPerRow) = (bitmap.pixels, GDK_MEMORY_R8G8B8A8, bitmap.bytesPerRow)
        }
    }
}

/// Not isolated: GTK drops textures where it will.
private nonisolated func releasePixels(_ pixels: gpointer?) {
    if let pixels = unsafe pixels { unsafe Unmanaged<Pixels>.fromOpaque(pixels).release() }
}
