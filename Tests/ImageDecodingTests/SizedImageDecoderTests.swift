import Foundation
import ImageCore
import ImageDecoding
import ImageTesting
import Testing

@Suite("Promises of SizedImageDecoder, for the decoder of loaders and for the fake")
struct SizedImageDecoderTests {
    enum Kind: CaseIterable {
        case downsampling, fake

        func makeDecoder(_ limits: DecodingLimits = .default) -> any SizedImageDecoder {
            switch self {
            case .downsampling: DownsamplingDecoder(decoders: [FakeDecoder()], limits: limits)
            case .fake: FakeSizedImageDecoder(limits: limits)
            }
        }
    }

    static let files: [Data] = {
        let size = PixelSize(width: 41, height: 23)
        let pixels = (0..<size.area * 4).map { UInt8(truncatingIfNeeded: $0 * 7) }
        return [
            FakeImage(size, frames: [pixels], scales: true),
            FakeImage(size, frames: [pixels], orientation: .right, hasAlpha: true, scales: true),
            FakeImage(size, frames: [pixels, [1, 2, 3, 4]], orientation: .downMirrored, hasAlpha: true),
        ].map(\.encoded)
    }()

    private static let targets =
        [(5, 5), (3, 7), (1, 1), (4000, 4000), (9, 1)].flatMap { width, height in
            ImageTarget.Mode.allCases.map { ImageTarget(PixelSize(width: width, height: height), mode: $0) }
        } + [ImageTarget(PixelSize(width: 61, height: 67), upscales: true)]

    @Test("decoding without a closure ends when the task is cancelled", arguments: Kind.allCases)
    func cancelledTask(_ kind: Kind) async {
        let isCancelled = TestGate()
        let decoding = Task {
            await isCancelled.pass()
            return try kind.makeDecoder().decode(Self.files[0])
        }
        decoding.cancel()
        isCancelled.open()
        await #expect(throws: ImageDecodingError.cancelled) { try await decoding.value }
    }

    @Test(
        "the image has the size of the request and the header that is read alone, and says whether it is opaque",
        arguments: Kind.allCases, files)
    func size(_ kind: Kind, _ file: Data) throws {
        let decoder = kind.makeDecoder()
        let header = try decoder.header(of: file)
        for target in [nil] + Self.targets {
            let request = DecodingRequest(target: target)
            let image = try decoder.decode(file, request: request)
            #expect(image.header == header && image.bitmap.size == request.outputSize(for: header.size))
            let alpha = stride(from: 3, to: image.bitmap.pixels.count, by: 4).map { image.bitmap.pixels[$0] }
            #expect(image.bitmap.isOpaque == alpha.allSatisfy { $0 == 255 })
        }
    }

    @Test("the image is the same each time, even concurrently", arguments: Kind.allCases, files)
    func concurrent(_ kind: Kind, _ file: Data) async throws {
        let (decoder, request) = (kind.makeDecoder(), DecodingRequest(target: Self.targets[0]))
        let expected = try decoder.decode(file, request: request)
        try await withThrowingTaskGroup(of: DecodedImage.self) { group in
            for _ in 0..<8 { group.addTask { try decoder.decode(file, request: request) } }
            for try await image in group { #expect(image == expected) }
        }
    }

    @Test("data that is not an image, and half of a file, fail with their errors", arguments: Kind.allCases)
    func invalid(_ kind: Kind) {
        for data in [Data(), Data([1]), Data(count: 100), Data("<html>".utf8)] {
            #expect(throws: ImageDecodingError.unknownFormat) { try kind.makeDecoder().header(of: data) }
            #expect(throws: ImageDecodingError.unknownFormat) { try decode(data, kind) }
        }
        for file in Self.files {
            #expect(throws: ImageDecodingError.truncated(.fake)) { try decode(file.prefix(file.count / 2), kind) }
        }
    }

    private static let huge = PixelSize(width: .max, height: .max)

    @Test("an image above a limit fails", arguments: Kind.allCases, files)
    func limits(_ kind: Kind, _ file: Data) throws {
        let size = try kind.makeDecoder().header(of: file).size
        let (bytes, side) = (file.count, max(size.width, size.height))
        let exceeded: [(DecodingLimits, ImageDecodingError)] = [
            (.init(encodedByteLimit: bytes - 1), .limitExceeded(.encodedBytes, value: bytes, allowed: bytes - 1)),
            (.init(maxPixels: size.area - 1), .limitExceeded(.pixels, value: size.area, allowed: size.area - 1)),
            (.init(maxSide: side - 1), .limitExceeded(.side, value: side, allowed: side - 1)),
        ]
        for (limits, failure) in exceeded {
            #expect(throws: failure) { try decode(file, kind, limits: limits) }
        }
        for (target, limit) in [(nil, size.area * 4 - 1), (Self.huge, DecodingLimits.default.decodedByteLimit)] {
            let target = target.map { ImageTarget($0, mode: .fill, upscales: true) }
            let failure = #expect(throws: ImageDecodingError.self) {
                try decode(file, kind, DecodingRequest(target: target), limits: DecodingLimits(decodedByteLimit: limit))
            }
            guard case .limitExceeded(.decodedBytes, _, limit) = failure else {
                Issue.record("\(String(describing: failure)) for \(String(describing: target))")
                continue
            }
        }
    }

    @Test("a frame that does not exist fails", arguments: Kind.allCases, [-1, 2, .max])
    func frames(_ kind: Kind, _ frame: Int) {
        #expect(throws: ImageDecodingError.noSuchFrame(frame, frameCount: 2)) {
            try decode(Self.files[2], kind, DecodingRequest(frame: frame))
        }
    }

    @Test("decoding stops when it is cancelled, even between rows", arguments: Kind.allCases, [0, 1, 3])
    func cancellation(_ kind: Kind, _ allowedChecks: Int) {
        let cancellation = Cancellation(after: allowedChecks)
        #expect(throws: ImageDecodingError.cancelled) {
            try kind.makeDecoder().decode(Self.files[0], request: DecodingRequest()) { cancellation.isDue() }
        }
        #expect(cancellation.checkCount == allowedChecks + 1)
    }

    private func decode(
        _ data: Data, _ kind: Kind, _ request: DecodingRequest = DecodingRequest(), limits: DecodingLimits = .default
    ) throws -> DecodedImage {
        try kind.makeDecoder(limits).decode(data, request: request)
    }
}
