import ImageCore

/// The contents of the IHDR chunk (PNG 3rd edition, 11.2.1).
struct PNGHeader {
    let size: PixelSize
    let depth: Int
    let color: ColorType
    let isInterlaced: Bool

    enum ColorType: Int {
        case gray = 0
        case rgb = 2
        case indexed = 3
        case grayAlpha = 4
        case rgba = 6

        var channels: Int {
            switch self {
            case .gray, .indexed: 1
            case .grayAlpha: 2
            case .rgb: 3
            case .rgba: 4
            }
        }

        var depths: [Int] {
            switch self {
            case .gray: [1, 2, 4, 8, 16]
            case .indexed: [1, 2, 4, 8]
            case .rgb, .grayAlpha, .rgba: [8, 16]
            }
        }

        var isGray: Bool { self == .gray || self == .grayAlpha }
        var hasAlpha: Bool { self == .grayAlpha || self == .rgba }
    }

    /// - Parameter data: The data of the chunk.
    init(_ data: [UInt8]) throws(DecodingFailure) {
        guard data.count == 13 else { throw .malformed(.png, "the header has \(data.count) bytes") }
        size = PixelSize(width: data.bigEndian32(at: 0), height: data.bigEndian32(at: 4))
        let sides = 1...Int(Int32.max)
        guard sides.contains(size.width), sides.contains(size.height) else {
            throw .malformed(.png, "the image size is \(size)")
        }
        depth = Int(data[8])
        guard let color = ColorType(rawValue: Int(data[9])), color.depths.contains(depth) else {
            throw .malformed(.png, "color type \(data[9]) with \(data[8]) bits")
        }
        self.color = color
        guard data[10] == 0, data[11] == 0 else { throw .malformed(.png, "unknown compression or filter method") }
        guard data[12] <= 1 else { throw .malformed(.png, "unknown interlace method \(data[12])") }
        isInterlaced = data[12] == 1
    }

    /// The length in bytes of a stored row with its filter byte, up to 2^34.
    var storedRowBytes: Int { (size.width * depth * color.channels + 7) / 8 + 1 }
}

extension [UInt8] {
    /// - Precondition: The array has four bytes at `offset`.
    func bigEndian32(at offset: Int) -> Int { self[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
}
