import NIOCore
import Synchronization

/// Bounds the memory of the bodies that clients have not read. Memory that several responses share counts once.
///
/// If it exceeds the limit, the client that has read nothing for the longest time is disconnected, if that is a second
/// at least. Otherwise, a few hundred clients that don't read could take all memory.
final class PendingBodies: Sendable {
    fileprivate struct Connection {
        let channel: any Channel
        var pieceCount: Int
        var lastProgress: NIODeadline
    }

    fileprivate struct State {
        var memory: [ObjectIdentifier: (pieceCount: Int, bytes: Int)] = [:]
        var byteCount = 0
        var connections: [ObjectIdentifier: Connection] = [:]
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// The memory of all bodies in bytes.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// Adds a piece of a body that is written now.
    func add(_ piece: ByteBuffer, on channel: any Channel, at now: NIODeadline) {
        let (memory, id) = (piece.memoryID, ObjectIdentifier(channel))
        let stalled = state.withLock { state -> (any Channel)? in
            if state.memory[memory, default: (0, piece.storageCapacity)].pieceCount == 0 {
                state.byteCount += piece.storageCapacity
            }
            state.memory[memory, default: (0, piece.storageCapacity)].pieceCount += 1
            state.connections[id, default: Connection(channel: channel, pieceCount: 0, lastProgress: now)]
                .pieceCount += 1
            return state.byteCount > limit ? state.longestStalled(at: now) : nil
        }
        stalled?.close(promise: nil)
    }

    /// Removes a piece that the client has read, or never will.
    func remove(_ piece: ByteBuffer, on channel: any Channel, at now: NIODeadline) {
        let (memory, id) = (piece.memoryID, ObjectIdentifier(channel))
        state.withLock { state in
            state.removePiece(of: memory)
            guard var connection = state.connections[id] else { return }
            connection.pieceCount -= 1
            connection.lastProgress = now
            state.connections[id] = connection.pieceCount > 0 ? connection : nil
        }
    }
}

extension PendingBodies.State {
    fileprivate mutating func removePiece(of id: ObjectIdentifier) {
        guard var used = memory[id] else { return }
        used.pieceCount -= 1
        memory[id] = used.pieceCount > 0 ? used : nil
        if used.pieceCount == 0 { byteCount -= used.bytes }
    }

    fileprivate func longestStalled(at now: NIODeadline) -> (any Channel)? {
        let slowest = connections.values.min { $0.lastProgress < $1.lastProgress }
        guard let slowest, slowest.lastProgress + .seconds(1) <= now else { return nil }
        return slowest.channel
    }
}

extension ByteBuffer {
    /// The identity of the memory, which slices share.
    fileprivate var memoryID: ObjectIdentifier {
        unsafe withUnsafeReadableBytesWithStorageManagement { _, storage in
            unsafe ObjectIdentifier(storage.takeUnretainedValue())
        }
    }
}
