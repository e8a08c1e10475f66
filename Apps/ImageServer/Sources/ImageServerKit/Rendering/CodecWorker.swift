import ImageDecodingIsolation
import ImageLoaderKit

/// The processes that decode sources, and encode what can't be interrupted.
package enum CodecWorker {
    /// Decodes and encodes, if this process was started as a worker, and never returns. Otherwise returns at once.
    package static func runIfAsked() {
        ImageWorker.runIfAsked(makeEncoder: EncoderSettings.encoder(named:)) { DrawingDecoder(base: $0) }
    }
}

/// Whether codecs run in workers.
enum CodecIsolation: String, Sendable, CaseIterable {
    /// In workers. Where the kernel can't protect the server, images fail.
    case required
    /// In workers. Where the kernel can't protect the server, the log says so.
    case preferred
    /// In the server.
    case off
}
