import Foundation
import ImageCore
import Synchronization
import Testing

@testable import ImageContractTesting

@Suite("Violations that HostileInputCheck finds")
struct BrokenDecoderTests {
    @Test("a correct decoder passes, and its work is counted")
    func sound() throws {
        let work = try HostileInputCheck(BrokenDecoder(nil)).work(on: Data([1]))
        // Two preferences, each in both orders.
        #expect(work.completeDecodes == 4 && work.failedDecodes == 0 && work.pixels == 4 * 6)
        let brief = try HostileInputCheck(BrokenDecoder(nil)).briefWork(on: Data([1]))
        #expect(brief.pixels == 6)
    }

    @Test("finds each defect", arguments: Defect.allCases)
    func finds(defect: Defect) {
        #expect(throws: ContractViolation.self) {
            try HostileInputCheck(BrokenDecoder(defect)).check(Data([1]))
        }
    }
}

/// A defect of `BrokenDecoder`.
enum Defect: CaseIterable {
    case extraRow, missingRow, longRow, invalidAlpha, varyingPixels, varyingHeader, varyingError, foreignError
    case emptyImage, tooManyPixels, tooManyFrames, missingDelays, smallSize, ignoresSinkError, acceptsAnyFrame
    case negativeMemory, largeThumbnail, differentImage, smallImage, lowImage, remembersDecodes
}

/// Decodes any data as a black image of 2 by 3 pixels.
private final class BrokenDecoder: ImageDecoder {
    private let defect: Defect?
    private let opened = Mutex(0)

    init(_ defect: Defect?) { self.defect = defect }

    var format: ImageFormat { ImageFormat(rawValue: "broken") }

    func recognizes(_ prefix: Data) -> Bool { true }

    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
        let count = opened.withLock { count in
            count += 1
            return count
        }
        if defect == .varyingError { throw .malformed(format, "attempt \(count)") }
        return BrokenImage(defect, number: count, limits: limits)
    }
}

private final class BrokenImage: OpenedImage {
    private(set) var header: ImageHeader
    private let defect: Defect?
    private let number: Int
    private var decodeCount = 0

    init(_ defect: Defect?, number: Int, limits: DecodingLimits) {
        (self.defect, self.number) = (defect, number)
        header = ImageHeader(format: ImageFormat(rawValue: "broken"), storedSize: PixelSize(width: 2, height: 3))
        switch defect {
        case .emptyImage: header.storedSize.height = 0
        case .tooManyPixels: header.storedSize = PixelSize(width: limits.maxPixels, height: 2)
        case .tooManyFrames: header.frameCount = limits.maxFrames + 1
        case .missingDelays: header.frameCount = 2
        case .varyingHeader: header.loopCount = number
        default: break
        }
    }

    var embeddedThumbnail: Data? { defect == .largeThumbnail ? Data(count: 2) : nil }

    func decodableSize(covering target: PixelSize) -> PixelSize {
        switch defect {
        case .smallSize: PixelSize(width: 1, height: 1)
        case .lowImage: PixelSize(width: 2, height: min(3, max(1, target.height)))
        default: header.storedSize
        }
    }

    func heldByteCount(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int {
        defect == .negativeMemory ? -1 : 0
    }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        if index != 0, defect != .acceptsAnyFrame { throw .noSuchFrame(index, frameCount: 1) }
        if defect == .foreignError { throw .malformed(.png, "not of this format") }
        if defect == .differentImage || defect == .smallImage {
            let byteCount = size.area * 4 - (defect == .smallImage ? 8 : 0)
            if try sink.receiveImage(byteCount: byteCount, write: { $0 = [UInt8](repeating: 255, count: byteCount) }) {
                return
            }
        }
        decodeCount += 1
        let rows = size.height + (defect == .extraRow ? 1 : defect == .missingRow ? -1 : 0)
        for _ in 0..<rows { try send(row(width: size.width), to: sink) }
    }

    private func row(width: Int) -> [UInt8] {
        let red = defect == .varyingPixels ? number : defect == .remembersDecodes ? decodeCount : 0
        let pixel: [UInt8] = [UInt8(red), 0, 0, defect == .invalidAlpha ? 254 : 255]
        return Array((0..<width).map { _ in pixel }.joined()) + (defect == .longRow ? [0] : [])
    }

    private func send(_ row: [UInt8], to sink: any PixelRowSink) throws(ImageDecodingError) {
        do throws(ImageDecodingError) {
            try sink.receive(row.span)
        } catch {
            if defect == .ignoresSinkError { try sink.receive(row.span) }
            throw error
        }
    }
}
