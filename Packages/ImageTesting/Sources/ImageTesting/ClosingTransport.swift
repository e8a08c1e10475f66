import ImageTransporting

/// A transport without a network. Calls `onClose` when it is told to close idle connections.
struct ClosingTransport: DataTransport {
    let onClose: @Sendable () -> Void

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse { throw .cancelled }

    func closeIdleConnections() { onClose() }
}
