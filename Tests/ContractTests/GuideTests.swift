import Foundation
import HTTPTypes
import ImageContractTesting
import ImageCore
import ImageMemoryCaching
import ImageTesting
import ImageTransporting
import Synchronization
import Testing

// The parts of the guides WritingYourOwnParts and WritingTransportsAndDecoders. `GuideTests/lines` fails if a line of
// their examples is missing here.

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

    func insert(_ image: DecodedImage, for key: ImageCacheKey, retention: MemoryRetention) {
        state.withLock { state in
            state.remove(key)  // the older one is outdated, even if the new one is rejected
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

/// Evicts a random entry, so that a hit needs no bookkeeping.
struct RandomOrder: EvictionOrder {
    private var slots: [Int] = []
    private var positions: [Int: Int] = [:]
    private var random: UInt64 = 1

    mutating func setLimits(_ limits: CacheLimits) {}

    mutating func insert(_ entry: EvictionCandidate, at slot: Int) {
        positions[slot] = slots.count
        slots.append(slot)
    }

    mutating func use(_ slot: Int) {}

    mutating func remove(_ slot: Int) {
        guard let position = positions.removeValue(forKey: slot), let last = slots.popLast() else { return }
        guard position < slots.count else { return }  // it was the last one
        slots[position] = last
        positions[last] = position
    }

    mutating func victim(for incoming: EvictionCandidate?) -> Int? {
        guard !slots.isEmpty else { return nil }
        random = random &* 6_364_136_223_846_793_005 &+ 1
        return slots[Int(random >> 33) % slots.count]
    }
}

extension EvictionPolicy {
    static let random = EvictionPolicy(name: "random") { RandomOrder() }
}

/// A transport for files of an archive in memory: `archive:///name`.
struct ArchiveTransport: DataTransport {
    let files: [String: Data]

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        if Task.isCancelled { throw .cancelled }
        guard let file = files[request.url.path()] else { throw .notFound(request.url.path()) }
        guard file.count <= request.bodyByteLimit else { throw .tooLarge(byteLimit: request.bodyByteLimit) }
        let head = ResponseHead(status: .ok, url: request.url, expectedByteCount: file.count)
        return TransportResponse(head: head, body: TransportBody(file))
    }
}

/// A decoder for farbfeld: "farbfeld", width and height in four bytes each, then 16 bits per sample of RGBA.
nonisolated struct FarbfeldDecoder: ImageDecoder {
    let format = ImageFormat(rawValue: "farbfeld")

    func recognizes(_ prefix: Data) -> Bool { prefix.starts(with: Data("farbfeld".utf8)) }

    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
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

nonisolated private final class FarbfeldImage: OpenedImage {
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
    ) throws(ImageDecodingError) {
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

@Suite("Parts of the guides", .timeLimit(.minutes(5)))
struct GuideTests {
    @Test("the cache passes", arguments: ImageCacheContract.rules)
    func cache(_ rule: ContractRule<ImageCacheContract.Subject>) async throws {
        try await rule.check { byteLimit in FIFOImageCache(byteLimit: byteLimit) }
    }

    @Test("the policy passes", arguments: EvictionOrderContract.rules)
    func policy(_ rule: ContractRule<EvictionOrderContract.Subject>) async throws { try await rule.check(.random) }

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

    @Test(
        "the code of a part in the guides is in this file",
        arguments: [("WritingYourOwnParts", 2), ("WritingTransportsAndDecoders", 2)])
    func copies(guide: String, partCount: Int) throws {
        let here = URL(fileURLWithPath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appending(path: "Documentation/Guides.docc/\(guide).md")
        let examples = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "```swift\n").dropFirst()
        // The part, before the suite that shows how to test it.
        let parts = examples.map { $0.components(separatedBy: "```")[0].components(separatedBy: "@Suite") }
            .filter { $0.count > 1 }.map { $0[0] }
        let known = code(try String(contentsOf: here, encoding: .utf8))
        #expect(parts.count == partCount)
        for piece in parts.flatMap({ $0.components(separatedBy: "\n\n") }).map(code) where !piece.isEmpty {
            #expect(known.contains(piece), "not tested: \(piece)")
        }
    }

    /// Returns a text without imports, comments and spaces, because the lines of guides are shorter.
    private func code(_ text: String) -> String {
        text.replacing(/(?m)^import .*|\/\/.*/, with: "").filter { !$0.isWhitespace }
    }
}
