import CImageTransportCurl
import HTTPTypes
import ImageCore
import ImageTransporting

/// A transfer in libcurl. Receives libcurl's callbacks. Used only on the event thread.
@safe final class ActiveTransfer {
    let id: UInt64
    let channel: TransferChannel
    private(set) var timer: TransferTimer
    private let options: CurlTransport.Options
    private var handle: OpaquePointer?
    private var parser: HeadParser
    private var decoder: ContentDecoder?
    private var ownFailure: TransportError?
    private let pendingUpdates: PendingUpdates
    private let isDecoded: Bool
    private var head: ResponseHead?
    private var receivedBytes = 0
    /// The number of bytes in the decoder that libcurl delivers again.
    private var keptBytes = 0
    private var update = TransferChannel.Update()

    init(
        id: UInt64, channel: TransferChannel, timer: TransferTimer, options: CurlTransport.Options,
        pendingUpdates: PendingUpdates
    ) {
        self.pendingUpdates = pendingUpdates
        self.id = id
        self.channel = channel
        self.options = options
        self.timer = timer
        isDecoded = channel.request.isDecoded
        parser = HeadParser(channel.request)
    }

    func start(on multi: OpaquePointer) -> Bool {
        guard let handle = unsafe makeHandle(multi) else { return false }
        unsafe self.handle = handle
        for line in channel.request.headerLines {
            guard unsafe line.withUnsafeBufferPointer({ unsafe itc_transfer_add_header(handle, $0.baseAddress) }) else {
                return false
            }
        }
        guard let body = channel.request.bodyToSend else { return unsafe itc_transfer_start(handle, multi) }
        let isSet = unsafe body.withUnsafeBytes { bytes in
            unsafe itc_transfer_set_body(handle, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
        return unsafe isSet && itc_transfer_start(handle, multi)
    }

    /// Returns false if the bytes that libcurl kept end the transfer.
    func resume() -> Bool { unsafe handle.map { unsafe itc_transfer_resume($0) } ?? true }

    /// - Parameter isGivenUp: Whether the transfer timed out or was cancelled. If so, a dead connection isn't used again.
    func free(_ multi: OpaquePointer, isGivenUp: Bool) {
        guard let handle = unsafe handle else { return }
        if isGivenUp {
            unsafe itc_transfer_give_up(handle, multi, channel.request.stallTimeout.wholeMilliseconds)
        } else {
            unsafe itc_transfer_free(handle, multi)
        }
        unsafe self.handle = nil
    }

    /// Returns the phase whose timeout has expired, or nil. Time in which the consumer doesn't wait, or the transfer
    /// waits for a connection, doesn't count as a stall.
    func expiredPhase(now: Int64) -> TransportError.Phase? {
        let isWaiting = channel.isWaitingForBytes
        if isWaiting, let handle = unsafe handle { unsafe itc_transfer_note_waiting(handle) }
        return switch timer.expiry(isWaiting: isWaiting, now: now) {
        case .stalled: channel.hasHead ? .body : .head
        case .overdue: .total
        case nil: nil
        }
    }

    func failure(for outcome: itc_outcome) -> TransportError? {
        if let ownFailure { return ownFailure }
        let text =
            outcome == ITC_COMPLETE ? "" : unsafe handle.map { unsafe String(cString: itc_transfer_error($0)) } ?? ""
        let outcome = CurlOutcome(outcome, text: text)
        if let failure = outcome.failure(channel.request, head: head, received: receivedBytes) { return failure }
        do throws(TransportError) {
            try decoder?.finish()
            return nil
        } catch {
            return error
        }
    }

    private func makeHandle(_ engine: OpaquePointer) -> OpaquePointer? {
        let request = channel.request
        var callbacks = unsafe itc_callbacks(
            on_address: options.addressPolicy == nil
                ? nil
                : { unsafe ActiveTransfer.at($0)?.allows(UnsafeBufferPointer(start: $1, count: $2)) ?? false },
            on_connected: { unsafe ActiveTransfer.at($0)?.connected() },
            on_header: { unsafe ActiveTransfer.at($0)?.header(UnsafeBufferPointer(start: $1, count: $2)) ?? false },
            on_body: { unsafe ActiveTransfer.at($0)?.body(UnsafeBufferPointer(start: $1, count: $2)) ?? 0 })
        return unsafe request.url.absoluteString.withCString { url in
            unsafe request.method.rawValue.withCString { method in
                unsafe withOptionalCString(options.rootsFile) { roots in
                    var options = unsafe itc_request(
                        url: url, method: method, roots_file: roots,
                        connect_timeout_ms: Int(request.connectTimeout.wholeMilliseconds),
                        server: UInt64(bitPattern: Int64(request.url.server.hashValue)),
                        max_idle_seconds: Int(
                            max(1, min(options.maxIdleTime.limited.components.seconds, 86_400))),
                        uses_environment_proxy: options.usesEnvironmentProxy)
                    // Safe: the event loop retains this object until the handle is freed.
                    return unsafe itc_transfer_make(
                        engine, &options, &callbacks, Unmanaged.passUnretained(self).toOpaque())
                }
            }
        }
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> ActiveTransfer? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<ActiveTransfer>.fromOpaque(context).takeUnretainedValue()
    }

    // MARK: Callbacks of libcurl

    private func allows(_ address: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let policy = options.addressPolicy, let address = unsafe TransportAddress(bytes: Array(address))
        else {
            return false
        }
        return policy(address)
    }

    private func connected() { channel.connected() }

    private func header(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        timer.bytesArrived(line.count)
        do throws(TransportError) {
            if let head = unsafe try parser.take(line) { try accept(head) }
            return true
        } catch {
            ownFailure = error
            return false
        }
    }

    private func accept(_ head: ResponseHead) throws(TransportError) {
        try channel.request.checkLength(head)
        if try channel.request.hasUnknownTransferCoding(head), let handle = unsafe handle {
            unsafe itc_transfer_skip_decoding(handle)
        }
        if isDecoded {
            decoder = try ContentDecoder(for: parser.codings, decodedByteLimit: channel.request.bodyByteLimit)
        }
        self.head = head
        timer.headArrived()
        update.head = head
        pendingUpdates.add(id)
    }

    private func body(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        do throws(TransportError) {
            switch unsafe decoder == nil ? take(bytes) : try decode(bytes) {
            case .proceed: return bytes.count
            case .pause: return Int(ITC_PAUSE)  // libcurl delivers these bytes again
            case .stop: return Int(ITC_STOP)
            }
        } catch {
            ownFailure = error
            update.piece = Data()
            return Int(ITC_STOP)
        }
    }

    private func take(_ bytes: UnsafeBufferPointer<UInt8>) -> Reaction {
        timer.bytesArrived(bytes.count)
        let reaction = reportBatch()
        guard reaction == .proceed else { return reaction }
        if update.piece.isEmpty { update.piece.reserveCapacity(likelyPieceBytes(atLeast: bytes.count)) }
        unsafe update.piece.append(bytes)
        noteReceived(bytes.count)
        return .proceed
    }

    /// Decodes as much as the consumer takes. If it takes less than the bytes decode to, the decoder keeps the rest.
    private func decode(_ bytes: UnsafeBufferPointer<UInt8>) throws(TransportError) -> Reaction {
        let fresh = unsafe Data(bytes.dropFirst(keptBytes))
        timer.bytesArrived(fresh.count)
        decoder?.add(fresh)
        keptBytes = max(keptBytes, bytes.count)
        while true {
            let reaction = reportBatch()
            guard reaction == .proceed else { return reaction }
            guard let piece = try decoder?.next(), !piece.isEmpty else { break }
            update.piece.append(piece)
            noteReceived(piece.count)
        }
        keptBytes -= bytes.count
        return .proceed
    }

    private func noteReceived(_ count: Int) {
        receivedBytes += count
        pendingUpdates.add(id)
    }

    /// Returns the capacity to reserve for the next piece: the rest of the body, limited to one batch.
    private func likelyPieceBytes(atLeast count: Int) -> Int {
        let rest = max(0, (head?.expectedByteCount ?? 0) - receivedBytes)
        return max(count, min(rest, Self.batchBytes + count))
    }

    // MARK: Updates

    /// The number of buffered bytes that are reported immediately. Fewer bytes are reported after libcurl has read from
    /// all ready sockets, so that a small response resumes its consumer only once.
    private static let batchBytes = 64 << 10

    enum Reaction { case proceed, pause, stop }

    private func reportBatch() -> Reaction { update.piece.count < Self.batchBytes ? .proceed : reportUpdate() }

    /// Reports the events since the last report to the consumer. Returns what the transfer must do.
    func reportUpdate() -> Reaction {
        guard !update.isEmpty else { return .proceed }
        defer { update = TransferChannel.Update() }
        switch channel.report(update) {
        case .deliver, .buffer: return .proceed
        case .pause: return .pause
        case .stop, .fail: return .stop
        }
    }

    /// Reports the events since the last report, and that the transfer has ended.
    func reportEnd(_ failure: TransportError?) {
        update.isOver = true
        update.failure = failure
        _ = reportUpdate()
    }

    func pause() {
        if let handle = unsafe handle { unsafe itc_transfer_pause(handle) }
    }
}

/// The identifiers of transfers with events to report, in order. Used only on the event thread.
final class PendingUpdates {
    private var identifiers: [UInt64] = []

    func add(_ id: UInt64) {
        if identifiers.last != id { identifiers.append(id) }
    }

    func takeAll() -> [UInt64] {
        defer { identifiers.removeAll(keepingCapacity: true) }
        return identifiers
    }
}

private func withOptionalCString<Result>(
    _ text: String?, _ body: (UnsafePointer<CChar>?) -> Result
) -> Result {
    guard let text else { return body(nil) }
    return unsafe text.withCString { unsafe body($0) }
}
