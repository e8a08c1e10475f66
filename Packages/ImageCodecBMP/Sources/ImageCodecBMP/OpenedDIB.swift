import ImageCore

/// A device-independent bitmap whose header has been read.
final class OpenedDIB: OpenedImage {
    let header: ImageHeader
    private let data: Data
    private let dib: DIBHeader
    private let pixels: Int
    /// The offset of the mask of an icon, whose bits are 1 for transparent pixels.
    private let mask: Int?

    /// The number of rows between two checks of cancellation.
    private static let checkedRows = 64

    /// - Parameters:
    ///   - data: The file.
    ///   - dib: Its header.
    ///   - pixels: The offset of the pixels.
    ///   - hasMask: Whether a mask follows them.
    init(
        _ data: Data, _ dib: DIBHeader, pixels: Int, hasMask: Bool = false, limits: DecodingLimits
    ) throws(ImageDecodingError) {
        try limits.check(dib.size)
        if dib.compression == .runLength4 || dib.compression == .runLength8 {
            try limits.check(.decodedBytes, dib.size.area)
        } else if (data.count - pixels) / dib.rowLength < dib.size.height {
            throw .truncated(dib.format)
        }
        let profile = dib.profile.flatMap { $0.count > limits.metadataByteLimit ? nil : $0 }
        header = ImageHeader(
            format: dib.format, storedSize: dib.size, hasAlpha: hasMask || dib.channels.count == 4,
            color: profile.map { SourceColor(profile: Data($0)) } ?? .sRGB)
        self.data = data
        self.dib = dib
        self.pixels = pixels
        mask = hasMask ? pixels + dib.rowLength * dib.size.height : nil
    }

    /// Returns the stored size: bitmaps can't be scaled while decoding.
    func decodableSize(covering target: PixelSize) -> PixelSize { header.storedSize }

    /// Returns the memory of the indices of run lengths.
    func heldByteCount(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int {
        dib.compression == .runLength4 || dib.compression == .runLength8 ? size.area : 0
    }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        guard index == 0 else { throw .noSuchFrame(index, frameCount: 1) }
        guard size == header.storedSize, layout == .rgba8 else {
            throw .unsupported(dib.format, "it can only be decoded as RGBA in its size")
        }
        let bytes = data.span
        var indices: [UInt8]?
        if heldByteCount(frame: 0, size: size, layout: layout) > 0 {
            indices = try DIBRunLengths.indices(bytes, from: pixels, of: dib) { () throws(ImageDecodingError) in
                try sink.checkCancellation()
            }
        }
        let transparency = transparency(bytes)
        var row = [UInt8](repeating: 255, count: size.width * 4)
        for y in 0..<size.height {
            if y % Self.checkedRows == 0 { try sink.checkCancellation() }
            let stored = dib.isTopDown ? y : size.height - 1 - y
            if let indices {
                for x in 0..<size.width { row.set(dib.palette[Int(indices[stored * size.width + x])], at: x) }
            } else {
                convert(bytes, at: pixels + stored * dib.rowLength, hasAlpha: transparency == .alpha, &row)
            }
            if transparency == .mask { applyMask(bytes, stored, &row) }
            try sink.receive(row.span)
        }
    }

    private enum Transparency { case none, alpha, mask }

    /// The fourth byte of the pixels of an icon is alpha, unless it is 0 everywhere.
    private func transparency(_ bytes: Span<UInt8>) -> Transparency {
        guard let mask else { return dib.channels.count == 4 ? .alpha : .none }
        if dib.bitCount == 32, stride(from: pixels + 3, to: mask, by: 4).contains(where: { bytes[$0] != 0 }) {
            return .alpha
        }
        return bytes.count - mask < maskRowLength * dib.size.height ? .none : .mask
    }

    private var maskRowLength: Int { (dib.size.width + 31) / 32 * 4 }

    private func applyMask(_ bytes: Span<UInt8>, _ stored: Int, _ row: inout [UInt8]) {
        let start = (mask ?? 0) + stored * maskRowLength
        for x in 0..<dib.size.width {
            row[4 * x + 3] = bytes[start + x / 8] << (x % 8) & 0x80 == 0 ? 255 : 0
        }
    }

    /// Converts a row that is not compressed.
    private func convert(_ bytes: Span<UInt8>, at start: Int, hasAlpha: Bool, _ row: inout [UInt8]) {
        if dib.bitCount <= 8 {
            let mask = UInt8(truncatingIfNeeded: (1 << dib.bitCount) - 1)
            for x in 0..<dib.size.width {
                let bit = x * dib.bitCount
                let index = bytes[start + bit / 8] >> (8 - dib.bitCount - bit % 8) & mask
                row.set(dib.palette[Int(index)], at: x)
            }
            return
        }
        let length = dib.bitCount / 8
        let (red, green, blue) = (dib.channels[0], dib.channels[1], dib.channels[2])
        let alpha = dib.channels.count == 4 ? dib.channels[3] : nil
        for x in 0..<dib.size.width {
            var pixel = 0
            for byte in 0..<length { pixel |= Int(bytes[start + x * length + byte]) << (8 * byte) }
            row[4 * x] = red.value(pixel)
            row[4 * x + 1] = green.value(pixel)
            row[4 * x + 2] = blue.value(pixel)
            if hasAlpha { row[4 * x + 3] = alpha?.value(pixel) ?? UInt8(truncatingIfNeeded: pixel >> 24) }
        }
    }
}

extension [UInt8] {
    fileprivate mutating func set(_ color: SIMD4<UInt8>, at x: Int) {
        for channel in 0..<4 { self[4 * x + channel] = color[channel] }
    }
}
