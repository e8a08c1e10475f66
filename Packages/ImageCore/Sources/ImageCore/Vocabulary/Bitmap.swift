/// A decoded picture: straight (not premultiplied) RGBA, 8 bits a channel, sRGB, rows from top to bottom without padding.
///
/// Copies share their pixels. A toolkit that wants another arrangement gets it from `ImageProcessing`'s `PixelSurface`.
public struct Bitmap: Sendable {
    public let size: PixelSize
    /// True when every alpha value is 255.
    public let isOpaque: Bool
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
        self.size = size
        self.isOpaque = isOpaque
        storage = PixelStorage(pixels, pool: pool)
    }

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
        isKnownUniquelyReferenced(&storage) ? nil : WeakBitmap(size: size, isOpaque: isOpaque, storage: storage)
    }

    private init(size: PixelSize, isOpaque: Bool, storage: PixelStorage) {
        self.size = size
        self.isOpaque = isOpaque
        self.storage = storage
    }

    /// A bitmap without its pixels, which it does not keep alive.
    package struct WeakBitmap: Sendable {
        private let size: PixelSize
        private let isOpaque: Bool
        private weak let storage: PixelStorage?

        fileprivate init(size: PixelSize, isOpaque: Bool, storage: PixelStorage) {
            self.size = size
            self.isOpaque = isOpaque
            self.storage = storage
        }

        /// The bitmap, if another copy of it is still alive.
        package var bitmap: Bitmap? {
            storage.map { Bitmap(size: size, isOpaque: isOpaque, storage: $0) }
        }
    }
}

/// Keeps the pixels of one picture for all its copies, and hands the memory back when the last of them is gone.
private final class PixelStorage: Sendable {
    let pixels: [UInt8]
    private let pool: PixelBufferPool?

    init(_ pixels: [UInt8], pool: PixelBufferPool?) {
        self.pixels = pixels
        self.pool = pool
    }

    deinit { pool?.give(pixels) }
}
