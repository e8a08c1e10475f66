import Foundation
import ImageCodecJPEG
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

@Suite("Limits and damaged JPEG files")
struct JPEGLimitTests {
    @Test("more encoded bytes than allowed are rejected")
    func encodedBytes() throws {
        let data = try encoded()
        #expect(jpeg.failure(data, limits: DecodingLimits(encodedByteLimit: data.count)) == nil)
        #expect(
            jpeg.failure(data, limits: DecodingLimits(encodedByteLimit: data.count - 1))
                == .limitExceeded(.encodedBytes, value: data.count, allowed: data.count - 1))
    }

    @Test("a header with 65,500 by 65,500 pixels is rejected by open")
    func hugeHeader() {
        var file = FlatJPEG(components: [.init(level: 1)])
        let small = file.data
        (file.width, file.height) = (16, 16)
        var huge = small
        guard let frame = huge.range(of: Data([8, 0, 16, 0, 16, 1])) else {
            Issue.record("no frame header")
            return
        }
        huge.replaceSubrange(frame, with: [8, 0xFF, 0xDC, 0xFF, 0xDC, 1])
        #expect(throws: ImageDecodingError.limitExceeded(.pixels, value: 65_500 * 65_500, allowed: 500_000_000)) {
            try JPEGDecoder().open(huge, limits: .default)
        }
    }

    @Test("the coefficients and the output of a progressive image count as memory")
    func decodedBytes() throws {
        let data = try encoded(progressive: true)
        // 24x20 with 4:2:0: luma has 4x4 blocks, chroma 2x2 each, of 128 bytes.
        let coefficients = (16 + 4 + 4) * 128
        let output = 480 * 4
        #expect(jpeg.failure(data, limits: DecodingLimits(decodedByteLimit: coefficients + output)) == nil)
        #expect(
            jpeg.failure(data, limits: DecodingLimits(decodedByteLimit: coefficients + output - 1))
                == .limitExceeded(
                    .decodedBytes, value: coefficients + output, allowed: coefficients + output - 1))
        // At 1/8, luma needs one coefficient of two bytes per block.
        let least = 16 * 2 + (4 + 4) * 128
        #expect(throws: ImageDecodingError.limitExceeded(.decodedBytes, value: least, allowed: least - 1)) {
            try JPEGDecoder().open(data, limits: DecodingLimits(decodedByteLimit: least - 1))
        }
    }

    @Test("with one scan, the output doesn't count as memory, and with several scans, that of a part does")
    func partBytes() throws {
        let part = PixelArea(left: 5, top: 6, width: 7, height: 8)
        func decodePart(_ data: Data, _ limit: Int) throws {
            let image = try jpeg.open(data, limits: DecodingLimits(decodedByteLimit: limit))
            let sink = CollectingRowSink()
            try #require(image as? any PartDecodableImage).decode(part: part, layout: .rgba8, into: sink)
            #expect(sink.rows.count == 8)
        }
        #expect(try jpeg.failure(encoded(), limits: DecodingLimits(decodedByteLimit: 1)) == nil)
        try decodePart(encoded(), 1)
        let progressive = try encoded(progressive: true)
        let held = (16 + 4 + 4) * 128 + 7 * 8 * 4
        try decodePart(progressive, held)
        #expect(throws: ImageDecodingError.limitExceeded(.decodedBytes, value: held, allowed: held - 1)) {
            try decodePart(progressive, held - 1)
        }
    }

    @Test(
        "heldByteCount counts the coefficients of a progressive image, and only the rows of a baseline stream",
        arguments: [false, true])
    func heldByteCount(progressive: Bool) throws {
        let image = try JPEGDecoder().open(encoded(progressive: progressive), limits: .default)
        for (size, bytes) in [
            (PixelSize(width: 24, height: 20), (16 + 4 + 4) * 128),
            (PixelSize(width: 6, height: 5), (16 + 4 + 4) * 128),
            (PixelSize(width: 3, height: 3), 16 * 2 + (4 + 4) * 128),
        ] {
            #expect(image.heldByteCount(frame: 0, size: size, layout: .rgba8) == (progressive ? bytes : 0))
            let stream = JPEGDecoder().makeIncrementalImage(limits: .default)
            try stream.append(encoded(progressive: progressive))
            #expect(stream.heldByteCount(size: size, layout: .rgba8) == (progressive ? bytes : size.area * 4))
        }
    }

    @Test("more scans than allowed are rejected")
    func tooManyScans() throws {
        let data = try encoded(progressive: true)
        #expect(jpeg.failure(data, limits: DecodingLimits(maxScans: 10)) == nil)
        #expect(
            jpeg.failure(data, limits: DecodingLimits(maxScans: 9)) == .limitExceeded(.scans, value: 10, allowed: 9))
    }

    @Test("more scans than allowed that contradict each other are malformed")
    func contradictingScans() {
        var gray = FlatJPEG(components: [.init(level: 90)], frameMarker: 0xC2, scanCount: 101)
        #expect(jpeg.failure(gray.data) == .limitExceeded(.scans, value: 101, allowed: 100))
        gray.approximation = 0x10  // Each scan refines coefficients without an earlier scan.
        #expect(jpeg.failure(gray.data) == .malformed(.jpeg, "scans that contradict each other"))
    }

    @Test("a file truncated anywhere is an error, unless only its end marker is missing", arguments: [false, true])
    func truncation(progressive: Bool) throws {
        let data = try encoded(progressive: progressive)
        let whole = try jpeg.pixels(data)
        for count in 3..<data.count {
            let cut = data.prefix(count)
            if count >= data.count - 2 {
                #expect(try jpeg.pixels(cut) == whole)
            } else if let failure = jpeg.failure(cut) {
                #expect(failure == .truncated(.jpeg), "\(count) of \(data.count) bytes")
            } else {
                // The last bits of the last block may be in the remaining bytes.
                #expect(count >= data.count - 4, "\(count) of \(data.count) bytes decoded")
            }
        }
    }

    /// libjpeg completes such a header with bytes that the file doesn't have.
    @Test("a file that ends in its first scan header is truncated, as in a stream", arguments: [0xC0, 0xC2] as [UInt8])
    func truncatedScanHeader(frameMarker: UInt8) throws {
        var file = FlatJPEG(width: 64, height: 64, components: (0..<3).map { .init(level: 60 * $0) })
        file.frameMarker = frameMarker
        let scan = try #require(file.data.range(of: Data([0xFF, 0xDA])))
        // Names one of the three components, so that more scans have to follow.
        let several = file.data[..<scan.lowerBound] + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, frameMarker == 0xC0 ? 63 : 0, 0]
        for whole in [file.data.prefix(scan.lowerBound + 14), several] {
            #expect(throws: Never.self) { try JPEGDecoder().open(whole, limits: .default) }
            for count in scan.lowerBound..<whole.count {
                #expect(throws: ImageDecodingError.truncated(.jpeg), "\(count) of \(whole.count) bytes") {
                    try JPEGDecoder().open(whole.prefix(count), limits: .default)
                }
                let stream = JPEGDecoder().makeIncrementalImage(limits: .default)
                try stream.append(whole.prefix(count))
                #expect(stream.header == nil)
            }
        }
    }

    @Test(
        "the available rows of a truncated file with one scan are delivered unchanged", arguments: [0.6, 0.95])
    func truncatedRows(quality: Double) throws {
        let file = try landscapeFile(quality: quality, progressive: false)
        let whole = try rows(of: file).rows
        let data = try #require(scans(of: file).first).data
        var heights: [Int] = []
        for count in stride(from: data.lowerBound, to: data.upperBound - 100, by: 97) {
            let (shown, failure) = try rows(of: file.prefix(count))
            #expect(failure == .truncated(.jpeg))
            #expect(shown.elementsEqual(whole.prefix(shown.count)), "\(count) bytes")
            heights.append(shown.count)
        }
        #expect(heights == heights.sorted())
        #expect(heights.first == 0)
        #expect((heights.last ?? 0) > 80)
    }

    @Test("the available rows of a truncated first scan are delivered")
    func truncatedFirstScan() throws {
        let file = try landscapeFile(quality: 0.95, progressive: true)
        let data = try #require(scans(of: file).first).data
        let (none, failure) = try rows(of: file.prefix(data.lowerBound + 1))
        #expect(none.isEmpty)
        #expect(failure == .truncated(.jpeg))
        let (half, _) = try rows(of: file.prefix(data.lowerBound + data.count / 2))
        #expect((30..<80).contains(half.count))
        let (all, _) = try rows(of: file.prefix(scans(of: file)[1].data.lowerBound + 1))
        #expect(all.count == 112)
    }

    @Test("sides above libjpeg's limit are unsupported, not malformed", arguments: [65_501, 65_535])
    func longSides(side: Int) throws {
        let small = FlatJPEG(components: [.init(level: 1)]).data
        let frame = try #require(small.range(of: Data([8, 0, 16, 0, 16, 1])))
        var long = small
        long.replaceSubrange(frame, with: [8, 0, 1, UInt8(side >> 8), UInt8(side & 0xFF), 1])
        let expected = ImageDecodingError.unsupported(.jpeg, "Maximum supported image dimension is 65500 pixels")
        #expect(throws: expected) { try JPEGDecoder().open(long, limits: .default) }
        let image = JPEGDecoder().makeIncrementalImage(limits: .default)
        #expect(throws: expected) { try image.append(long) }
    }

    @Test("a sequential image without the scan of a component is truncated")
    func missingComponent() throws {
        let file = FlatJPEG(components: (0..<3).map { _ in .init(level: 128) }).data
        let start = try #require(file.range(of: Data([0xFF, 0xDA]))).lowerBound
        // Four blocks with 5 bits each, all 0.
        let scans = [1, 2, 3].map { Data([0xFF, 0xDA, 0, 8, 1, $0, 0, 0, 63, 0, 0, 0, 0x0F]) }
        #expect(jpeg.failure(file.prefix(start) + scans[0] + scans[1] + scans[2]) == nil)
        #expect(jpeg.failure(file.prefix(start) + scans[0] + scans[1]) == .truncated(.jpeg))
    }

    @Test("a truncation between two scans is an error")
    func truncationBetweenScans() throws {
        let data = try encoded(progressive: true)
        let scans = data.indices.dropLast().filter { data[$0] == 0xFF && data[$0 + 1] == 0xDA }
        #expect(scans.count == 10)
        for start in scans.dropFirst() { #expect(jpeg.failure(data.prefix(start)) == .truncated(.jpeg)) }
    }

    @Test("an early end marker is no error, and the pixels before it are decoded")
    func earlyEnd() throws {
        let file = FlatJPEG(width: 64, height: 64, components: [.init { 10 * $0 + 5 * $1 }])
        let whole = try jpeg.pixels(file.data)
        var damaged = file.data
        let middle = damaged.count - 40
        damaged.replaceSubrange(middle..<middle + 2, with: [0xFF, 0xD9])
        let pixels = try jpeg.pixels(damaged)
        #expect(pixels.count == whole.count)
        #expect(pixels != whole)
        #expect(pixels.prefix(64 * 4 * 8) == whole.prefix(64 * 4 * 8))
    }
}
