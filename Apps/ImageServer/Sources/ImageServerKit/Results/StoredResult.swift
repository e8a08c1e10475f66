import Crypto
import Foundation
import ImageCore
import NIOCore
import NIOFoundationEssentialsCompat

/// A result with what is needed to serve it again.
struct StoredResult: Hashable, Sendable {
    /// The file, in memory that all responses share.
    let buffer: ByteBuffer
    /// The file, in the same memory.
    let data: Data
    var metadata: ResultMetadata

    init(data: Data, metadata: ResultMetadata) {
        buffer = ByteBuffer(data: data)
        self.data = buffer.getData(at: 0, length: data.count, byteTransferStrategy: .noCopy) ?? data
        self.metadata = metadata
    }

    /// The memory that it takes in a cache, without its key: measured, of the objects beside the file.
    var byteCount: Int { buffer.storageCapacity + 2_560 }
}

extension StoredResult {
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

struct ResultMetadata: Hashable, Sendable, Codable {
    /// The name of the format, for example "webp".
    var format: String
    var width: Int
    var height: Int
    /// The strong entity tag: a digest of the bytes, in quotation marks.
    var tag: String
    /// The number of frames of the original that are left out; nil for none.
    var leftOutFrames: Int?
    /// What the source has and the result hasn't: names of `ConversionLoss`; nil for nothing.
    var losses: [String]?
    /// The digest of the original. If an original is loaded again and has the same digest, the result is still valid.
    var originalDigest: String
    /// Who may store the result.
    var storage: OriginFreshness.Storage
    /// When the original was asked for. A purge at a later time hides the result.
    var madeAt: Date
    /// The time until which the result is served without asking the origin.
    var freshUntil: Date
    /// The ThumbHash of the result in Base64; nil if the source is delivered as it is.
    var thumbHash: String?
    /// The upright size of the source in pixels; nil if it is not known.
    var sourceSize: PixelSize?

    var imageFormat: ImageFormat { ImageFormat(rawValue: format) }
}

enum Digest {
    /// Returns 128 bits of the SHA-256 digest in URL-safe Base64.
    static func text(of data: Data) -> String { Base64URL.encode(SHA256.hash(data: data).prefix(16)) }
}

enum ResultLevel: String, Hashable, Sendable, CaseIterable {
    /// The memory of this server.
    case memory
    /// The disk of this server.
    case disk
    /// The cache that all servers share.
    case shared
    /// It was rendered for the request, or for another one at the same time.
    case origin
}
