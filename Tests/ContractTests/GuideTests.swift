import Foundation
import HTTPTypes
import ImageContractTesting
import ImageCore
import ImageTesting
import ImageTransporting
import Synchronization
import Testing

// The examples of the guide in ImageContractTesting.docc. `GuideTests/lines` fails if a line of an example is missing
// here.

/// A cache that evicts the oldest image first.
final class FIFOImageCache: ImageCache {
    private struct State: Sendable {
        var images: [ImageCacheKey: DecodedImage] = [:]
        var order: [ImageCacheKey] = []
        var byteCount = 0

        mutating func remove(_ key: ImageCacheKey) {
            guard let image = images.removeValue(forKey: key) else { return }
            byteCount -= image.byteCount
            order.removeAll { $0 == key }
        }

        mutating func evict(to limit: Int) {
            while byteCount > limit, let first = order.first { remove(first) }
        }
    }

    private let byteLimit: Int
    private let state = Mutex(State())

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    func image(for key: ImageCacheKey) -> DecodedImage? { state.withLock { $0.images[key] } }

    func insert(_ image: DecodedImage, for key: ImageCacheKey, retention: ImageRetention) {
        state.withLock { state in
            state.remove(key)  // even if the new image is rejected, because the older one is outdated
            guard image.byteCount <= byteLimit else { return }
            state.evict(to: byteLimit - image.byteCount)
            state.images[key] = image
            state.order.append(key)
            state.byteCount += image.byteCount
        }
    }

    func remove(for key: ImageCacheKey) { state.withLock { $0.remove(key) } }

    func removeAll() { state.withLock { $0 = State() } }

    func removeAll(where isUnwanted: (ImageCacheKey, Duration?) -> Bool) {
        let unwanted = state.withLock { $0.order }.filter { isUnwanted($0, nil) }  // without the lock
        state.withLock { state in unwanted.forEach { state.remove($0) } }
    }

    func trim(toShare share: Double) {
        state.withLock { state in state.evict(to: Int(Double(state.byteCount) * share)) }
    }

    var byteCount: Int? { state.withLock { $0.byteCount } }

    var storesImages: Bool { byteLimit > 0 }
}

/// A transport for files of an archive in memory: `archive:///name`.
struct ArchiveTransport: DataTransport {
    let files: [String: Data]

    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        if Task.isCancelled { throw .cancelled }
        guard let file = files[request.url.path()] else { throw .notFound(request.url.path()) }
        guard file.count <= request.maxBodyBytes else { throw .tooLarge(allowedBytes: request.maxBodyBytes) }
        let head = ResponseHead(status: .ok, url: request.url, expectedBytes: file.count)
        return TransportResponse(head: head, body: TransportBody(file))
    }
}

/// A decoder for farbfeld: "farbfeld", width and height in four bytes each, then 16 bits per sample of RGBA.
struct FarbfeldDecoder: ImageDecoder {
    let format = ImageFormat(rawValue: "farbfeld")

    func recognizes(_ prefix: Data) -> Bool { prefix.starts(with: Data("farbfeld".utf8)) }

    func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage {
        guard recognizes(data) else { throw .malformed(format, "no signature") }
        let bytes = [UInt8](data)  // the indices of data may not start at 0
        guard bytes.count >= 16 else { throw .truncated(format) }
        let (width, height) = (Self.number(bytes[8..<12]), Self.number(bytes[12..<16]))
        guard width > 0, height > 0 else { throw .malformed(format, "no pixels") }
        let size = PixelSize(width: width, height: height)
        try limits.check(size)  // before any allocation, because the header can claim any size
        return FarbfeldImage(bytes, ImageHeader(format: format, storedSize: size, hasAlpha: true))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}

private final class FarbfeldImage: OpenedImage {
    let header: ImageHeader
    private let bytes: [UInt8]

    init(_ bytes: [UInt8], _ header: ImageHeader) {
        self.bytes = bytes
        self.header = header
    }

    /// The format can't be scaled while it is decoded.
    func decodableSize(covering target: PixelSize) -> PixelSize { header.storedSize }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(DecodingFailure) {
        guard index == 0 else { throw .noSuchFrame(index, frameCount: 1) }
        guard size == header.storedSize, layout == .rgba8 else {
            throw .unsupported(header.format, "\(size) in \(layout)")
        }
        for y in 0..<size.height {
            let start = 16 + y * size.width * 8
            guard start + size.width * 8 <= bytes.count else { throw .truncated(header.format) }
            let row = (0..<size.width * 4).map { bytes[start + $0 * 2] }  // the high byte of each sample
            try sink.receive(row.span)
        }
    }
}

@Suite("Examples of the guide", .timeLimit(.minutes(5)))
struct GuideTests {
    @Test("the cache passes", arguments: ImageCacheContract.rules)
    func cache(_ rule: ContractRule<ImageCacheContract.Subject>) async throws {
        try await rule.check { byteLimit in FIFOImageCache(byteLimit: byteLimit) }
    }

    @Test("the transport passes", arguments: DataTransportContract.rules)
    func transport(_ rule: ContractRule<DataTransportContract.Subject>) async throws {
        try await rule.check { origin in
            let body = Data(origin.pieces.flatMap { $0 })
            let url = try #require(URL(string: "archive:///0"))
            return DataTransportContract.Fixture(transport: ArchiveTransport(files: ["/0": body]), url: url)
        }
    }

    @Test("the decoder passes", arguments: ImageDecoderContract.rules)
    func decoder(_ rule: ContractRule<ImageDecoderContract.Subject>) async throws {
        let header = Data("farbfeld".utf8) + [0, 0, 0, 5, 0, 0, 0, 3]
        let file = header + Data((0..<5 * 3 * 8).map { UInt8(truncatingIfNeeded: $0 * 11) })
        let pixels = stride(from: 16, to: file.count, by: 2).map { file[$0] }
        let sample = ImageDecoderContract.Sample(
            "still", file, storedSize: PixelSize(width: 5, height: 3), pixels: pixels)
        try await rule.check(.init(FarbfeldDecoder(), samples: [sample]))
    }

    @Test("every line of an example in the guide is in this file")
    func lines() throws {
        let here = URL(fileURLWithPath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let guide =
            "Packages/ImageContractTesting/Sources/ImageContractTesting/ImageContractTesting.docc/WritingYourOwn.md"
        let text = try String(contentsOf: root.appending(path: guide), encoding: .utf8)
        let examples = text.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        let known = Set(try lines(String(contentsOf: here, encoding: .utf8)))
        #expect(examples.count == 4)
        for line in examples.flatMap(lines) { #expect(known.contains(line), "not compiled: \(line)") }
    }

    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
