import Foundation
import ImageCodecJPEG
import ImageCore
import Testing

@testable import GeneratedImages
@testable import ImageTesting

/// The encoder writes ten scans. 0: first bits of DC. 1 and 4: first bits of luma AC. 2 and 3: of chroma AC. 5: one
/// more bit of luma AC. 6: the last bit of DC. 7 and 8: the last bit of chroma AC. 9: of luma AC.
@Suite("Scans of progressive JPEG")
struct JPEGScanTests {
    @Test("at 1/8, the block means are exact although scans are skipped")
    func exactMeans() throws {
        let expected = try rows(of: landscapeFile(progressive: false), denominator: 8)
        #expect(try rows(of: landscapeFile(progressive: true), denominator: 8) == expected)
    }

    @Test("at 1/8, damage in skipped scans and after the last needed scan has no effect")
    func leavesOut() throws {
        let file = try landscapeFile(progressive: true)
        let expected = try rows(of: file, denominator: 8)
        var damaged = file
        for index in [1, 2, 3, 4, 5, 7, 8, 9] { damaged.resetBytes(in: scans(of: file)[index].data) }
        #expect(try rows(of: damaged, denominator: 8) == expected)
        #expect(try rows(of: damaged).rows != rows(of: file).rows)
        #expect(try rows(of: file.prefix(scans(of: file)[7].start), denominator: 8) == expected)
    }

    @Test("data after the last needed scan is not read")
    func stops() throws {
        let file = try landscapeFile(progressive: true)
        let end = scans(of: file)[6].data.upperBound
        let broken = file.prefix(end) + Data([0xFF, 0xC4, 0, 4, 0, 0]) + file.dropFirst(end)
        #expect(try rows(of: broken, denominator: 8) == rows(of: file, denominator: 8))
        guard case .malformed(.jpeg, _) = try rows(of: broken).failure else {
            Issue.record("a broken table was accepted")
            return
        }
    }

    @Test("a file without the last needed scan is truncated and decodes without it")
    func needed() throws {
        let file = try landscapeFile(progressive: true)
        let (shown, failure) = try rows(of: file.prefix(scans(of: file)[6].start), denominator: 8)
        #expect(failure == .truncated(.jpeg))
        #expect(shown.count == 14)
        #expect(signalToNoise(shown, try rows(of: file, denominator: 8).rows) > 40)
    }

    @Test("at full size, a file without its last scans is truncated", arguments: 1...9)
    func fullSizeNeedsAll(scan: Int) throws {
        let file = try landscapeFile(progressive: true)
        let (shown, failure) = try rows(of: file.prefix(scans(of: file)[scan].start))
        #expect(failure == .truncated(.jpeg))
        #expect(shown.count == 112)
    }

    @Test("at 1/8 with speed preferred, the first scan is sufficient")
    func speed() throws {
        let file = try landscapeFile(progressive: true)
        let first = file.prefix(scans(of: file)[1].start)
        let (shown, failure) = try rows(of: first, denominator: 8, preference: .speed)
        #expect(failure == nil)
        #expect(try rows(of: file, denominator: 8, preference: .speed).rows == shown)
        #expect(signalToNoise(shown, try rows(of: file, denominator: 8).rows) > 40)
        #expect(try rows(of: first, denominator: 8).failure == .truncated(.jpeg))
    }

    @Test("at 1/4 with speed preferred, two scans are sufficient, and refinements of skipped scans are not read")
    func speedAtQuarter() throws {
        let file = try landscapeFile(progressive: true)
        let (shown, failure) = try rows(
            of: file.prefix(scans(of: file)[2].start), denominator: 4, preference: .speed)
        #expect(failure == nil)
        #expect(try rows(of: file, denominator: 4, preference: .speed).rows == shown)
        #expect(signalToNoise(lumas(shown), lumas(try rows(of: file, denominator: 4).rows)) > 25)
        let onlyMeans = try rows(of: file.prefix(scans(of: file)[1].start), denominator: 4, preference: .speed)
        #expect(onlyMeans.failure == .truncated(.jpeg))
    }

    @Test("with speed preferred, progressive images are decoded at twice the size, baseline images are not")
    func sizeForSpeed() throws {
        let target = PixelSize(width: 20, height: 14)
        for (progressive, divisor) in [(true, 4), (false, 8)] {
            let image = try JPEGDecoder().open(landscapeFile(progressive: progressive), limits: .default)
            #expect(image.decodableSize(covering: target, preference: .speed) == landscapeSize(divisor))
            #expect(image.decodableSize(covering: target, preference: .quality) == landscapeSize(8))
            #expect(image.decodableSize(covering: landscapeSize(1), preference: .speed) == landscapeSize(1))
        }
    }

    @Test("with fine quantization, the last bits are skipped with little error", arguments: [2, 4])
    func fineSteps(denominator: Int) throws {
        let file = try landscapeFile(quality: 0.95, progressive: true)
        let (shown, failure) = try rows(of: file.prefix(scans(of: file)[9].start), denominator: denominator)
        #expect(failure == nil)
        #expect(try rows(of: file, denominator: denominator).rows == shown)
        let all = try rows(of: landscapeFile(quality: 0.95, progressive: false), denominator: denominator).rows
        #expect(shown != all)
        #expect(signalToNoise(shown, all) > 40)
    }

