import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes previews of one picture at one size while its bytes come in: at most one at a time, from all bytes that are there by then.
final class PreviewPump: Sendable {
    private let repeater: LaneRepeater
    private let offered: Offered
    private let isWanted: @Sendable () -> Bool

    private final class Offered: Sendable {
        let bytes = Mutex<ReceivedBytes?>(nil)
    }

    /// - Parameters:
    ///   - isWanted: whether anybody who waits wants previews now.
    ///   - show: given each preview, in the lane.
    init(
        _ scheduler: any WorkScheduler, priority: @escaping @Sendable () -> RequestPriority,
        isWanted: @escaping @Sendable () -> Bool, uptime: @escaping @Sendable () -> Duration,
        makeSession: @escaping @Sendable () -> any DecodingSession, show: @escaping @Sendable (DecodedImage) -> Void
    ) {
        let (session, offered) = (PreviewSession(makeSession), Offered())
        self.offered = offered
        self.isWanted = isWanted
        repeater = LaneRepeater(scheduler, in: .decode, priority: priority) { isCancelled in
            guard let received = offered.bytes.withLock({ $0 }) else { return }
            let preview = await session.preview(of: received, at: uptime(), isCancelled: isCancelled)
            if let preview, !isCancelled() { show(preview) }
        }
    }

    /// More bytes have come.
    func offer(_ received: ReceivedBytes) {
        guard isWanted() else { return }
        offered.bytes.withLock { $0 = received }
        repeater.ask()
    }

    /// All bytes have come, or none will: the final picture is next.
    func close() { repeater.close() }
}

/// A decoding session and the bytes that it has been fed. An actor, so that the session, which is nobody's but its user's, stays here;
/// it runs on the threads of the lane from which it is called.
private actor PreviewSession {
    private let makeSession: @Sendable () -> any DecodingSession
    private var session: (any DecodingSession)?
    /// What the session was fed from, and how much of it.
    private var source: ReceivedBytes?
    private var fed = 0

    init(_ makeSession: @escaping @Sendable () -> any DecodingSession) { self.makeSession = makeSession }

    /// What is to be seen of all that has come, if it is worth a preview. What is wrong with the bytes is for the final decode to tell.
    ///
    /// A transfer that began anew shows nothing until it has brought more than the one before, so that no preview is worse than an
    /// earlier one; then a new session is given all of it.
    func preview(
        of received: ReceivedBytes, at elapsed: Duration, isCancelled: @Sendable () -> Bool
    ) -> DecodedImage? {
        guard received.count > fed else { return nil }
        if source != received { (source, fed, session) = (received, 0, nil) }
        let bytes = received.bytes(from: fed)
        fed += bytes.count
        let session = session ?? makeSession()
        self.session = session
        return try? session.append(bytes, at: elapsed, isCancelled: isCancelled)
    }
}
