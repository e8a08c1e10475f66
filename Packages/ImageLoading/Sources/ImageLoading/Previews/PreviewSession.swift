import ImageCore

/// A decoder's session, and how many bytes it was passed. It runs on the threads of the lane that calls it.
actor PreviewSession {
    private let makeSession: @Sendable () -> any DecodingSession
    private var session: (any DecodingSession)?
    private var source: ReceivedBytes?
    private var passedByteCount = 0
    private var previewCount = 0

    init(_ makeSession: @escaping @Sendable () -> any DecodingSession) { self.makeSession = makeSession }

    /// Returns a preview of all bytes received so far, or nil if none is worth showing. Errors are left to the final decoding.
    ///
    /// A download that starts again yields nothing until it has more bytes than the one before, so that no preview is worse
    /// than an earlier one. A new session then receives all of them.
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
