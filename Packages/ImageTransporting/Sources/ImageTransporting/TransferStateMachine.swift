package import ImageCore

/// The state of a transfer between an HTTP engine and the consumer of its response. Pure: no lock, no thread, no clock.
///
/// The engine calls `connected`, `headArrived`, `arrived` and `ended`. The consumer calls `awaitHead` and `pull`, and
/// ends its interest with `cancel`, `abandon` or `discard`.
package struct TransferStateMachine {
    enum Phase: Equatable {
        case queued, waitingForHead, streaming, paused
        /// The consumer doesn't need the rest of the body. Up to `remaining` bytes are read and dropped, so that the
        /// connection can be reused.
        case discarding(remaining: Int)
        /// The transfer has ended. Buffered bytes are delivered before the failure, if there is one.
        case over(TransportError?)
    }

    /// The result of a consumer's call: the consumer must wait, gets a value or fails.
    enum Answer<Value> {
        case wait, now(Value), fail(TransportError)
    }

    /// What the engine must do after it received a piece of the body.
    package enum PieceAction: Equatable {
        /// Pass the piece to the waiting consumer.
        case deliver(Data)
        /// Continue. The piece was buffered.
        case buffer
        /// Stop reading from the connection. The piece was buffered.
        case pause
        /// End the transfer. The piece isn't needed.
        case stop
        /// End the transfer, and the waiting consumer with this failure.
        case fail(TransportError)

        /// Whether a consumer that waits for a piece must be resumed.
        var isForWaiter: Bool {
            switch self {
            case .deliver, .fail: true
            case .buffer, .pause, .stop: false
            }
        }
    }

    /// The number of buffered bytes at which the sender is paused.
    static let highWatermark = 256 << 10
    /// The maximum number of bytes of a discarded body to read. More would cost more than a new connection.
    static let discardLimit = 64 << 10

    private(set) var phase = Phase.queued
    private(set) var receivedBytes = 0
    private(set) var isAwaited = false
    private var head: ResponseHead?
    private var buffer = Data()
    private let bodyByteLimit: Int

    init(bodyByteLimit: Int) { self.bodyByteLimit = bodyByteLimit }

    var hasHead: Bool { head != nil }
    var expectedByteCount: Int? { head?.expectedByteCount }

    /// Whether the transfer currently waits for bytes from the server. Only this time counts for the stall timeout.
    var isWaitingForBytes: Bool {
        switch phase {
        case .waitingForHead, .streaming: isAwaited
        case .discarding: true
        case .queued, .paused, .over: false
        }
    }

    // MARK: Engine events

    mutating func connected() {
        if phase == .queued { phase = .waitingForHead }
    }

    /// Returns whether a consumer waits for the head.
    mutating func headArrived(_ arrived: ResponseHead) -> Bool {
        guard phase == .queued || phase == .waitingForHead else { return false }
        head = arrived
        phase = .streaming
        defer { isAwaited = false }
        return isAwaited
    }

    mutating func arrived(_ piece: Data) -> PieceAction {
        switch phase {
        case .discarding(let remaining):
            phase = .discarding(remaining: remaining - piece.count)
            return remaining > piece.count ? .buffer : .stop
        case .streaming, .paused:
            guard receivedBytes + piece.count <= bodyByteLimit else {
                return fail(.tooLarge(byteLimit: bodyByteLimit))
            }
            receivedBytes += piece.count
            return take(piece)
        case .queued, .waitingForHead, .over:
            return .stop
        }
    }

    private mutating func take(_ piece: Data) -> PieceAction {
        if isAwaited {
            isAwaited = false
            return .deliver(piece)
        }
        if buffer.isEmpty { buffer = piece } else { buffer.append(piece) }
        phase = buffer.count < Self.highWatermark ? .streaming : .paused
        return phase == .paused ? .pause : .buffer
    }

    /// Ends the transfer, successfully if `failure` is nil. Returns whether a consumer waits and must be resumed.
    mutating func ended(_ failure: TransportError?) -> Bool {
        if case .over = phase { return false }
        phase = .over(failure)
        defer { isAwaited = false }
        return isAwaited
    }

    private mutating func fail(_ failure: TransportError) -> PieceAction {
        ended(failure) ? .fail(failure) : .stop
    }

    // MARK: Consumer calls

    mutating func awaitHead() -> Answer<ResponseHead> {
        if let head { return .now(head) }
        if case .over(let failure) = phase { return .fail(failure ?? .connectionLost("the response has no head")) }
        isAwaited = true
        return .wait
    }

    /// Returns the buffered bytes, if there are any. `resumes` is true if the paused sender must be resumed.
    mutating func pull() -> (answer: Answer<Data?>, resumes: Bool) {
        if !buffer.isEmpty {
            defer { buffer = Data() }
            return (.now(buffer), takeResume())
        }
        if case .over(let failure) = phase { return (failure.map { .fail($0) } ?? .now(nil), false) }
        isAwaited = true
        return (.wait, false)
    }

    /// Drops the buffered bytes because the consumer's task was cancelled. Returns whether the engine must end the
    /// transfer.
    mutating func cancel() -> Bool {
        buffer = Data()
        isAwaited = false
        if case .over(nil) = phase {
            phase = .over(.cancelled)
            return false
        }
        return ended(beforeEnd: .cancelled)
    }

    /// Drops the buffered bytes because the consumer doesn't need the rest. The engine continues to read up to
    /// `discardLimit` bytes, so that the connection can be reused. Returns whether the paused sender must be resumed.
    mutating func discard() -> Bool {
        buffer = Data()
        if case .over = phase { return false }
        let wasPaused = phase == .paused
        phase = .discarding(remaining: Self.discardLimit)
        return wasPaused
    }

    /// Drops the buffered bytes because the consumer was released. Returns whether the engine must end the transfer.
    mutating func abandon() -> Bool {
        if case .discarding = phase { return false }
        buffer = Data()
        return ended(beforeEnd: .cancelled)
    }

    private mutating func ended(beforeEnd failure: TransportError) -> Bool {
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
