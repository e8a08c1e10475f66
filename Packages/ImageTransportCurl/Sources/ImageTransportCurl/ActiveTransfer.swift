import CImageTransportCurl
import HTTPTypes
import ImageContentCoding
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A transfer that libcurl knows of. Lives on the event thread alone; libcurl's callbacks come here.
@safe final class ActiveTransfer {
    let id: UInt64
    let channel: TransferChannel
    private(set) var timer: TransferTimer
    private let configuration: CurlTransport.Configuration
    private var handle: OpaquePointer?
    private var parser: HeadParser
    private var decoder: ContentDecoder?
    private var ownFailure: TransportFailure?
    private let newsList: NewsList
    private let isDecoded: Bool
    private var head: ResponseHead?
    private var receivedBytes = 0
    private var news = TransferChannel.News()

    init(
        id: UInt64, channel: TransferChannel, timer: TransferTimer, configuration: CurlTransport.Configuration,
        newsList: NewsList
    ) {
        self.newsList = newsList
        self.id = id
        self.channel = channel
        self.configuration = configuration
        self.timer = timer
        isDecoded = channel.request.isDecoded
        parser = HeadParser(channel.request)
    }

    func start(on multi: OpaquePointer) -> Bool {
        guard let handle = unsafe makeHandle(multi) else { return false }
        unsafe self.handle = handle
        for line in channel.request.headerLines {
            guard unsafe itc_transfer_add_header(handle, line) else { return false }
        }
        guard let body = channel.request.sentBody else { return unsafe itc_transfer_start(handle, multi) }
        let isSet = unsafe body.withUnsafeBytes { bytes in
            unsafe itc_transfer_set_body(handle, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
        return unsafe isSet && itc_transfer_start(handle, multi)
    }

    func resume() {
        if let handle = unsafe handle { unsafe itc_transfer_resume(handle) }
    }

    func free(_ multi: OpaquePointer) {
        guard let handle = unsafe handle else { return }
        unsafe itc_transfer_free(handle, multi)
        unsafe self.handle = nil
    }

    /// What the consumer has waited for longer than allowed, if anything. For a stall, time in which nobody waits, or that is
    /// spent in the queue for a connection, does not count.
    func expiredPhase(now: Int64) -> TransportFailure.Phase? {
        switch timer.expiry(isWaitedFor: channel.isStallable, now: now) {
        case .stalled: channel.hasHead ? .body : .head
        case .overdue: .whole
        case nil: nil
        }
    }

    func failure(for ending: itc_ending) -> TransportFailure? {
        if let ownFailure { return ownFailure }
        let text =
            ending == ITC_COMPLETE ? "" : unsafe handle.map { unsafe String(cString: itc_transfer_error($0)) } ?? ""
        let ending = CurlEnding(ending, text: text)
        if let failure = ending.failure(channel.request, head: head, received: receivedBytes) { return failure }
        do throws(TransportFailure) {
            try decoder?.finish()
            return nil
        } catch {
            return error
        }
    }

    private func makeHandle(_ engine: OpaquePointer) -> OpaquePointer? {
        let request = channel.request
        var callbacks = unsafe itc_callbacks(
            on_connected: { unsafe ActiveTransfer.at($0)?.connected() },
            on_header: { unsafe ActiveTransfer.at($0)?.header(UnsafeBufferPointer(start: $1, count: $2)) ?? false },
            on_body: { unsafe ActiveTransfer.at($0)?.body(UnsafeBufferPointer(start: $1, count: $2)) ?? 0 })
        return unsafe request.url.absoluteString.withCString { url in
            unsafe request.method.rawValue.withCString { method in
                unsafe withOptionalCString(configuration.rootsFile) { roots in
                    var options = unsafe itc_request(
                        url: url, method: method, roots_file: roots,
                        connect_timeout_ms: Int(request.connectTimeout.wholeMilliseconds),
                        max_idle_seconds: Int(max(1, min(configuration.maxIdleTime.components.seconds, 86_400))),
                        uses_environment_proxy: configuration.usesEnvironmentProxy)
                    // Sound: the loop holds this object until the handle is freed.
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

    // MARK: What libcurl reports

    private func connected() { channel.connected() }

    private func header(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        timer.heardSomething()
        do throws(TransportFailure) {
            if let head = unsafe try parser.take(line) { try accept(head) }
            return true
        } catch {
            ownFailure = error
            return false
        }
    }

    private func accept(_ head: ResponseHead) throws(TransportFailure) {
        try channel.request.checkLength(head)
        if isDecoded {
            decoder = try ContentDecoder(for: parser.coding, maxDecodedBytes: channel.request.maxBodyBytes)
        }
        self.head = head
        news.head = head
        newsList.add(id)
    }

    private func body(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        timer.heardSomething()
        if news.piece.count >= Self.batchBytes {
            switch tellNews() {
            case .nothing: break
            case .pause: return Int(ITC_PAUSE)  // libcurl offers these bytes again
            case .stop: return Int(ITC_STOP)
            }
        }
        guard unsafe keep(bytes) else { return Int(ITC_STOP) }
        newsList.add(id)
        return bytes.count
    }

    /// False when the bytes can't be decoded, or unpack to too many.
    private func keep(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let before = news.piece.count
        do throws(TransportFailure) {
            if let decoder {
                unsafe try decoder.decode(bytes, into: &news.piece)
            } else {
                if before == 0 { news.piece.reserveCapacity(likelyPieceBytes(atLeast: bytes.count)) }
                unsafe news.piece.append(bytes)
            }
            receivedBytes += news.piece.count - before
            return true
        } catch {
            ownFailure = error
            news.piece = Data()
            return false
        }
    }

    /// What is left of the body, as far as it goes into one piece.
    private func likelyPieceBytes(atLeast count: Int) -> Int {
        let rest = max(0, (head?.expectedBytes ?? 0) - receivedBytes)
        return max(count, min(rest, Self.batchBytes + count))
    }

    // MARK: Telling the consumer

    /// Bytes after which the consumer is told in any case; fewer wait for the end of libcurl's turn, so that a small
    /// response wakes its consumer once and not for every read.
    private static let batchBytes = 64 << 10

    enum Reaction { case nothing, pause, stop }

    /// Hands over what has arrived.
    func tellNews() -> Reaction {
        guard !news.isEmpty else { return .nothing }
        defer { news = TransferChannel.News() }
        switch channel.tell(news) {
        case .deliver, .keep: return .nothing
        case .pause: return .pause
        case .stop, .fail: return .stop
        }
    }

    /// Hands over what has arrived since, and that there is no more to come.
    func tellLastNews(_ failure: TransportFailure?) {
        (news.isOver, news.failure) = (true, failure)
        _ = tellNews()
    }

    func pause() {
        if let handle = unsafe handle { unsafe itc_transfer_pause(handle) }
    }
}

/// Which transfers have something to tell, in order. Lives on the event thread alone.
final class NewsList {
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
