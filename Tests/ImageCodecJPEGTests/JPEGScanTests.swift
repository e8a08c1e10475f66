import Foundation
import ImageCodecJPEG
import ImageCore
import ImageTesting
import Testing

/// The encoder writes ten scans: 0 first bits of DC; 1 and 4 first bits of luma; 2 and 3 of chroma; 5 a bit more of luma;
/// 6 the last bit of DC; 7 and 8 of chroma; 9 of luma.
@Suite("Which scans of a progressive JPEG are read")
struct JPEGScanTests {
    @Test("at 1/8 the means of the blocks are exact, whatever is left out")
    func exactMeans() throws {
        let expected = try rows(of: landscapeFile(progressive: false), denominator: 8)
        #expect(try rows(of: landscapeFile(progressive: true), denominator: 8) == expected)
    }

    @Test("at 1/8 what the scans of other coefficients hold does not matter, and what follows the last that is needed")
    func leavesOut() throws {
        let file = try landscapeFile(progressive: true)
        let expected = try rows(of: file, denominator: 8)
        var damaged = file
        for index in [1, 2, 3, 4, 5, 7, 8, 9] { damaged.resetBytes(in: scans(of: file)[index].data) }
        #expect(try rows(of: damaged, denominator: 8) == expected)
        #expect(try rows(of: damaged).rows != rows(of: file).rows)
        #expect(try rows(of: file.prefix(scans(of: file)[7].start), denominator: 8) == expected)
    }

    @Test("what follows the last scan that is needed is not looked at")
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

    @Test("a file cut before the last scan that its size needs is truncated, and shown without it")
    func needed() throws {
        let file = try landscapeFile(progressive: true)
        let (shown, failure) = try rows(of: file.prefix(scans(of: file)[6].start), denominator: 8)
        #expect(failure == .truncated(.jpeg))
        #expect(shown.count == 14)
        #expect(signalToNoise(shown, try rows(of: file, denominator: 8).rows) > 40)
    }

    @Test("a file cut before its end is truncated at full size, however small a part is missing", arguments: 1...9)
    func fullSizeNeedsAll(scan: Int) throws {
        let file = try landscapeFile(progressive: true)
        let (shown, failure) = try rows(of: file.prefix(scans(of: file)[scan].start))
        #expect(failure == .truncated(.jpeg))
        #expect(shown.count == 112)
    }

    @Test("for speed at 1/8 the first scan is enough")
    func speed() throws {
        let file = try landscapeFile(progressive: true)
        let first = file.prefix(scans(of: file)[1].start)
        let (shown, failure) = try rows(of: first, denominator: 8, preference: .speed)
        #expect(failure == nil)
        #expect(try rows(of: file, denominator: 8, preference: .speed).rows == shown)
        #expect(signalToNoise(shown, try rows(of: file, denominator: 8).rows) > 40)
        #expect(try rows(of: first, denominator: 8).failure == .truncated(.jpeg))
    }

    @Test("for speed at 1/4 the first two scans are enough, and one that refines what was left out is not read")
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

    @Test("for speed a progressive image is decoded at twice the size that is wanted, others are not")
    func sizeForSpeed() throws {
        let target = PixelSize(width: 20, height: 14)
        for (progressive, divisor) in [(true, 4), (false, 8)] {
            let image = try JPEGDecoder().open(landscapeFile(progressive: progressive), limits: .default)
            #expect(image.decodableSize(covering: target, preference: .speed) == landscapeSize(divisor))
            #expect(image.decodableSize(covering: target, preference: .quality) == landscapeSize(8))
            #expect(image.decodableSize(covering: landscapeSize(1), preference: .speed) == landscapeSize(1))
        }
    }

