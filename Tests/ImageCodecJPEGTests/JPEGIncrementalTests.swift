import Foundation
import ImageCodecJPEG
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

@Suite("Incremental JPEG decoding")
struct JPEGIncrementalTests {
    @Test(
        "the header is available with the header of the first scan, with orientation and profile", arguments: [1, 50])
    func header(length: Int) throws {
        let exif: [UInt8] =
            Array("Exif".utf8)
            + [0, 0, 0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0]
        let profile = [UInt8](repeating: 9, count: 300)
        let file = FlatJPEG(
            width: 24, height: 8, components: [.init(level: 50)],
            segments: [(0xE1, exif), iccSegment(profile, number: 1), (0xE5, (0..<250).flatMap { _ in [0xFF, 0xD8] })])
        let needed = try #require(scans(of: file.data).first).data.lowerBound
        let image = JPEGDecoder().makeIncrementalImage(limits: .default)
        for offset in stride(from: 0, to: needed, by: length) {
            #expect(image.header == nil)
            try image.append(file.data[offset..<min(needed, offset + length)])
        }
        #expect(try image.header == JPEGDecoder().open(file.data, limits: .default).header)
        #expect(image.header?.colorProfile == Data(profile))
        #expect(image.header?.orientation == .right)
        #expect(image.decodableSize(covering: PixelSize(width: 3, height: 1)) == PixelSize(width: 3, height: 1))
        #expect(image.extent == .nothing)
    }

    @Test(
        "an image has no rows before its first scan, and bytes after its end are ignored, also above the limit",
        arguments: [false, true])
    func beforeAndAfter(progressive: Bool) throws {
        let file = try landscapeFile(progressive: progressive)
        let header = try #require(scans(of: file).first).data.lowerBound
        let image = JPEGDecoder().makeIncrementalImage(limits: DecodingLimits(encodedByteLimit: file.count))
        try image.append(file.prefix(header))
        try image.start(size: landscapeSize(1), layout: .rgba8)
        #expect(image.extent == .nothing)
        try image.append(file.dropFirst(header))
        try image.append(Data(count: 9))
        #expect(image.extent.rows == 112)
    }

    @Test("an image with one scan gains rows, which do not change")
    func rowByRow() throws {
        let file = try landscapeFile(progressive: false)
        let whole = try rows(of: file).rows
        let image = try started(file)
        var heights: [Int] = []
        for offset in stride(from: 0, to: file.count, by: 500) {
            try image.append(file.dropFirst(offset).prefix(500))
            let shown = try preview(of: image)
            #expect(shown.elementsEqual(whole.prefix(shown.count)))
            #expect(image.extent == PreviewExtent(passes: shown.count == 112 ? 1 : 0, rows: shown.count))
            heights.append(shown.count)
        }
        #expect(heights.last == 112)
        #expect(Set(heights).count > 10)
    }

    @Test(
        "an image with several scans gains scans, and looks like the file truncated after the scan", arguments: [1, 2])
    func scanByScan(denominator: Int) throws {
        let file = try landscapeFile(quality: 0.6, progressive: true)
        let image = try started(file, denominator: denominator)
        let found = scans(of: file)
        var taken = 0
        for (index, scan) in found.enumerated() {
            // The two bytes of the next marker end the scan.
            let end = scan.data.upperBound + 2
            try image.append(file[taken..<end - 3])
            #expect(image.extent.passes == index)
            try image.append(file[end - 3..<end])
            taken = end
            #expect(image.extent == PreviewExtent(passes: index + 1, rows: 112 / denominator))
            let sofar = try rows(of: file.prefix(scan.data.upperBound), denominator: denominator)
            #expect(try preview(of: image) == sofar.rows)
        }
        #expect(try preview(of: image) == rows(of: file, denominator: denominator).rows)
    }

