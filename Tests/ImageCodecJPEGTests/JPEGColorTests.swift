import Foundation
import ImageCodecJPEG
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

@Suite("JPEG colors")
struct JPEGColorTests {
    /// RGBA of luma 100, Cb 90 and Cr 170, by JFIF's equations.
    private static let orange: [UInt8] = [159, 83, 33, 255]

    private static let subsamplings = [(1, 1), (2, 1), (1, 2), (2, 2), (4, 1), (1, 4), (4, 2), (2, 4), (3, 1)]

    @Test("every subsampling decodes to the same color at every scale", arguments: subsamplings, [1, 2, 4, 8])
    func subsampling(luma: (Int, Int), denominator: Int) throws {
        let file = FlatJPEG(
            width: 37, height: 21,
            components: [.init(luma.0, luma.1, level: 100), .init(level: 90), .init(level: 170)])
        let size = PixelSize(
            width: (37 + denominator - 1) / denominator, height: (21 + denominator - 1) / denominator)
        let pixels = try jpeg.pixels(file.data, size: size)
        #expect(pixels.largestDifference(to: Array(repeatElement(Self.orange, count: size.area).joined())) <= 1)
    }

    @Test("at 1/8, 1/4 and 1/2, a block becomes 1, 4 and 16 pixels", arguments: [8, 4, 2])
    func blocks(denominator: Int) throws {
        let file = FlatJPEG(width: 32, height: 24, components: [.init { $0 * 40 + $1 * 30 }])
        let size = PixelSize(width: 32 / denominator, height: 24 / denominator)
        let pixels = try jpeg.pixels(file.data, size: size)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let level = UInt8(x * denominator / 8 * 40 + y * denominator / 8 * 30)
                #expect(
                    Array(pixels[(y * size.width + x) * 4..<(y * size.width + x) * 4 + 4]) == [
                        level, level, level, 255,
                    ])
            }
        }
    }

    @Test("gray is available as gray if there is a profile, and always as RGBA")
    func gray() throws {
        var file = FlatJPEG(width: 8, height: 8, components: [.init(level: 77)])
        #expect(try jpeg.header(of: file.data).nativeLayout == .rgba8)
        file.segments = [iccSegment([1, 2, 3])]
        #expect(try jpeg.header(of: file.data).nativeLayout == .gray8)
        #expect(try jpeg.pixels(file.data, layout: .gray8) == [UInt8](repeating: 77, count: 64))
        #expect(try jpeg.pixels(file.data).prefix(4) == [77, 77, 77, 255])
    }

    @Test("Adobe's marker can declare three channels as RGB")
    func adobeRGB() throws {
        let file = FlatJPEG(
            width: 8, height: 8, components: [.init(level: 10), .init(level: 200), .init(level: 90)],
            segments: [adobeSegment(transform: 0)])
        #expect(try jpeg.pixels(file.data).prefix(4) == [10, 200, 90, 255])
    }

    @Test("restart markers do not change pixels")
    func restarts() throws {
        let components: [FlatJPEG.Component] = [
            .init(2, 2) { $0 * 20 + $1 * 13 }, .init(level: 100), .init(level: 140),
        ]
        var file = FlatJPEG(width: 90, height: 70, components: components)
        let plain = try jpeg.pixels(file.data)
        for interval in [1, 2, 7] {
            file.restartInterval = interval
            #expect(try jpeg.pixels(file.data) == plain)
        }
    }

    @Test("two components are unsupported")
    func twoComponents() {
        let file = FlatJPEG(components: [.init(level: 10), .init(level: 20)])
        guard case .unsupported(.jpeg, _) = jpeg.failure(file.data) else {
            Issue.record("\(String(describing: jpeg.failure(file.data)))")
            return
        }
    }

    @Test("lossless, hierarchical and 12-bit files are unsupported", arguments: [(0xC3, 8), (0xC5, 8), (0xC1, 12)])
    func uncommonFrames(marker: UInt8, precision: UInt8) {
        let file = FlatJPEG(components: [.init(level: 10)], frameMarker: marker, precision: precision)
        guard case .unsupported(.jpeg, _) = jpeg.failure(file.data) else {
            Issue.record("\(String(describing: jpeg.failure(file.data)))")
            return
        }
    }

}

func adobeSegment(transform: UInt8) -> (marker: UInt8, bytes: [UInt8]) {
    (0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform])
}

/// Returns an APP2 segment with a chunk of a profile (ICC.1, annex B.4).
func iccSegment(_ bytes: [UInt8], number: UInt8 = 1, of count: UInt8 = 1) -> (marker: UInt8, bytes: [UInt8]) {
    (0xE2, Array("ICC_PROFILE".utf8) + [0, number, count] + bytes)
}
