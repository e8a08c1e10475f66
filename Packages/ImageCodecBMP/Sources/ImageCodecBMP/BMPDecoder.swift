public import ImageCore

/// Decodes Windows bitmaps (BMP), from `BITMAPCOREHEADER` to `BITMAPV5HEADER` of the Windows GDI documentation.
///
/// They can have 1 to 32 bits per pixel, a palette, run lengths, bit fields, alpha and an ICC profile.
public struct BMPDecoder: ImageDecoder {
    /// Creates a decoder. It has no state.
    public init() {}

    public var format: ImageFormat { .bmp }

    /// Returns whether the data starts with "BM" and a header of a known length.
    public func recognizes(_ prefix: Data) -> Bool { FileSignature.format(of: prefix) == .bmp }

    /// Reads the header and the palette.
    ///
    /// - Throws: `.truncated` if pixels are missing, `.malformed`, `.unsupported` or `.limitExceeded`.
    public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
        try limits.check(.encodedBytes, data.count)
        let pixels = data.littleEndian(at: 10, 4) ?? 0
        let header = try DIBHeader(data, at: 14, .bmp, pixels: pixels)
        return try OpenedDIB(data, header, pixels: pixels >= header.end ? pixels : header.end, limits: limits)
    }
}
