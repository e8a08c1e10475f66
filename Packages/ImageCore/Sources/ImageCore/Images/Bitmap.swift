import Synchronization

/// The pixels of an image: straight (not premultiplied) RGBA with 8 bits per channel.
///
/// Rows are stored from top to bottom without padding. Copies share their pixels.
public struct Bitmap: Sendable {
    private var storage: PixelStorage

    /// Creates a bitmap from its pixels.
    ///
    /// - Parameters:
    ///   - size: The size in pixels.
    ///   - pixels: Exactly `size.area * 4` bytes.
    ///   - isOpaque: Whether every alpha value is 255. With nil, they are read. If it is true for other values, alpha is
    ///     ignored in drawing, processing and encoding.
    ///   - colorSpace: The color space of the pixels.
    ///   - pool: Receives the memory when the last copy is released; nil to free it.
    public init(
        size: PixelSize, pixels: [UInt8], isOpaque: Bool? = nil, colorSpace: ColorSpace = .sRGB,
        pool: PixelBufferPool? = nil
    ) {
        precondition(
            pixels.count == size.area * 4, "a bitmap of \(size) needs \(size.area * 4) bytes, not \(pixels.count)")
        storage = PixelStorage(
            size: size, bytes: pixels, isOpaque: isOpaque ?? pixels.isOpaque, isPacked: false, colorSpace: colorSpace,
            hdr: nil, pool: pool)
    }

    /// The size in pixels.
    public var size: PixelSize { storage.size }

    /// Whether every alpha value is 255.
    public var isOpaque: Bool { storage.isOpaque }

    /// The color space of the pixels.
    public var colorSpace: ColorSpace { storage.colorSpace }

    /// The pixels, `size.area * 4` bytes. A packed image converts them on each read, so assign them to a constant
    /// before a loop.
    public var pixels: [UInt8] { storage.isPacked ? storage.bytes.withAlpha(pixelCount: size.area) : storage.bytes }

    /// The same image for displays of high dynamic range. Nil unless it was asked for (`ImageRequest.dynamicRange`) and the
    /// file has it. Images that are made of this one, for example by processors, have none.
    public var hdr: HDRPixels? { storage.hdr }

    /// The memory size of the image in bytes.
    public var byteCount: Int { storage.bytes.count + 2 * (hdr?.samples.count ?? 0) }

    /// The number of bytes per row of `pixels`.
    public var bytesPerRow: Int { size.width * 4 }
}

extension Bitmap {
    /// Returns the image with three bytes per pixel if it is opaque, otherwise unchanged.
    ///
    /// A packed image takes less memory and suits toolkits that draw RGB. Each read of `pixels` converts it.
    public func packed() -> Bitmap {
        guard isOpaque, !storage.isPacked else { return self }
        let bytes = storage.bytes.withoutAlpha(pixelCount: size.area)
        return Bitmap(
            storage: PixelStorage(
                size: size, bytes: bytes, isOpaque: true, isPacked: true, colorSpace: colorSpace, hdr: nil, pool: nil))
    }

    /// The image with an alpha of 255 in each pixel if it is marked as opaque.
    package var withoutHiddenAlpha: Bitmap {
        guard isOpaque, !storage.isPacked, !storage.bytes.isOpaque else { return self }
        return Bitmap(size: size, pixels: packed().pixels, isOpaque: true, colorSpace: colorSpace)
    }

    /// Returns the image with pixels for displays of high dynamic range.
    /// - Parameter hdr: Exactly `size.area * 4` samples.
    package func adding(_ hdr: HDRPixels) -> Bitmap {
        precondition(hdr.samples.count == size.area * 4, "\(hdr.samples.count) samples for a bitmap of \(size)")
        return Bitmap(
            storage: PixelStorage(
                size: size, bytes: pixels, isOpaque: isOpaque, isPacked: false, colorSpace: colorSpace, hdr: hdr,
                pool: nil, source: storage))
    }

    /// Red, green and blue of each pixel, `size.area * 3` bytes; nil unless the image is packed.
    public var packedPixels: [UInt8]? { storage.isPacked ? storage.bytes : nil }
}

extension Bitmap: Hashable {
    public static func == (left: Bitmap, right: Bitmap) -> Bool {
        left.size == right.size && left.isOpaque == right.isOpaque && left.colorSpace == right.colorSpace
            && (left.storage === right.storage || left.pixels == right.pixels && left.hdr == right.hdr)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(size)
        hasher.combine(pixels)
    }
}

