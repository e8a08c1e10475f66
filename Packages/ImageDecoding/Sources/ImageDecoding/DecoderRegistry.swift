public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Finds the decoder of a file by the signature in its first bytes. File names and MIME types are ignored.
public struct DecoderRegistry: Sendable {
    /// The number of bytes of a file that decoders can check.
    public static let prefixByteCount = FileSignature.byteCount

    /// The decoders, in the order in which they are tried.
    public let decoders: [any ImageDecoder]

    /// Creates a registry.
    ///
    /// - Parameter decoders: The decoders, in the order in which they are tried.
    public init(_ decoders: [any ImageDecoder]) { self.decoders = decoders }

    /// Returns the first decoder that recognizes a file.
    ///
    /// - Throws: `.unsupported` with the module that decodes the file, if it is in a format of this package.
    ///   `.unknownFormat` for other files.
    public func decoder(for data: Data) throws(DecodingFailure) -> any ImageDecoder {
        let prefix = Data(data.prefix(Self.prefixByteCount))
        if let decoder = decoders.first(where: { $0.recognizes(prefix) }) { return decoder }
        guard let format = FileSignature.format(of: prefix), let type = Self.decoderTypes[format] else {
            throw .unknownFormat
        }
        throw .unsupported(format, "there is no decoder for it; add \(type) to the decoders")
    }

    /// The decoders of this package, for error messages.
    private static let decoderTypes: [ImageFormat: String] = [
        .jpeg: "JPEGDecoder of ImageCodecJPEG", .png: "PNGDecoder of ImageCodecPNG",
        .webp: "WebPDecoder of ImageCodecWebP", .gif: "GIFDecoder of ImageCodecGIF",
        .avif: "AVIFDecoder of ImageCodecAVIF", .heic: "HEIFDecoder of ImageCodecHEIF",
        .jxl: "JXLDecoder of ImageCodecJXL",
    ]
}
