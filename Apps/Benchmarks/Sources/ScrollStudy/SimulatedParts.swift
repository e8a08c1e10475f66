import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import ImageTransporting
import Synchronization

/// The images of a list. The color of each image encodes its number.
enum NumberedImage {
    static func file(_ number: Int) -> Data {
        FakeImage.encode(
            width: 4, height: 4, color: (0..<3).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } + [255])
    }

    static func number(of bitmap: Bitmap) -> Int {
        bitmap.pixels.prefix(3).enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
    }

    static func url(_ number: Int) -> URL? { URL(string: "http://images.example/\(number)") }
}

/// An origin that takes 30 to 110 ms per image, by the manual clock: a delay before the head, then four chunks.
///
/// The same image always takes the same time.
final class SimulatedOrigin: DataTransport {
    private static let chunkCount = 4
    private let clock: ManualClock
    private let sends = Atomic(0)
    private let bytes = Atomic(0)

    init(clock: ManualClock) { self.clock = clock }

    var sendCount: Int { sends.load(ordering: .relaxed) }
    /// The number of body bytes read by the client.
    var sentByteCount: Int { bytes.load(ordering: .relaxed) }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        sends.wrappingAdd(1, ordering: .relaxed)
        let number = Int(request.url.lastPathComponent) ?? 0
        var random = SeededRandom(seed: UInt64(number))
        try await sleep(.milliseconds(Int.random(in: 18...50, using: &random)))
        let pause = Duration.milliseconds(Int.random(in: 3...15, using: &random))
        let file = NumberedImage.file(number)
        let length = (file.count + Self.chunkCount - 1) / Self.chunkCount
        let chunks = Mutex(
            stride(from: 0, to: file.count, by: length).map { file[$0..<min($0 + length, file.count)] }[...])
        let pull: @Sendable () async throws(TransportError) -> Data? = { () async throws(TransportError) in
            guard let chunk = chunks.withLock({ $0.popFirst() }) else { return nil }
            try await self.sleep(pause)
            self.bytes.wrappingAdd(chunk.count, ordering: .relaxed)
            return Data(chunk)
        }
        let head = ResponseHead(status: .ok, url: request.url, expectedByteCount: file.count)
        return TransportResponse(head: head, body: TransportBody(pull: pull))
    }

    private func sleep(_ duration: Duration) async throws(TransportError) {
        do {
            try await clock.sleep(for: duration)
        } catch {
            throw .cancelled
        }
    }
}

/// Records each decoded image.
final class RecordingDecoder: SizedImageDecoder {
    private let base = FakeSizedImageDecoder()
    private let log = MessageLog<Int>()

    var decodedNumbers: [Int] { log.messages }

    func header(of data: Data) throws(ImageDecodingError) -> ImageHeader { try base.header(of: data) }

    func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> DecodedImage {
        let image = try base.decode(data, request: request, isCancelled: isCancelled)
        log.append(NumberedImage.number(of: image.bitmap))
        return image
    }
}
