/// A decoded picture: straight (not premultiplied) RGBA, 8 bits a channel, sRGB, rows from top to bottom without padding.
///
/// Copies share their pixels, and one copy costs as much as one reference. A toolkit that wants another arrangement gets it from
/// `ImageProcessing`'s `PixelSurface`.
public struct Bitmap: Sendable {
    private var storage: PixelStorage

    /// - Precondition: `pixels` holds exactly `size.area * 4` bytes.
    public init(size: PixelSize, pixels: [UInt8], isOpaque: Bool) {
        self.init(size: size, pixels: pixels, isOpaque: isOpaque, pool: nil)
    }

    /// - Parameters:
    ///   - pixels: exactly `size.area * 4` bytes.
    ///   - pool: what takes the memory back when the last copy of the picture goes.
    public init(size: PixelSize, pixels: [UInt8], isOpaque: Bool, pool: PixelBufferPool?) {
        precondition(
            pixels.count == size.area * 4, "a bitmap of \(size) needs \(size.area * 4) bytes, not \(pixels.count)")
        storage = PixelStorage(size: size, pixels: pixels, isOpaque: isOpaque, pool: pool)
    }

    public var size: PixelSize { storage.size }

    /// True when every alpha value is 255.
    public var isOpaque: Bool { storage.isOpaque }

    /// `size.width * size.height * 4` bytes. Not copied; bind it to a constant before a loop over it.
    public var pixels: [UInt8] { storage.pixels }

    /// What the picture costs in memory, in bytes.
    public var byteCount: Int { storage.pixels.count }

    /// Bytes from one row to the next.
    public var bytesPerRow: Int { size.width * 4 }
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
    /// A way to get the picture back as long as another copy of it is alive; nil when this is the only one.
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

/// Keeps one picture for all its copies, and hands the memory of its pixels back when the last of them is gone.
private final class PixelStorage: Sendable {
    let size: PixelSize
    let pixels: [UInt8]
    let isOpaque: Bool
    private let pool: PixelBufferPool?

    init(size: PixelSize, pixels: [UInt8], isOpaque: Bool, pool: PixelBufferPool?) {
        self.size = size
        self.pixels = pixels
        self.isOpaque = isOpaque
        self.pool = pool
    }

    deinit { pool?.give(pixels) }
}
