public import ImageCore

/// Decodes the largest image of Windows icons and cursors (ICO, CUR): a bitmap with a mask, or a PNG file.
public struct ICODecoder: ImageDecoder {
    private static let directoryLength = 6
    private static let entryLength = 16
    /// The most images that are looked at. Each can have a profile that takes time to read.
    private static let largestCount = 64

    private let png: (any ImageDecoder)?

    /// Creates a decoder.
    ///
    /// - Parameter png: Decodes the images that are PNG files, as large ones usually are. Nil leaves these out.
    public init(png: (any ImageDecoder)?) { self.png = png }

    public var format: ImageFormat { .ico }

    /// Returns whether the data starts with the directory of an icon or a cursor, whose first image follows it.
    public func recognizes(_ prefix: Data) -> Bool { FileSignature.format(of: prefix) == .ico }

    /// Reads the headers of up to 64 images, and opens the largest one that has no damage, with the most bits per pixel.
    ///
    /// - Throws: If there is none, what is wrong with the first: `.truncated`, `.malformed`, `.unsupported` or
    ///   `.limitExceeded`.
    public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
        try limits.check(.encodedBytes, data.count)
        guard recognizes(data.prefix(FileSignature.byteCount)), let count = data.littleEndian(at: 4, 2) else {
            throw .malformed(.ico, "there is no directory")
        }
        var best: Entry?
        var failure: ImageDecodingError?
        for index in 0..<min(count, Self.largestCount) {
            let start = Self.directoryLength + index * Self.entryLength
            guard let length = data.littleEndian(at: start + 8, 4), let offset = data.littleEndian(at: start + 12, 4)
            else { break }
            do throws(ImageDecodingError) {
                guard let part = data.part(at: offset, length) else { throw .truncated(.ico) }
                let opened = try entry(part, limits)
                if best.map({ $0.rank < opened.rank }) ?? true { best = opened }
            } catch {
                failure = failure ?? error
            }
        }
        guard let best else { throw failure ?? .truncated(.ico) }
        return best.image
    }

    private struct Entry {
        var image: any OpenedImage
        /// The area, then the bits per pixel.
        var rank: (Int, Int)
    }

    private func entry(_ data: Data, _ limits: DecodingLimits) throws(ImageDecodingError) -> Entry {
        if FileSignature.format(of: data) == .png {
            guard let png else { throw .unsupported(.ico, "an image is a PNG file; pass a PNG decoder") }
            let image = try inIcon { () throws(ImageDecodingError) in
                OpenedIconPNG(try png.open(data, limits: limits))
            }
            return Entry(image: image, rank: (image.header.storedSize.area, 32))
        }
        var header = try DIBHeader(data, at: 0, .ico)
        guard header.size.height % 2 == 0, header.compression != .runLength4, header.compression != .runLength8 else {
            throw .malformed(.ico, "an image without a mask, or with run lengths")
        }
        header.size.height /= 2
        let image = try OpenedDIB(data, header, pixels: header.end, hasMask: true, limits: limits)
        return Entry(image: image, rank: (header.size.area, header.bitCount))
    }
}

/// A PNG file in an icon.
private final class OpenedIconPNG: OpenedImage {
    let header: ImageHeader
    private let image: any OpenedImage

    init(_ image: any OpenedImage) {
        self.image = image
        var header = image.header
        header.format = .ico
        self.header = header
    }

    func decodableSize(covering target: PixelSize) -> PixelSize { image.decodableSize(covering: target) }

    func heldByteCount(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int {
        image.heldByteCount(frame: index, size: size, layout: layout)
    }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        try inIcon { () throws(ImageDecodingError) in
            try image.decode(frame: index, size: size, layout: layout, preference: preference, into: sink)
        }
    }
}

/// Calls a function, and lets its errors name the format of the file.
private func inIcon<Value>(_ body: () throws(ImageDecodingError) -> Value) throws(ImageDecodingError) -> Value {
    do throws(ImageDecodingError) {
        return try body()
    } catch {
        switch error {
        case .malformed(_, let reason): throw .malformed(.ico, reason)
        case .unsupported(_, let reason): throw .unsupported(.ico, reason)
        case .truncated: throw .truncated(.ico)
        default: throw error
        }
    }
}