    @Test("a preview that ends early does not change the next one", arguments: [false, true])
    func stoppedPreview(progressive: Bool) throws {
        let file = try landscapeFile(progressive: progressive)
        let image = try started(file)
        try image.append(file)
        #expect(throws: ImageDecodingError.cancelled) {
            try image.decodePreview(into: CollectingRowSink(stopsAfter: 20))
        }
        #expect(try preview(of: image) == rows(of: file).rows)
    }

    @Test("scans that a small preview does not need are not read")
    func leavesOut() throws {
        let file = try landscapeFile(progressive: true)
        var damaged = file
        for index in [1, 2, 3, 4, 5, 7, 8, 9] { damaged.resetBytes(in: scans(of: file)[index].data) }
        let image = try started(damaged, denominator: 8)
        try image.append(damaged)
        #expect(image.extent == PreviewExtent(passes: 2, rows: 14))
        #expect(try preview(of: image) == rows(of: file, denominator: 8).rows)
    }

    @Test("arithmetic coding has previews; with one scan, once it is complete", arguments: [false, true])
    func arithmetic(progressive: Bool) throws {
        let file = arithmeticFile(progressive: progressive)
        let image = try started(file)
        for offset in stride(from: 0, to: file.count, by: 700) {
            try image.append(file.dropFirst(offset).prefix(700))
            if !progressive, offset + 700 < file.count { #expect(image.extent == .nothing) }
        }
        #expect(try preview(of: image) == rows(of: file).rows)
    }

    @Test("malformed data throws as soon as it arrives")
    func malformed() throws {
        let file = try landscapeFile(progressive: true)
        let image = try started(file)
        let second = scans(of: file)[1].start
        try image.append(file.prefix(second))
        #expect(image.extent.passes == 1)
        let nonsense = Data([0xFF, 0xC4, 0, 4, 0, 0])  // A Huffman table of two bytes.
        guard case .malformed(.jpeg, _) = failure(appending: nonsense, to: image) else {
            Issue.record("accepted")
            return
        }
    }

    @Test("the limits on bytes, side, memory and scans apply")
    func limits() throws {
        let file = try landscapeFile(progressive: true)
        func failure(_ limits: DecodingLimits) throws -> ImageDecodingError? {
            let image = JPEGDecoder().makeIncrementalImage(limits: limits)
            if let failure = self.failure(appending: file.prefix(1000), to: image) { return failure }
            do throws(ImageDecodingError) {
                try image.start(size: landscapeSize(1), layout: .rgba8)
            } catch {
                return error
            }
            return self.failure(appending: file.dropFirst(1000), to: image)
        }
        #expect(try failure(.default) == nil)
        let count = file.count
        #expect(
            try failure(DecodingLimits(encodedByteLimit: count - 1))
                == .limitExceeded(.encodedBytes, value: count, allowed: count - 1))
        #expect(try failure(DecodingLimits(maxSide: 159)) == .limitExceeded(.side, value: 160, allowed: 159))
        #expect(try failure(DecodingLimits(maxScans: 3)) == .limitExceeded(.scans, value: 4, allowed: 3))
        let held = 3 * 20 * 14 * 128 + 160 * 112 * 4
        #expect(
            try failure(DecodingLimits(decodedByteLimit: held - 1))
                == .limitExceeded(.decodedBytes, value: held, allowed: held - 1))
    }

    /// Returns an image that has been started with the header of `file`. Append the file from its first byte on.
    private func started(_ file: Data, denominator: Int = 1) throws -> any IncrementalImage {
        let image = StartingImage(JPEGDecoder().makeIncrementalImage(limits: .default), denominator: denominator)
        image.headerLength = try #require(scans(of: file).first).data.lowerBound
        try image.take(file)
        return image
    }

    private func preview(of image: any IncrementalImage) throws(ImageDecodingError) -> [[UInt8]] {
        let sink = CollectingRowSink()
        try image.decodePreview(into: sink)
        return sink.rows
    }

    private func failure(appending bytes: Data, to image: any IncrementalImage) -> ImageDecodingError? {
        do throws(ImageDecodingError) {
            try image.append(bytes)
            return nil
        } catch {
            return error
        }
    }
}

/// Appends the header of a file in advance, and ignores it when the file is appended from its first byte on.
private final class StartingImage: IncrementalImage {
    private let image: any IncrementalImage
    private let denominator: Int
    var headerLength = 0
    private var ignored = 0

    init(_ image: any IncrementalImage, denominator: Int) {
        self.image = image
        self.denominator = denominator
    }

    func take(_ file: Data) throws {
        try image.append(file.prefix(headerLength))
        try image.start(size: landscapeSize(denominator), layout: .rgba8)
        ignored = headerLength
    }

    var header: ImageHeader? { image.header }
    var extent: PreviewExtent { image.extent }
    func decodableSize(covering target: PixelSize) -> PixelSize { image.decodableSize(covering: target) }
    func heldByteCount(size: PixelSize, layout: PixelLayout) -> Int { image.heldByteCount(size: size, layout: layout) }
    func start(size: PixelSize, layout: PixelLayout) throws(ImageDecodingError) {
        try image.start(size: size, layout: layout)
    }
    func append(_ bytes: Data) throws(ImageDecodingError) {
        let known = min(ignored, bytes.count)
        ignored -= known
        try image.append(Data(bytes.dropFirst(known)))
    }
    func decodePreview(into sink: any PixelRowSink) throws(ImageDecodingError) { try image.decodePreview(into: sink) }
}
