import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit
import Testing

@testable import GeneratedImages

/// PNG files whose colors are described by code points (ITU-T H.273) in a cICP chunk.
@Suite("PNG with code points")
struct CodePointTests {
    struct Sample: CustomTestStringConvertible {
        let primaries, transfer: UInt8
        /// The colors below in sRGB, as Chromium 156 shows them.
        let expected: [[UInt8]]

        var testDescription: String { "primaries \(primaries), transfer \(transfer)" }

        init(_ primaries: UInt8, _ transfer: UInt8, _ expected: [[UInt8]]) {
            (self.primaries, self.transfer, self.expected) = (primaries, transfer, expected)
        }
    }

    private static let colors: [[UInt8]] = [
        [64, 64, 64], [200, 200, 200], [128, 64, 32], [32, 128, 64], [200, 60, 120],
    ]

    static let samples = [
        Sample(1, 1, [[54, 54, 54], [197, 197, 197], [121, 54, 20], [20, 121, 54], [197, 49, 113]]),
        Sample(1, 4, [[62, 62, 62], [201, 201, 201], [129, 62, 26], [26, 129, 62], [201, 57, 121]]),
        Sample(1, 5, [[40, 40, 40], [189, 189, 189], [106, 40, 10], [10, 106, 40], [189, 36, 98]]),
        Sample(1, 6, [[54, 54, 54], [197, 197, 197], [121, 54, 20], [20, 121, 54], [197, 49, 113]]),
        Sample(1, 7, [[81, 81, 81], [206, 206, 206], [141, 81, 50], [50, 141, 81], [206, 77, 134]]),
        Sample(1, 8, [[137, 137, 137], [229, 229, 229], [188, 137, 99], [99, 188, 137], [229, 133, 183]]),
        Sample(1, 11, [[54, 54, 54], [197, 197, 197], [121, 54, 20], [20, 121, 54], [197, 49, 113]]),
        Sample(1, 13, [[64, 64, 64], [200, 200, 200], [128, 64, 32], [32, 128, 64], [200, 60, 120]]),
        Sample(1, 14, [[54, 54, 54], [197, 197, 197], [121, 54, 20], [20, 121, 54], [197, 49, 113]]),
        Sample(1, 15, [[54, 54, 54], [197, 197, 197], [121, 54, 20], [20, 121, 54], [197, 49, 113]]),
        Sample(1, 17, [[48, 48, 48], [200, 200, 200], [118, 48, 15], [15, 118, 48], [200, 44, 109]]),
        Sample(4, 13, [[64, 64, 64], [200, 200, 200], [149, 60, 21], [0, 126, 60], [234, 58, 119]]),
        Sample(5, 13, [[64, 64, 64], [200, 200, 200], [130, 64, 33], [17, 128, 65], [204, 60, 120]]),
        Sample(6, 13, [[64, 64, 64], [200, 200, 200], [125, 65, 31], [44, 126, 64], [195, 68, 120]]),
        Sample(7, 13, [[64, 64, 64], [200, 200, 200], [125, 65, 31], [44, 126, 64], [195, 68, 120]]),
        Sample(8, 13, [[64, 64, 64], [200, 200, 200], [143, 59, 22], [0, 131, 58], [226, 36, 120]]),
        Sample(9, 13, [[64, 64, 64], [200, 200, 200], [155, 49, 20], [0, 135, 53], [246, 0, 122]]),
        Sample(11, 13, [[64, 64, 64], [200, 200, 200], [135, 60, 22], [0, 130, 56], [212, 41, 121]]),
        Sample(12, 13, [[64, 64, 64], [200, 200, 200], [138, 59, 21], [0, 130, 56], [217, 42, 121]]),
        Sample(22, 13, [[64, 64, 64], [200, 200, 200], [129, 65, 31], [24, 125, 64], [202, 69, 120]]),
        Sample(9, 1, [[53, 54, 54], [197, 197, 197], [148, 35, 2], [0, 128, 40], [243, 0, 115]]),
        Sample(9, 14, [[53, 54, 54], [197, 197, 197], [148, 35, 2], [0, 128, 40], [243, 0, 115]]),
        Sample(9, 15, [[53, 54, 54], [197, 197, 197], [148, 35, 2], [0, 128, 40], [243, 0, 115]]),
        Sample(9, 17, [[48, 48, 48], [200, 200, 200], [145, 28, 0], [0, 125, 33], [248, 0, 111]]),
        Sample(12, 1, [[53, 54, 54], [197, 197, 197], [131, 48, 3], [0, 123, 43], [215, 24, 113]]),
        Sample(12, 8, [[137, 137, 137], [229, 229, 229], [197, 135, 93], [57, 190, 133], [244, 127, 185]]),
        Sample(6, 6, [[53, 54, 54], [197, 197, 197], [118, 55, 19], [34, 119, 53], [192, 58, 113]]),
        Sample(5, 5, [[40, 40, 40], [189, 189, 189], [108, 40, 11], [0, 106, 41], [192, 36, 97]]),
        Sample(4, 4, [[62, 62, 62], [201, 201, 201], [150, 57, 10], [0, 127, 57], [236, 55, 120]]),
        Sample(11, 17, [[48, 48, 48], [200, 200, 200], [125, 43, 0], [0, 121, 37], [213, 6, 110]]),
        Sample(22, 1, [[53, 54, 54], [197, 197, 197], [122, 55, 19], [7, 118, 53], [199, 60, 112]]),
    ]

    private func decoded(_ chunk: [UInt8]) throws -> [[UInt8]] {
        let row = [0] + Self.colors.joined()
        let file = RawPNG(width: Self.colors.count, scanlines: [row], before: [.init("cICP", chunk)])
        let image = try DownsamplingDecoder.standard().decode(file.data)
        return Self.colors.indices.map { Array(image.bitmap.pixels[4 * $0..<4 * $0 + 3]) }
    }

    @Test("colors are converted to sRGB as in browsers", arguments: samples)
    func conversion(sample: Sample) throws {
        let found = try decoded([sample.primaries, sample.transfer, 0, 1])
        for (color, expected) in zip(found, sample.expected) {
            let difference = zip(color, expected).map { abs(Int($0) - Int($1)) }.max() ?? 0
            #expect(difference <= 2, "\(color) instead of \(expected)")
        }
    }

    @Test("code points that browsers don't convert are ignored")
    func ignored() throws {
        let unknown: [[UInt8]] = [
            [0, 1, 0, 1], [2, 1, 0, 1], [3, 1, 0, 1], [13, 1, 0, 1], [255, 1, 0, 1], [9, 0, 0, 1], [9, 2, 0, 1],
            [9, 3, 0, 1], [9, 9, 0, 1], [9, 10, 0, 1], [9, 12, 0, 1], [9, 19, 0, 1],
            [9, 1, 0, 0], [9, 1, 1, 1],
        ]
        for chunk in unknown { #expect(try decoded(chunk) == Self.colors, "\(chunk)") }
    }
}