    @Test("where steps are fine, the last bits are left out and hardly missed", arguments: [2, 4])
    func fineSteps(denominator: Int) throws {
        let file = try landscapeFile(quality: 0.95, progressive: true)
        let (shown, failure) = try rows(of: file.prefix(scans(of: file)[9].start), denominator: denominator)
        #expect(failure == nil)
        #expect(try rows(of: file, denominator: denominator).rows == shown)
        let all = try rows(of: landscapeFile(quality: 0.95, progressive: false), denominator: denominator).rows
        #expect(shown != all)
        #expect(signalToNoise(shown, all) > 40)
    }

    @Test("where steps are coarse, every scan counts", arguments: [2, 4], [0.3, 0.6])
    func coarseSteps(denominator: Int, quality: Double) throws {
        let all = try rows(of: landscapeFile(quality: quality, progressive: false), denominator: denominator)
        #expect(all.failure == nil)
        let file = try landscapeFile(quality: quality, progressive: true)
        #expect(try rows(of: file, denominator: denominator) == all)
        #expect(
            try rows(of: file.prefix(scans(of: file)[9].start), denominator: denominator).failure == .truncated(.jpeg))
    }

    @Test("the limit on scans counts those that are read")
    func limit() throws {
        let file = try landscapeFile(progressive: true)
        let two = DecodingLimits(scans: 2)
        #expect(try rows(of: file, denominator: 8, limits: two).failure == nil)
        #expect(
            try rows(of: file, denominator: 8, limits: DecodingLimits(scans: 1)).failure
                == .limitExceeded(.scans, value: 2, allowed: 1))
        #expect(try rows(of: file, limits: two).failure == .limitExceeded(.scans, value: 3, allowed: 2))
    }

    @Test("between parts of scans the sink is asked whether it wants more, long before the first row")
    func cancellation() throws {
        let image = try JPEGDecoder().open(landscapeFile(progressive: true), limits: .default)
        let patient = CancellingSink(after: .max)
        try image.decode(frame: 0, size: landscapeSize(1), layout: .rgba8, into: patient)
        #expect(patient.checks >= 10)
        #expect(patient.rows == 112)
        let impatient = CancellingSink(after: 3)
        #expect(throws: DecodingFailure.cancelled) {
            try image.decode(frame: 0, size: landscapeSize(1), layout: .rgba8, into: impatient)
        }
        #expect(impatient.checks == 4)
        #expect(impatient.rows == 0)
    }

    @Test("a marker segment between scans whose length is wrong is malformed", arguments: [0xC4, 0xDB] as [UInt8])
    func brokenSegment(marker: UInt8) throws {
        let file = try landscapeFile(progressive: true)
        let end = scans(of: file)[0].data.upperBound
        // A table of which there is one byte.
        let broken = file.prefix(end) + Data([0xFF, marker, 0, 3, 0]) + file.dropFirst(end)
        guard case .malformed(.jpeg, _) = try rows(of: broken).failure else {
            Issue.record("a broken table was accepted")
            return
        }
    }

    @Test("arithmetic coding holds the same pixels", arguments: [false, true], [1, 2, 8])
    func arithmetic(progressive: Bool, denominator: Int) throws {
        let file = arithmeticFile(progressive: progressive)
        #expect(file.range(of: Data([0xFF, progressive ? 0xCA : 0xC9])) != nil)
        let expected = try rows(
            of: landscapeFile(quality: 0.95, progressive: progressive), denominator: denominator)
        #expect(try rows(of: file, denominator: denominator) == expected)
        #expect(try rows(of: file.prefix(file.count / 2)).failure == .truncated(.jpeg))
    }
}

/// Counts rows, and throws once it was asked often enough.
private final class CancellingSink: PixelRowSink {
    private let limit: Int
    private(set) var checks = 0
    private(set) var rows = 0

    init(after limit: Int) { self.limit = limit }

    func receive(_ row: Span<UInt8>) throws(DecodingFailure) { rows += 1 }

    func checkCancellation() throws(DecodingFailure) {
        checks += 1
        if checks > limit { throw .cancelled }
    }
}
