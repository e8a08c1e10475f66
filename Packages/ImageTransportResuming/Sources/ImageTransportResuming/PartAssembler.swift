import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Puts the pieces of a body together to parts that are worth keeping, and counts. Pure.
struct PartAssembler {
    struct Part: Equatable {
        var offset: Int
        var data: Data
    }

    private let totalBytes: Int
    private let partBytes: Int
    private var received: Int
    private var pending = Data()

    /// - Parameter offset: where the first piece belongs.
    init(totalBytes: Int, partBytes: Int, offset: Int) {
        self.totalBytes = totalBytes
        self.partBytes = partBytes
        received = offset
    }

    /// Returns a part when it is full. Throws `.malformedResponse` for more bytes than there can be.
    mutating func arrived(_ piece: Data) throws(TransportFailure) -> Part? {
        received += piece.count
        guard received <= totalBytes else { throw .malformedResponse("more than the \(totalBytes) bytes announced") }
        pending.append(piece)
        return pending.count >= partBytes ? takePart() : nil
    }

    /// No more comes for now: returns what has not been in a part.
    mutating func interrupted() -> Part? { pending.isEmpty ? nil : takePart() }

    /// Throws `.closedEarly` when bytes are missing.
    func finish() throws(TransportFailure) {
        guard received == totalBytes else { throw .closedEarly(received: received, expected: totalBytes) }
    }

    private mutating func takePart() -> Part {
        defer { pending = Data() }
        return Part(offset: received - pending.count, data: pending)
    }
}