    @Test("with coarse quantization, every scan is read", arguments: [2, 4], [0.3, 0.6])
    func coarseSteps(denominator: Int, quality: Double) throws {
        let all = try rows(of: landscapeFile(quality: quality, progressive: false), denominator: denominator)
        #expect(all.failure == nil)
        let file = try landscapeFile(quality: quality, progressive: true)
        #expect(try rows(of: file, denominator: denominator) == all)
        #expect(
            try rows(of: file.prefix(scans(of: file)[9].start), denominator: denominator).failure == .truncated(.jpeg))
    }

    @Test("the limit on scans counts only scans that are read")
    func limit() throws {
        let file = try landscapeFile(progressive: true)
        let two = DecodingLimits(maxScans: 2)
        #expect(try rows(of: file, denominator: 8, limits: two).failure == nil)
        #expect(
            try rows(of: file, denominator: 8, limits: DecodingLimits(maxScans: 1)).failure
                == .limitExceeded(.scans, value: 2, allowed: 1))
        #expect(try rows(of: file, limits: two).failure == .limitExceeded(.scans, value: 3, allowed: 2))
    }

    @Test("cancellation is checked while scans are read, before the first row")
    func cancellation() throws {
        let image = try JPEGDecoder().open(landscapeFile(progressive: true), limits: .default)
        let patient = CancellingSink()
        try image.decode(frame: 0, size: landscapeSize(1), layout: .rgba8, into: patient)
        #expect(patient.checks >= 10)
        #expect(patient.rows == 112)
        let impatient = CancellingSink(atCheck: 4)
        #expect(throws: ImageDecodingError.cancelled) {
            try image.decode(frame: 0, size: landscapeSize(1), layout: .rgba8, into: impatient)
        }
        #expect(impatient.checks == 4)
        #expect(impatient.rows == 0)
        let baseline = try JPEGDecoder().open(landscapeFile(progressive: false), limits: .default)
        let sink = CancellingSink(atCheck: 3, receivesImages: true)
        #expect(throws: ImageDecodingError.cancelled) {
            try baseline.decode(frame: 0, size: landscapeSize(1), layout: .rgba8, into: sink)
        }
    }

    @Test("a scan that refines skipped coefficients is not read")
    func refinesSkipped() throws {
        // Four blocks whose coefficients are 0. 1 to 5 are needed to their second bit, and the others are not.
        let flat = FlatJPEG(components: [.init(level: 90)], frameMarker: 0xC2)
        func scan(_ first: UInt8, _ last: UInt8, _ bits: UInt8) -> Data {
            Data([0xFF, 0xDA, 0, 8, 1, 1, 0, first, last, bits, 0x0F])
        }
        let scans = scan(1, 5, 0x03) + scan(6, 63, 0x03) + scan(1, 63, 0x32)
        let file = flat.data.dropLast(2) + scans + flat.data.suffix(2)
        func failure(_ scans: Int, side: Int) -> ImageDecodingError? {
            jpeg.rows(
                file, size: PixelSize(width: side, height: side), preference: .speed, limits: .init(maxScans: scans)
            ).failure
        }
        #expect(failure(2, side: 4) == nil)
        #expect(failure(1, side: 4) == .limitExceeded(.scans, value: 2, allowed: 1))
        #expect(failure(4, side: 16) == nil)
        #expect(failure(3, side: 16) == .limitExceeded(.scans, value: 4, allowed: 3))
    }

    /// Markers without a length, comments, one of them with too small a length, and bytes that belong to no marker.
    static let betweenScans: [[UInt8]] = [
        [0xFF, 0x01], [0xFF, 0xD0], [0xFF, 0xFE, 0, 5, 1, 2, 3], [0xFF, 0xFE, 0, 0], [0xFF, 0xFE, 0, 2, 1, 2, 3],
        [0xFF, 0xFE, 0, 2, 0xFF, 0, 0xFF, 0xFF],
    ]

    @Test("markers and other bytes between scans are skipped", arguments: betweenScans)
    func skipped(bytes: [UInt8]) throws {
        let file = try landscapeFile(progressive: true)
        let end = scans(of: file)[0].data.upperBound
        #expect(try rows(of: file.prefix(end) + Data(bytes) + file.dropFirst(end)) == rows(of: file))
    }

    @Test("the blocks of the first scan are smoothed at full size")
    func smoothing() throws {
        let file = try landscapeFile(progressive: true)
        let shown = try rows(of: file.prefix(scans(of: file)[1].start)).rows
        // The first scan has one level for each block.
        #expect(Set(stride(from: 0, to: 32, by: 4).map { shown[0][$0] }).count > 1)
    }

    @Test("a quantization table that is longer than its segment is malformed")
    func wrongLength() throws {
        let file = try landscapeFile(progressive: true)
        let end = scans(of: file)[0].data.upperBound
        let broken = file.prefix(end) + Data([0xFF, 0xDB, 0, 3, 0]) + file.dropFirst(end)
        #expect(try rows(of: broken).failure == .malformed(.jpeg, "a marker segment has a wrong length"))
    }

    @Test("a marker segment between scans whose length is wrong is malformed", arguments: [0xC4, 0xDB] as [UInt8])
    func brokenSegment(marker: UInt8) throws {
        let file = try landscapeFile(progressive: true)
        let end = scans(of: file)[0].data.upperBound
        // A table with one byte.
        let broken = file.prefix(end) + Data([0xFF, marker, 0, 3, 0]) + file.dropFirst(end)
        guard case .malformed(.jpeg, _) = try rows(of: broken).failure else {
            Issue.record("a broken table was accepted")
            return
        }
    }

    @Test("arithmetic coding decodes to the same pixels", arguments: [false, true], [1, 2, 8])
    func arithmetic(progressive: Bool, denominator: Int) throws {
        let file = arithmeticFile(progressive: progressive)
        #expect(file.range(of: Data([0xFF, progressive ? 0xCA : 0xC9])) != nil)
        let expected = try rows(
            of: landscapeFile(quality: 0.95, progressive: progressive), denominator: denominator)
        #expect(try rows(of: file, denominator: denominator) == expected)
        #expect(try rows(of: file.prefix(file.count / 2)).failure == .truncated(.jpeg))
    }
}
