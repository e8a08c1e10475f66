public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Finds the decoder of a file by the signature in its first bytes. File names and MIME types are ignored.
public struct DecoderRegistry: Sendable {
    /// The number of bytes of a file that decoders can check.
    public static let prefixByteCount = 32

    /// The decoders, in the order in which they are tried.
    public let decoders: [any ImageDecoder]

    /// Creates a registry.
    ///
    /// - Parameter decoders: The decoders, in the order in which they are tried.
    public init(_ decoders: [any ImageDecoder]) { self.decoders = decoders }

    /// Returns the first decoder that recognizes a file. Throws `.unknownFormat` if none does.
    public func decoder(for data: Data) throws(DecodingFailure) -> any ImageDecoder {
        let prefix = Data(data.prefix(Self.prefixByteCount))
        guard let decoder = decoders.first(where: { $0.recognizes(prefix) }) else { throw .unknownFormat }
        return decoder
    }
}
