import ImageCodecBMP
public import ImageCore

#if AVIF
    import ImageCodecAVIF
#endif
#if HEIF
    import ImageCodecHEIF
#endif
#if JXL
    import ImageCodecJXL
#endif
#if SVG
    import ImageCodecSVG
#endif
#if TIFF
    import ImageCodecTIFF
#endif

extension [any ImageDecoder] {
    /// The decoders of the platform, of bitmaps and icons, and those of AVIF, HEIC, JPEG XL, TIFF and SVG whose traits of
    /// this package are enabled.
    public static var all: [any ImageDecoder] {
        var decoders = standard
        #if AVIF
            decoders.append(AVIFDecoder())
        #endif
        #if HEIF
            decoders.append(HEIFDecoder())
        #endif
        #if JXL
            decoders.append(JXLDecoder())
        #endif
        #if TIFF
            decoders.append(TIFFDecoder())
        #endif
        #if SVG
            decoders.append(SVGDecoder())
        #endif
        decoders.append(BMPDecoder())
        decoders.append(ICODecoder(png: standard.first { $0.format == .png }))
        return decoders
    }
}

extension [any ImageEncoder] {
    /// The encoders of the platform, and those of AVIF, HEIC and JPEG XL whose traits of this package are enabled.
    public static var all: [any ImageEncoder] { all() }

    /// Returns the encoders of the platform, and those of AVIF, HEIC and JPEG XL whose traits of this package are enabled.
    ///
    /// - Parameters:
    ///   - colorProfile: The ICC profile that AVIF, HEIC and JPEG XL files get. With nil, they get the color space of the
    ///     image.
    ///   - effort: The time to make files smaller, from 0 (fastest) to 10 (smallest files), on the scale of each encoder.
    ///     Other values are clamped. With nil, its default. JPEG, GIF, HEIC and the encoders of ImageIO have none.
    package static func all(colorProfile: Data? = nil, effort: Int? = nil) -> [any ImageEncoder] {
        let effort = effort.map { Swift.min(Swift.max($0, 0), 10) }
        var encoders = PlatformCodecs.encoders(effort: effort)
        #if AVIF
            encoders.append(AVIFEncoder(effort: effort ?? 4, colorProfile: colorProfile))
        #endif
        #if HEIF
            encoders.append(HEIFEncoder(colorProfile: colorProfile))
        #endif
        #if JXL
            encoders.append(JXLEncoder(effort: effort.map { $0 * 9 / 10 } ?? 7, colorProfile: colorProfile))
        #endif
        return encoders
    }
}
