import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Combines the pieces of a body into parts of a minimum size, and counts the bytes. Pure.
struct PartAssembler {
    struct Part: Equatable {
        var offset: Int
        var data: Data
    }

    private let totalBytes: Int
    private let partBytes: Int
    private var received: Int
    private var pending = Data()

    /// - Parameter offset: The offset of the first piece in the body.
    init(totalBytes: Int, partBytes: Int, offset: Int) {
        self.totalBytes = totalBytes
        self.partBytes = partBytes
        received = offset
    }

    /// Adds a piece. Returns a part if it is full. Throws `.malformedResponse` if there are more bytes than announced.
    mutating func arrived(_ piece: Data) throws(TransportFailure) -> Part? {
        received += piece.count
        guard received <= totalBytes else { throw .malformedResponse("more than the \(totalBytes) bytes announced") }
        // At most `partBytes`, although the origin announces the total.
        if pending.isEmpty { pending.reserveCapacity(min(partBytes, totalBytes - received + piece.count)) }
        pending.append(piece)
        return pending.count >= partBytes ? takePart() : nil
    }

    /// Handles an interruption. Returns the bytes that aren't in a part yet.
    mutating func interrupted() -> Part? { pending.isEmpty ? nil : takePart() }

    /// Throws `.closedEarly` if bytes are missing.
    func finish() throws(TransportFailure) {
        guard received == totalBytes else { throw .closedEarly(received: received, expected: totalBytes) }
    }

    private mutating func takePart() -> Part {
        defer { pending = Data() }
        return Part(offset: received - pending.count, data: pending)
    }
}
