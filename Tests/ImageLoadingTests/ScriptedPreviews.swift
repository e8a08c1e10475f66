import Foundation
import ImageCore
import Synchronization

@testable import ImageTesting

/// A decoder whose previews have one pixel. Its red value is the number of bytes that the preview was made of.
final class ScriptedPreviews: SizedImageDecoder {
    let whole: FakeSizedImageDecoder
    /// The bytes passed to each session.
    let fed = MessageLog<Int>()
    private let sessions = Mutex(0)
    private let gate: TestGate?

    /// - Parameter gate: Blocks the creation of each preview.
    init(_ whole: FakeSizedImageDecoder = FakeSizedImageDecoder(), gate: TestGate? = nil) {
        self.whole = whole
        self.gate = gate
    }

    var sessionCount: Int { sessions.withLock { $0 } }

    func header(of data: Data) throws(ImageDecodingError) -> ImageHeader { try whole.header(of: data) }

    func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> DecodedImage {
        try whole.decode(data, request: request, isCancelled: isCancelled)
    }

    func makeSession(request: DecodingRequest, throttle: PreviewThrottle) -> (any DecodingSession)? {
        sessions.withLock { $0 += 1 }
        return Session(self, throttle)
    }

    private final class Session: DecodingSession {
        private let owner: ScriptedPreviews
        private let throttle: PreviewThrottle
        private var count = 0
        private var last: (PreviewExtent, Duration)?

        init(_ owner: ScriptedPreviews, _ throttle: PreviewThrottle) {
            self.owner = owner
            self.throttle = throttle
        }

        func append(
            _ bytes: Data, at elapsed: Duration, isCancelled: @Sendable () -> Bool
        ) throws(ImageDecodingError) -> DecodedImage? {
            owner.fed.append(bytes.count)
            if isCancelled() { throw .cancelled }
            owner.gate?.passBlocking()
            count += bytes.count
            let extent = PreviewExtent(passes: 0, rows: count)
            guard throttle.isDue(extent, of: 1, at: elapsed, after: last) else { return nil }
            last = (extent, elapsed)
            return .pixel(UInt8(count))
        }
    }
}

extension DecodedImage {
    static func pixel(_ red: UInt8) -> DecodedImage {
        let size = PixelSize(width: 1, height: 1)
        return DecodedImage(
            bitmap: Bitmap(size: size, pixels: [red, 0, 0, 255], isOpaque: true),
            header: ImageHeader(format: .fake, storedSize: size))
    }
}

/// A scheduler that runs downloads at once, and decodes and previews on demand.
final class ManualDecodes: WorkScheduler {
    let decodes = ManualScheduler()

    func run<Value: Sendable>(
        in lane: WorkLane, server: String?, priority: LivePriority,
        _ work: @Sendable (_ moved: @escaping @Sendable (_ bytes: Int) -> Void) async throws -> Value
    ) async throws -> Value {
        if lane != .decode { return try await work { _ in } }
        return try await decodes.run(in: lane, server: server, priority: priority, work)
    }
}
