import ImageCore

#if canImport(ImageIO)
    import ImageCodecImageIO

    /// The codecs of Apple's platforms. ImageIO also applies profiles.
    enum PlatformCodecs {
        static var colorConverter: (any ColorConverter)? { RGBColorConverter() }
        static var decoders: [any ImageDecoder] { ImageIODecoder.available }
        static var encoders: [any ImageEncoder] { ImageIOEncoder.available }

        /// Returns `encoders`, because ImageIO has no setting of effort.
        static func encoders(effort: Int?) -> [any ImageEncoder] { encoders }

        static func encoder(_ format: ImageFormat) -> any ImageEncoder { ImageIOEncoder(format) }

        /// Returns an encoder of JPEG. ImageIO writes three components for gray, too.
        static func gainMapEncoder(isGray: Bool) -> any ImageEncoder { encoder(.jpeg) }
    }
#else
    import ImageCodecGIF
    import ImageCodecJPEG
    import ImageCodecPNG
    import ImageCodecWebP
    import ImageColorManagement

    /// The codecs of this package.
    enum PlatformCodecs {
        static var colorConverter: (any ColorConverter)? { LittleCMSColorConverter() }
        static var decoders: [any ImageDecoder] { [JPEGDecoder(), PNGDecoder(), WebPDecoder(), GIFDecoder()] }
        static var encoders: [any ImageEncoder] { encoders(effort: nil) }

        /// - Parameter effort: From 0 to 10, or nil for the defaults.
        static func encoders(effort: Int?) -> [any ImageEncoder] {
            let png = PNGEncoder(effort: effort.map { $0 * 9 / 10 } ?? 6)
            let webP = WebPEncoder(effort: effort.map { $0 * 6 / 10 } ?? 4)
            return [JPEGEncoder(), png, webP, GIFEncoder()]
        }

        /// Returns the encoder of a format in `encoders`.
        static func encoder(_ format: ImageFormat) -> any ImageEncoder {
            switch format {
            case .jpeg: JPEGEncoder()
            case .webP: WebPEncoder()
            case .gif: GIFEncoder()
            default: PNGEncoder()
            }
        }

        /// Returns an encoder of JPEG.
        static func gainMapEncoder(isGray: Bool) -> any ImageEncoder { JPEGEncoder(isGray: isGray) }
    }
#endif
