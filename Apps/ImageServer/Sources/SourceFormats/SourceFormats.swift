public import ImageCore

/// Formats that can only be sources.
extension ImageFormat {
    /// Windows bitmaps.
    public static let bmp = ImageFormat(rawValue: "bmp")
    /// Icons and cursors of Windows.
    public static let ico = ImageFormat(rawValue: "ico")
    /// Tag Image File Format, of which the first page is decoded.
    public static let tiff = ImageFormat(rawValue: "tiff")
    /// Scalable Vector Graphics.
    public static let svg = ImageFormat(rawValue: "svg")
}

extension [any ImageDecoder] {
    /// The decoders of the formats that can only be sources in this build.
    public static var sources: [any ImageDecoder] {
        var decoders: [any ImageDecoder] = [BMPDecoder(), ICODecoder()]
        #if TIFF
            decoders.append(TIFFDecoder())
        #endif
        #if SVG
            decoders.append(SVGDecoder())
        #endif
        return decoders
    }
}
