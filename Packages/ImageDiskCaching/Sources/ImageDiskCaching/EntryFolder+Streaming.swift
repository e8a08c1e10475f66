import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The space reserved for a tail, in addition to the expected data.
private let typicalTailSize = 4_096
/// The space reserved if the length is unknown. The reservation is doubled when it is used up.
private let firstReservation = 1 << 20

/// An entry that is being streamed.
struct EntryStream {
    let temporary: TemporaryFile
    let key: DataCacheKey
    let name: EntryName
    var byteCount = 0
    var reservedByteCount = 0
    var checksums: [UInt64] = []
    /// The data since the last complete block.
    var openBlock: [UInt8] = []
}

/// An error of a stream.
enum StreamFailure: Error {
    case system(FileSystemFailure)
    case tooLarge(byteCount: Int)
}

extension EntryFolder {
    /// Creates a temporary file and reserves space if the length is known.
    func beginStream(for key: DataCacheKey, expected: Int?) throws(StreamFailure) -> EntryStream {
        var stream = try system { () throws(FileSystemFailure) in
            EntryStream(temporary: try createTemporary(), key: key, name: name(key))
        }
        do {
            if let expected { try reserve(min(expected, .max / 2) + typicalTailSize, for: &stream) }
            return stream
        } catch {
            end(stream, isFailure: true)
            throw error
        }
    }

    /// Writes data. A failure ends the stream.
    func append(_ bytes: Data, to stream: inout EntryStream) throws(StreamFailure) {
        do {
            let total = stream.byteCount + bytes.count
            if total > stream.reservedByteCount {
                let more = max(
                    total + typicalTailSize, min(max(firstReservation, 2 * stream.reservedByteCount), largestEntry))
                try reserve(more, for: &stream)
            }
            try system { () throws(FileSystemFailure) in try put(bytes.bytes, into: stream.temporary.file) }
            stream.append(bytes)
        } catch {
            end(stream, isFailure: true)
            throw error
        }
    }

    /// Completes the file and moves it to its path. Ends the stream, even if it fails.
    func finish(_ stream: consuming EntryStream, metadata: Data, createdAt: Date) throws(StreamFailure) {
        do throws(StreamFailure) {
            stream.closeBlock()
            let tail = EntryFormat.Tail(
                key: stream.key, metadata: metadata, createdAt: createdAt, payloadLength: stream.byteCount,
                checksums: stream.checksums
            ).bytes
            guard let tail else { throw StreamFailure.tooLarge(byteCount: .max) }
            let byteCount = stream.byteCount + tail.count
            if byteCount > stream.reservedByteCount { try reserve(byteCount, for: &stream) }
            try system { () throws(FileSystemFailure) in
                try commit(stream.temporary, Data(), tail, byteCount: byteCount, as: stream.name)
            }
            fileSystem.close(stream.temporary.file)
        } catch {
            end(stream, isFailure: true)
            throw error
        }
    }

    /// Ends a stream and removes its file. After a failure, also removes the older entry, which is outdated.
    func end(_ stream: EntryStream, isFailure: Bool) {
        discard(stream.temporary)
        fileSystem.close(stream.temporary.file)
        if isFailure { removeOutdated(stream.name) }
    }

    private func reserve(_ byteCount: Int, for stream: inout EntryStream) throws(StreamFailure) {
        guard byteCount <= largestEntry else { throw .tooLarge(byteCount: byteCount) }
        let (name, writer) = (stream.name, stream.temporary.writer)
        try system { () throws(FileSystemFailure) in try reserve(byteCount, for: name, writer: writer) }
        stream.reservedByteCount = byteCount
    }

    private func system<Result>(
        _ body: () throws(FileSystemFailure) -> Result
    ) throws(StreamFailure) -> Result {
        do {
            return try body()
        } catch {
            throw .system(error)
        }
    }
}

extension EntryStream {
    /// Counts written data and computes the checksums of complete blocks.
    fileprivate mutating func append(_ bytes: Data) {
        byteCount += bytes.count
        openBlock.append(contentsOf: bytes)
        let completeLength = openBlock.count / EntryFormat.blockSize * EntryFormat.blockSize
        checksums += unsafe EntryFormat.checksums(of: openBlock.span.bytes.extracting(0..<completeLength))
        openBlock.removeFirst(completeLength)
    }

    /// Computes the checksum of the last block, which can be incomplete.
    fileprivate mutating func closeBlock() {
        checksums += unsafe EntryFormat.checksums(of: openBlock.span.bytes)
        openBlock = []
    }
}
