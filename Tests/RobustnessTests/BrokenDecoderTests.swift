import Foundation
import ImageContractTesting
import ImageCore
import Synchronization
import Testing

@Suite("What an check on any bytes finds")
struct BrokenDecoderTests {
    @Test("a decoder that keeps its promises passes, and its work is counted")
    func sound() throws {
        let work = try HostileInputCheck(OddDecoder(nil)).examine(Data([1]))
        // Two preferences, in one order and in the other.
        #expect(work.completeDecodes == 4 && work.failedDecodes == 0 && work.pixels == 4 * 6)
        let brief = try HostileInputCheck(OddDecoder(nil)).examineBriefly(Data([1]))
        #expect(brief.pixels == 6)
    }

    @Test("each broken promise is found", arguments: Oddity.allCases)
    func broken(oddity: Oddity) {
        #expect(throws: ContractViolation.self) {
            try HostileInputCheck(OddDecoder(oddity)).examine(Data([1]))
        }
    }
}

/// A promise that `OddDecoder` breaks.
enum Oddity: CaseIterable {
    case rowTooMany, rowTooFew, longRow, alpha, otherPixels, otherHeader, otherError, foreignError, emptyImage
    case manyPixels, tooManyFrames, missingDelays, smallSize, goesOn, anyFrame, holdsLess, largeThumbnail
}

/// Opens anything as a black image of two by three pixels.
private final class OddDecoder: ImageDecoder {
    private let oddity: Oddity?
    private let opened = Mutex(0)

    init(_ oddity: Oddity?) { self.oddity = oddity }

    var format: ImageFormat { ImageFormat(rawValue: "odd") }

    func recognises(_ prefix: Data) -> Bool { true }

    func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage {
        let count = opened.withLock { count in
            count += 1
            return count
        }
        if oddity == .otherError { throw .malformed(format, "the \(count). time") }
        return OddImage(oddity, number: count, limits: limits)
    }
}

private final class OddImage: OpenedImage {
    private(set) var header: ImageHeader
    private let oddity: Oddity?
    private let number: Int

    init(_ oddity: Oddity?, number: Int, limits: DecodingLimits) {
        (self.oddity, self.number) = (oddity, number)
        header = ImageHeader(format: ImageFormat(rawValue: "odd"), storedSize: PixelSize(width: 2, height: 3))
        switch oddity {
        case .emptyImage: header.storedSize.height = 0
        case .manyPixels: header.storedSize = PixelSize(width: limits.pixels, height: 2)
        case .tooManyFrames: header.frameCount = limits.frames + 1
        case .missingDelays: header.frameCount = 2
        case .otherHeader: header.loopCount = number
        default: break
        }
    }

    var embeddedThumbnail: Data? { oddity == .largeThumbnail ? Data(count: 2) : nil }

    func decodableSize(covering target: PixelSize) -> PixelSize {
        oddity == .smallSize ? PixelSize(width: 1, height: 1) : header.storedSize
    }

    func heldBytes(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int { oddity == .holdsLess ? -1 : 0 }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(DecodingFailure) {
        if index != 0, oddity != .anyFrame { throw .noSuchFrame(index, frameCount: 1) }
        if oddity == .foreignError { throw .malformed(.png, "not of this format") }
        let rows = size.height + (oddity == .rowTooMany ? 1 : oddity == .rowTooFew ? -1 : 0)
        for _ in 0..<rows { try hand(row(width: size.width), to: sink) }
    }

    private func row(width: Int) -> [UInt8] {
        let pixel: [UInt8] = [oddity == .otherPixels ? UInt8(number) : 0, 0, 0, oddity == .alpha ? 254 : 255]
        return Array((0..<width).map { _ in pixel }.joined()) + (oddity == .longRow ? [0] : [])
    }

    private func hand(_ row: [UInt8], to sink: any PixelRowSink) throws(DecodingFailure) {
        do throws(DecodingFailure) {
            try sink.receive(row.span)
        } catch {
            if oddity == .goesOn { try sink.receive(row.span) }
            throw error
        }
    }
}
