public import ImageCore

extension EmbeddedMetadata {
    /// Reads the metadata of a JPEG, PNG, WebP, AVIF, HEIC or JPEG XL file. In other files, there is none.
    ///
    /// Blocks that are damaged, compressed (in PNG, or with Brotli in JPEG XL) or larger than
    /// `DecodingLimits.metadataByteLimit` count as missing. Reads no pixels. Time and memory are proportional to the size
    /// of the file.
    ///
    /// - Parameters:
    ///   - file: The whole file.
    ///   - header: The header that a decoder has read. Its color profile becomes `icc`, which is nil without a header.
    ///   - limits: `metadataByteLimit` applies.
    public init(of file: Data, header: ImageHeader? = nil, limits: DecodingLimits = .default) {
        self = (try? Self.read(file, limits)) ?? EmbeddedMetadata()
        icc = header?.colorProfile
        for block in Block.allCases where self[block]?.count ?? 0 > limits.metadataByteLimit { self[block] = nil }
    }

    private static func read(_ file: Data, _ limits: DecodingLimits) throws(ImageDecodingError) -> EmbeddedMetadata {
        // In an item, an offset and a prefix can precede Exif.
        let itemLimit = limits.metadataByteLimit.plus(10)
        return switch try format(of: file) {
        case .jpeg: try JPEGFile(file).metadata
        case .png: try PNGFile(file).metadata
        case .webP: try WebPFile(file).metadata
        case .avif: try ItemFile(file, .avif)?.metadata(upTo: itemLimit) ?? EmbeddedMetadata()
        case .heic: try ItemFile(file, .heic)?.metadata(upTo: itemLimit) ?? EmbeddedMetadata()
        case .jpegXL: try JXLFile(file).metadata
        default: EmbeddedMetadata()
        }
    }

    /// The blocks that `embedded(in:)` writes to files of a format.
    ///
    /// Encoders write the profiles of AVIF, HEIC and JPEG XL themselves, and XMP above 65,502 bytes, Exif above 65,527
    /// and IPTC above 65,500 don't fit into JPEG.
    public static func blocks(writtenTo format: ImageFormat) -> Set<Block> {
        switch format {
        case .jpeg: [.exif, .icc, .iptc, .xmp]
        case .png, .webP: [.exif, .icc, .xmp]
        case .avif, .heic, .jpegXL: [.exif, .xmp]
        default: []
        }
    }

    /// Returns a file with this metadata in place of its own, and with the same pixels.
    ///
    /// Leaves out the blocks that are not in ``blocks(writtenTo:)``. Keeps the file's profile if `icc` is nil. The
    /// orientation applies to JPEG, PNG and WebP: for an image that is upright already, use ``forUprightImage``.
    ///
    /// - Parameter file: A file in one of these formats, for example of an encoder.
    /// - Throws: `ImageDecodingError.unknownFormat`, `.malformed` if the parts of the file can't be told apart, or
    ///   `.unsupported` for an AVIF or HEIC file with several images or with less space than the metadata needs.
    public func embedded(in file: Data) throws(ImageDecodingError) -> Data {
        try embedded(in: file, compressedProfile: nil)
    }

    /// - Parameter compressedProfile: The profile for a PNG file as a zlib stream. Nil to store `icc` without compression.
    package func embedded(in file: Data, compressedProfile: Data?) throws(ImageDecodingError) -> Data {
        switch try Self.format(of: file) {
        case .jpeg: try JPEGFile(file).replacing(self).data
        case .png: try PNGFile(file).replacing(self, profile: compressedProfile ?? icc.map(ZlibStream.stored)).data
        case .webP: try WebPFile(file).replacing(self).data
        case .avif: try Self.items(of: file, .avif).replacing(self)
        case .heic: try Self.items(of: file, .heic).replacing(self)
        case .jpegXL: try JXLFile(file).replacing(self).data
        default: file
        }
    }

    static func items(of file: Data, _ format: ImageFormat) throws(ImageDecodingError) -> ItemFile {
        guard let items = try ItemFile(file, format) else { throw .unsupported(format, "metadata without items") }
        return items
    }

    private static func format(of file: Data) throws(ImageDecodingError) -> ImageFormat {
        guard let format = FileSignature.format(of: file) else { throw .unknownFormat }
        return format
    }
}