extension Bitmap {
    /// Returns whether two bitmaps are copies of one, which share their pixels.
    package func sharesPixels(with other: Bitmap) -> Bool { storage === other.storage }

    /// Returns what a toolkit draws for this image, such as a `CGImage`. It is made once for each type, and released with
    /// the last copy of the image. `byteCount` and the limits of caches do not include it.
    ///
    /// - Parameter make: Must not retain the image. It may be called twice if two threads need the first result. If it
    ///   returns nil, nothing is remembered.
    public func drawable<Drawable: Sendable>(_ make: (Bitmap) -> Drawable?) -> Drawable? {
        // By type, because a cast to a type of Core Foundation, such as `CGImage`, never fails.
        let type = ObjectIdentifier(Drawable.self)
        if let made = storage.drawables.withLock({ $0[type] }) { return made as? Drawable }
        guard let made = make(self) else { return nil }
        return storage.drawables.withLock { drawables in
            if let earlier = drawables[type] { return earlier as? Drawable }
            drawables[type] = made
            return made
        }
    }

    /// Returns a weak reference to the image, or nil if there is no other copy of it.
    mutating func weakReference() -> WeakBitmap? {
        isKnownUniquelyReferenced(&storage) ? nil : WeakBitmap(storage: storage)
    }

    private init(storage: PixelStorage) { self.storage = storage }

    /// A reference to a bitmap that does not retain its pixels.
    struct WeakBitmap: Sendable {
        private weak var storage: PixelStorage?

        fileprivate init(storage: PixelStorage) { self.storage = storage }

        /// The bitmap, or nil if all copies of it were released.
        var bitmap: Bitmap? { storage.map { Bitmap(storage: $0) } }
    }
}

/// The pixels that all copies of an image share. It returns their memory to the pool when the last copy is released.
private final class PixelStorage: Sendable {
    let size: PixelSize
    /// Four bytes per pixel, or three if the image is packed.
    let bytes: [UInt8]
    let isOpaque: Bool
    let isPacked: Bool
    let colorSpace: ColorSpace
    let hdr: HDRPixels?
    let drawables = Mutex<[ObjectIdentifier: any Sendable]>([:])
    private let pool: PixelBufferPool?
    /// The image with the same bytes, which returns them to its pool.
    private let source: PixelStorage?

    init(
        size: PixelSize, bytes: [UInt8], isOpaque: Bool, isPacked: Bool, colorSpace: ColorSpace, hdr: HDRPixels?,
        pool: PixelBufferPool?, source: PixelStorage? = nil
    ) {
        self.size = size
        self.bytes = bytes
        self.isOpaque = isOpaque
        self.isPacked = isPacked
        self.colorSpace = colorSpace
        self.hdr = hdr
        self.pool = pool
        self.source = source
    }

    deinit { pool?.give(bytes) }
}

extension [UInt8] {
    /// Whether every fourth byte is 255.
    fileprivate var isOpaque: Bool {
        let bytes = span
        var common: UInt8 = 255
        for index in Swift.stride(from: 3, to: bytes.count, by: 4) { common &= bytes[index] }
        return common == 255
    }

    /// Removes every fourth byte.
    fileprivate func withoutAlpha(pixelCount: Int) -> [UInt8] {
        unsafe withUnsafeBufferPointer { pixels in
            unsafe [UInt8](unsafeUninitializedCapacity: pixelCount * 3) { target, initializedCount in
                for pixel in 0..<pixelCount {
                    for channel in 0..<3 { unsafe target[pixel * 3 + channel] = pixels[pixel * 4 + channel] }
                }
                initializedCount = pixelCount * 3
            }
        }
    }

    /// Inserts an alpha value of 255 after every third byte.
    fileprivate func withAlpha(pixelCount: Int) -> [UInt8] {
        unsafe withUnsafeBufferPointer { pixels in
            unsafe [UInt8](unsafeUninitializedCapacity: pixelCount * 4) { target, initializedCount in
                for pixel in 0..<pixelCount {
                    for channel in 0..<3 { unsafe target[pixel * 4 + channel] = pixels[pixel * 3 + channel] }
                    unsafe target[pixel * 4 + 3] = 255
                }
                initializedCount = pixelCount * 4
            }
        }
    }
}
