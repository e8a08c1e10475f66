internal import CGtk
public import ImageCore

/// A picture in the form that GTK draws.
@MainActor @safe public final class Texture {
    /// A `GdkTexture`, which is a `GdkPaintable`.
    public let pointer: OpaquePointer

    /// Shares the bitmap's pixels, without a copy, and keeps them for as long as GTK keeps the texture.
    ///
    /// - Parameter isPacked: copies the pixels of an opaque bitmap once, without their alpha. Where the processor paints, GTK converts every
    ///   texture in every frame, and those without alpha three times as fast: worth it for what stays on the screen.
    public init(_ bitmap: Bitmap, isPacked: Bool = false) {
        let pixels = isPacked && bitmap.isOpaque ? Pixels(packing: bitmap) : Pixels(sharing: bitmap)
        let bytes = unsafe pixels.bytes.withUnsafeBytes { bytes in
            // The pointer outlives this closure. It stays good because an array's storage does not move while it is not changed, this one
            // can't be changed, and `pixels` lives until GTK calls `releasePixels`.
            unsafe g_bytes_new_with_free_func(
                bytes.baseAddress, gsize(bytes.count), releasePixels, Unmanaged.passRetained(pixels).toOpaque())
        }
        unsafe pointer = unsafe gdk_memory_texture_new(
            Int32(bitmap.size.width), Int32(bitmap.size.height), pixels.format, bytes, gsize(pixels.bytesPerRow))
        unsafe g_bytes_unref(bytes)
    }

    isolated deinit { unsafe g_object_unref(UnsafeMutableRawPointer(pointer)) }
}

/// The pixels that a texture shows, for as long as it does.
private nonisolated final class Pixels: Sendable {
    /// What the bytes belong to, if they are not a copy.
    private let bitmap: Bitmap?
    let bytes: [UInt8]
    let format: GdkMemoryFormat
    let bytesPerRow: Int

    /// The bitmap's own: a copy of an array is one more reference.
    init(sharing bitmap: Bitmap) {
        self.bitmap = bitmap
        (bytes, format, bytesPerRow) = (bitmap.pixels, GDK_MEMORY_R8G8B8A8, bitmap.bytesPerRow)
    }

    /// Those of an opaque bitmap, without alpha.
    init(packing opaque: Bitmap) {
        bitmap = nil
        (format, bytesPerRow) = (GDK_MEMORY_R8G8B8, opaque.size.width * 3)
        let count = opaque.size.area
        bytes = unsafe opaque.pixels.withUnsafeBufferPointer { source in
            unsafe [UInt8](unsafeUninitializedCapacity: count * 3) { target, initializedCount in
                for pixel in 0..<count {
                    unsafe target[pixel * 3] = source[pixel * 4]
                    unsafe target[pixel * 3 + 1] = source[pixel * 4 + 1]
                    unsafe target[pixel * 3 + 2] = source[pixel * 4 + 2]
                }
                initializedCount = count * 3
            }
        }
    }
}

/// Not isolated: GTK drops textures where it will.
private nonisolated func releasePixels(_ pixels: gpointer?) {
    if let pixels = unsafe pixels { unsafe Unmanaged<Pixels>.fromOpaque(pixels).release() }
}
