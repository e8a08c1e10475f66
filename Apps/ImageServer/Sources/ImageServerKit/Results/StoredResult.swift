import Crypto
public import Foundation
public import ImageCore
public import NIOCore
import NIOFoundationEssentialsCompat

/// A result with what is needed to serve it again.
public struct StoredResult: Hashable, Sendable {
    /// The file, in memory that all responses share.
    public let buffer: ByteBuffer
    /// The file, in the same memory.
    public let data: Data
    /// The properties of the file.
    public var metadata: ResultMetadata

    /// Creates a result from a file.
    public init(data: Data, metadata: ResultMetadata) {
        buffer = ByteBuffer(data: data)
        self.data = buffer.getData(at: 0, length: data.count, byteTransferStrategy: .noCopy) ?? data
        self.metadata = metadata
    }

    /// The memory that it takes in a cache, without its key: measured, of the objects beside the file.
    var byteCount: Int { buffer.storageCapacity + 2_560 }
}

extension StoredResult {
    /// Returns the entry of a data cache.
    func entry(creationDate: Date) throws(DataCacheError) -> DataCacheEntry {
        do {
            return DataCacheEntry(data: data, metadata: try JSONEncoder().encode(metadata), creationDate: creationDate)
        } catch {
            throw .io("metadata: \(error)")
        }
    }

    /// Throws if the metadata is of another version of this server.
    init(_ entry: DataCacheEntry) throws {
        self.init(data: entry.data, metadata: try JSONDecoder().decode(ResultMetadata.self, from: entry.metadata))
    }
}

/// The properties of a stored result.
public struct ResultMetadata: Hashable, Sendable, Codable {
    /// The name of the format, for example "webp".
    public var format: String
    /// The width in pixels.
    public var width: Int
    /// The height in pixels.
    public var height: Int
    /// The strong entity tag: a digest of the bytes, in quotation marks.
    public var tag: String
    /// The number of frames of the original that are left out; nil for none.
    public var leftOutFrames: Int?
    /// What the source has and the result hasn't: names of `ConversionLoss`; nil for nothing.
    public var losses: [String]?
    /// The digest of the original. If an original is loaded again and has the same digest, the result is still valid.
    public var originalDigest: String
    /// Who may store the result.
    public var storage: OriginFreshness.Storage
    /// When the original was asked for. A purge at a later time hides the result.
    public var madeAt: Date
    /// The time until which the result is served without asking the origin.
    public var freshUntil: Date
    /// The ThumbHash of the result in Base64; nil if the source is delivered as it is.
    public var thumbHash: String?
    /// The upright size of the source in pixels; nil if it is not known.
    public var sourceSize: PixelSize?

    /// The format.
    public var imageFormat: ImageFormat { ImageFormat(rawValue: format) }
}

/// Digests of bytes.
enum Digest {
    /// Returns 128 bits of the SHA-256 digest in URL-safe Base64.
    static func text(of data: Data) -> String { Base64URL.encode(SHA256.hash(data: data).prefix(16)) }
}

/// Where a result is from.
public enum ResultLevel: String, Hashable, Sendable, CaseIterable {
    /// The memory of this server.
    case memory
    /// The disk of this server.
    case disk
    /// The cache that all servers share.
    case shared
    /// It was rendered for the request, or for another one at the same time.
    case origin
}
