import ImageCore

/// A decoding session, and the number of bytes passed to it.
actor PreviewSession {
    private let makeSession: @Sendable () -> any DecodingSession
    private var session: (any DecodingSession)?
    private var source: ReceivedBytes?
    private var passedByteCount = 0
    private var previewCount = 0

    init(_ makeSession: @escaping @Sendable () -> any DecodingSession) { self.makeSession = makeSession }

    /// Returns a preview of all bytes received so far, or nil if there is nothing new to show or decoding fails.
    ///
    /// A restarted download gives no previews until it has more bytes than before. Then a new session receives them.
    func preview(
        of received: ReceivedBytes, at elapsed: Duration, isCancelled: @Sendable () -> Bool
    ) -> ImagePreview? {
        guard received.count > passedByteCount else { return nil }
        if source !== received { (source, passedByteCount, session) = (received, 0, nil) }
        let bytes = received.bytes(from: passedByteCount)
        passedByteCount += bytes.count
        let session = session ?? makeSession()
        self.session = session
        guard let image = try? session.append(bytes, at: elapsed, isCancelled: isCancelled) else { return nil }
        defer { previewCount += 1 }
        return ImagePreview(image, number: previewCount)
    }
}
