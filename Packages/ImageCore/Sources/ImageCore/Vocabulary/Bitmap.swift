/// A decoded image: straight (not premultiplied) RGBA, 8 bits a channel, sRGB, rows from top to bottom without padding.
///
/// Copies share their pixels. For other pixel formats, use `PixelSurface` of ImageProcessing.
public struct Bitmap: Sendable {
    private var storage: PixelStorage

    /// - Precondition: `pixels` holds exactly `size.area * 4` bytes.
    public init(size: PixelSize, pixels: [UInt8], isOpaque: Bool) {
        self.init(size: size, pixels: pixels, isOpaque: isOpaque, pool: nil)
    }

    /// - Parameters:
    ///   - size: The size in pixels.
    ///   - pixels: Exactly `size.area * 4` bytes.
    ///   - isOpaque: Whether every alpha value is 255.
    ///   - pool: Receives the memory when the last copy is released.
    public init(size: PixelSize, pixels: [UInt8], isOpaque: Bool, pool: PixelBufferPool?) {
        precondition(
            pixels.count == size.area * 4, "a bitmap of \(size) needs \(size.area * 4) bytes, not \(pixels.count)")
        storage = PixelStorage(size: size, bytes: pixels, isOpaque: isOpaque, isPacked: false, pool: pool)
    }

    /// The size in pixels.
    public var size: PixelSize { storage.size }

    /// Whether every alpha value is 255.
    public var isOpaque: Bool { storage.isOpaque }

    /// The pixels, `size.area * 4` bytes. A packed image converts them on each read: assign them to a constant before a loop.
    public var pixels: [UInt8] { storage.isPacked ? storage.bytes.withAlpha(pixelCount: size.area) : storage.bytes }

    /// The memory of the image in bytes.
    public var byteCount: Int { storage.bytes.count }

    /// Bytes from one row of `pixels` to the next.
    public var bytesPerRow: Int { size.width * 4 }
}

extension Bitmap {
    /// Returns the image in three bytes a pixel if it is opaque, otherwise unchanged. It saves memory and suits toolkits that draw RGB.
    /// Each read of `pixels` then converts the image.
    public func packed() -> Bitmap {
        guard isOpaque, !storage.isPacked else { return self }
        let bytes = storage.bytes.withoutAlpha(pixelCount: size.area)
        return Bitmap(storage: PixelStorage(size: size, bytes: bytes, isOpaque: true, isPacked: true, pool: nil))
    }

    /// Red, green and blue of each pixel, `size.area * 3` bytes; nil unless the image is packed.
    public var packedPixels: [UInt8]? { storage.isPacked ? storage.bytes : nil }
}

extension Bitmap: Hashable {
    public static func == (left: Bitmap, right: Bitmap) -> Bool {
        left.size == right.size && left.isOpaque == right.isOpaque
            && (left.storage === right.storage || left.pixels == right.pixels)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(size)
        hasher.combine(pixels)
    }
}

extension Bitmap {
    /// A way to get the image back as long as another copy of it is alive; nil when this is the only one.
    package mutating func weakReference() -> WeakBitmap? {
        isKnownUniquelyReferenced(&storage) ? nil : WeakBitmap(storage: storage)
    }

    private init(storage: PixelStorage) { self.storage = storage }

    /// A bitmap that does not keep its pixels alive.
    package struct WeakBitmap: Sendable {
        private weak let storage: PixelStorage?

        fileprivate init(storage: PixelStorage) { self.storage = storage }

        /// The bitmap, if another copy of it is still alive.
        package var bitmap: Bitmap? { storage.map { Bitmap(storage: $0) } }
    }
}

/// Keeps one image for all its copies, and hands the memory of its pixels back when the last of them is gone.
private final class PixelStorage: Sendable {
    let size: PixelSize
    /// Four bytes a pixel, or three of an opaque image that is packed.
    let bytes: [UInt8]
    let isOpaque: Bool
    let isPacked: Bool
    private let pool: PixelBufferPool?

    init(size: PixelSize, bytes: [UInt8], isOpaque: Bool, isPacked: Bool, pool: PixelBufferPool?) {
        self.size = size
        self.bytes = bytes
        self.isOpaque = isOpaque
        self.isPacked = isPacked
        self.pool = pool
    }

    deinit { pool?.give(bytes) }
}

extension [UInt8] {
    /// Of four bytes a pixel, the first three of each.
    fileprivate func withoutAlpha(pixelCount: Int) -> [UInt8] {
        unsafe withUnsafeBufferPointer { source in
            unsafe [UInt8](unsafeUninitializedCapacity: pixelCount * 3) { target, initializedCount in
                for pixel in 0..<pixelCount {
                    for channel in 0..<3 { unsafe target[pixel * 3 + channel] = source[pixel * 4 + channel] }
                }
                initializedCount = pixelCount * 3
            }
        }
    }

    /// Of three bytes a pixel, each with an alpha of 255 behind it.
    fileprivate func withAlpha(pixelCount: Int) -> [UInt8] {
        unsafe withUnsafeBufferPointer { source in
            unsafe [UInt8](unsafeUninitializedCapacity: pixelCount * 4) { target, initializedCount in
                for pixel in 0..<pixelCount {
                    for channel in 0..<3 { unsafe target[pixel * 4 + channel] = source[pixel * 3 + channel] }
                    unsafe target[pixel * 4 + 3] = 255
                }
                initializedCount = pixelCount * 4
            }
        }
    }
}
