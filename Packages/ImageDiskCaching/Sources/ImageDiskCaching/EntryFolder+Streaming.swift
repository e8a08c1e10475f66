import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Space for a tail of the usual size, beside what is expected of the data.
private let usualTail = 4_096
/// Space that is asked for when nobody says how much is to come; doubled whenever it is used up.
private let firstPromise = 1 << 20

/// An entry of which a part is written.
struct EntryStream {
    let temporary: Temporary
    let key: DataCacheKey
    let name: EntryName
    var byteCount = 0
    var promised = 0
    var sums: [UInt64] = []
    /// What came since the last whole block.
    var openBlock: [UInt8] = []
}

/// Why a stream ended before its time.
enum StreamFailure: Error {
    case system(FileSystemFailure)
    case tooLarge(byteCount: Int)
}

extension EntryFolder {
    func beginStream(for key: DataCacheKey, expected: Int?) throws(StreamFailure) -> EntryStream {
        var stream = try system { () throws(FileSystemFailure) in
            EntryStream(temporary: try createTemporary(), key: key, name: name(key))
        }
        do {
            if let expected { try promise(expected + usualTail, to: &stream) }
            return stream
        } catch {
            end(stream, isFailure: true)
            throw error
        }
    }

    /// Writes what came. A failure ends the stream.
    func append(_ bytes: Data, to stream: inout EntryStream) throws(StreamFailure) {
        do {
            let total = stream.byteCount + bytes.count
            if total > stream.promised {
                let more = max(total + usualTail, min(max(firstPromise, 2 * stream.promised), largestEntry))
                try promise(more, to: &stream)
            }
            try system { () throws(FileSystemFailure) in try put(bytes.bytes, into: stream.temporary.file) }
            stream.take(bytes)
        } catch {
            end(stream, isFailure: true)
            throw error
        }
    }

    /// Ends the file and moves it into place. The stream has then ended, one way or the other.
    func finish(_ stream: consuming EntryStream, metadata: Data, createdAt: Date) throws(StreamFailure) {
        do throws(StreamFailure) {
            stream.closeBlock()
            let tail = EntryFormat.Tail(
                key: stream.key, metadata: metadata, createdAt: createdAt, payloadLength: stream.byteCount,
                sums: stream.sums
            ).bytes
            guard let tail else { throw StreamFailure.tooLarge(byteCount: .max) }
            let byteCount = stream.byteCount + tail.count
            if byteCount > stream.promised { try promise(byteCount, to: &stream) }
            try system { () throws(FileSystemFailure) in
                try commit(stream.temporary, Data(), tail, byteCount: byteCount, as: stream.name)
            }
            fileSystem.close(stream.temporary.file)
        } catch {
            end(stream, isFailure: true)
            throw error
        }
    }

    /// Gives a stream up; after a failure with the older entry, which is out of date.
    func end(_ stream: EntryStream, isFailure: Bool) {
        abandon(stream.temporary)
        fileSystem.close(stream.temporary.file)
        if isFailure { withdraw(stream.name) }
    }

    private func promise(_ byteCount: Int, to stream: inout EntryStream) throws(StreamFailure) {
        guard byteCount <= largestEntry else { throw .tooLarge(byteCount: byteCount) }
        let (name, writer) = (stream.name, stream.temporary.writer)
        try system { () throws(FileSystemFailure) in try reserve(byteCount, for: name, writer: writer) }
        stream.promised = byteCount
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
    /// Counts bytes that were written, and takes the checksums of the blocks that are whole with them.
    fileprivate mutating func take(_ bytes: Data) {
        byteCount += bytes.count
        openBlock.append(contentsOf: bytes)
        let whole = openBlock.count / EntryFormat.blockSize * EntryFormat.blockSize
        sums += unsafe EntryFormat.sums(of: openBlock.span.bytes.extracting(0..<whole))
        openBlock.removeFirst(whole)
    }

    fileprivate mutating func closeBlock() {
        sums += unsafe EntryFormat.sums(of: openBlock.span.bytes)
        openBlock = []
    }
}
