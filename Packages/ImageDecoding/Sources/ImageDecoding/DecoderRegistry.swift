public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Finds the decoder of a file by its signature, never by its name or by what a server says it is.
public struct DecoderRegistry: Sendable {
    /// How many bytes of a file are looked at.
    public static let prefixByteCount = 32

    /// The decoders, in the order in which they are asked.
    public let decoders: [any ImageDecoder]

    /// - Parameter decoders: the first that recognises a file opens it.
    public init(_ decoders: [any ImageDecoder]) { self.decoders = decoders }

    /// Throws `.unknownFormat` when no decoder recognises the first 32 bytes.
    public func decoder(for data: Data) throws(DecodingFailure) -> any ImageDecoder {
        let prefix = Data(data.prefix(Self.prefixByteCount))
        guard let decoder = decoders.first(where: { $0.recognises(prefix) }) else { throw .unknownFormat }
        return decoder
    }
}
