#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What can happen to one transfer, and what is to be done about it. Pure: no lock, no thread, no time.
///
/// The engine reports `connected`, `headArrived`, `arrived`, `ended`; the consumer asks with `awaitHead` and `pull` and
/// leaves with `cancel`, `abandon` and `discard`.
package struct TransferMachine {
    package enum Phase: Equatable {
        case queued, waitingForHead, streaming, paused
        /// Nobody wants the rest of the body: up to `remaining` bytes are read and dropped, to keep the connection.
        case discarding(remaining: Int)
        /// The engine has nothing more to say. The failure, if any, comes after the buffered bytes.
        case over(TransportFailure?)
    }

    package enum Answer<Value> {
        case wait, now(Value), fail(TransportFailure)
    }

    package enum Arrival: Equatable {
        /// Goes straight to the waiting consumer.
        case deliver(Data)
        case keep
        /// Kept too, but the sender is to be held back now.
        case pause
        /// Nobody wants it: the transfer is to end.
        case stop
        /// A waiting consumer is to be told.
        case fail(TransportFailure)

        /// Whether a consumer that waits for a piece is to be woken.
        var isForWaiter: Bool {
            switch self {
            case .deliver, .fail: true
            case .keep, .pause, .stop: false
            }
        }
    }

    /// When a buffer is this full the sender is held back.
    package static let highWater = 256 << 10
    /// Bytes of an unwanted body that are cheaper to read than a new connection.
    package static let discardLimit = 64 << 10

    package private(set) var phase = Phase.queued
    package private(set) var receivedBytes = 0
    package private(set) var isAwaited = false
    private var head: ResponseHead?
    private var buffer = Data()
    private let maxBodyBytes: Int

    package init(maxBodyBytes: Int) { self.maxBodyBytes = maxBodyBytes }

    package var hasHead: Bool { head != nil }
    package var expectedBytes: Int? { head?.expectedBytes }

    /// Whether the time without a byte counts now: bytes are wanted, and the server knows of it.
    package var isStallable: Bool {
        switch phase {
        case .waitingForHead, .streaming: isAwaited
        case .discarding: true
        case .queued, .paused, .over: false
        }
    }

    // MARK: What the engine reports

    package mutating func connected() {
        if phase == .queued { phase = .waitingForHead }
    }

    /// True when a consumer waits for it.
    package mutating func headArrived(_ arrived: ResponseHead) -> Bool {
        guard phase == .queued || phase == .waitingForHead else { return false }
        head = arrived
        phase = .streaming
        defer { isAwaited = false }
        return isAwaited
    }

    package mutating func arrived(_ piece: Data) -> Arrival {
        switch phase {
        case .discarding(let remaining):
            phase = .discarding(remaining: remaining - piece.count)
            return remaining > piece.count ? .keep : .stop
        case .streaming, .paused:
            guard receivedBytes + piece.count <= maxBodyBytes else {
                return fail(.tooLarge(allowedBytes: maxBodyBytes))
            }
            receivedBytes += piece.count
            return take(piece)
        case .queued, .waitingForHead, .over:
            return .stop
        }
    }

    private mutating func take(_ piece: Data) -> Arrival {
        if isAwaited {
            isAwaited = false
            phase = .streaming
            return .deliver(piece)
        }
        if buffer.isEmpty { buffer = piece } else { buffer.append(piece) }
        phase = buffer.count < Self.highWater ? .streaming : .paused
        return phase == .paused ? .pause : .keep
    }

    /// The transfer is over, well when `failure` is nil. True when a consumer waits and is to be told.
    package mutating func ended(_ failure: TransportFailure?) -> Bool {
        if case .over = phase { return false }
        phase = .over(failure)
        defer { isAwaited = false }
        return isAwaited
    }

    private mutating func fail(_ failure: TransportFailure) -> Arrival {
        ended(failure) ? .fail(failure) : .stop
    }

    // MARK: What the consumer does

    package mutating func awaitHead() -> Answer<ResponseHead> {
        if let head { return .now(head) }
        if case .over(let failure) = phase { return .fail(failure ?? .connectionLost("the response has no head")) }
        isAwaited = true
        return .wait
    }

    /// The second value says that the sender, held back so far, may go on.
    package mutating func pull() -> (answer: Answer<Data?>, resumes: Bool) {
        if !buffer.isEmpty {
            defer { buffer = Data() }
            return (.now(buffer), takeResume())
        }
        if case .over(let failure) = phase { return (failure.map { .fail($0) } ?? .now(nil), false) }
        isAwaited = true
        return (.wait, takeResume())
    }

    /// The consumer's task was cancelled: what is buffered is dropped. True when the engine is to end the transfer.
    package mutating func cancel() -> Bool {
        buffer = Data()
        isAwaited = false
        if case .over(nil) = phase {
            phase = .over(.cancelled)
            return false
        }
        return ended(beforeEnd: .cancelled)
    }

    /// The consumer will not read the rest but would like to keep the connection. True when a pause is to end.
    package mutating func discard() -> Bool {
        buffer = Data()
        if case .over = phase { return false }
        let wasPaused = phase == .paused
        phase = .discarding(remaining: Self.discardLimit)
        return wasPaused
    }

    /// The consumer has gone. True when the engine is to end the transfer.
    package mutating func abandon() -> Bool {
        if case .discarding = phase { return false }
        buffer = Data()
        return ended(beforeEnd: .cancelled)
    }

    private mutating func ended(beforeEnd failure: TransportFailure) -> Bool {
        if case .over = phase { return false }
        phase = .over(failure)
        return true
    }

    private mutating func takeResume() -> Bool {
        guard phase == .paused else { return false }
        phase = .streaming
        return true
    }
}
