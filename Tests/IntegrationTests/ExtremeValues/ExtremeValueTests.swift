import Foundation
import ImageCore
import Testing

/// Numbers that a caller can set, at their least, their most, zero and not a number. A case fails by ending the process,
/// by never ending, or by an error that is not typed.
@Suite("Extreme values of options", .timeLimit(.minutes(10)))
struct ExtremeValueTests {
    @Test(
        "no number that a caller can set crashes or hangs",
        arguments: ExtremeCase.images + ExtremeCase.caches + ExtremeCase.loading + ExtremeCase.lists)
    func isSafe(_ extreme: ExtremeCase) async throws { try await extreme.check() }
}

/// The use of some options with each extreme value.
struct ExtremeCase: Sendable, CustomTestStringConvertible {
    let name: String
    let check: @Sendable () async throws -> Void

    init(_ name: String, _ check: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.check = check
    }

    var testDescription: String { name }

    static let ints: [Int] = [.min, .min + 1, -1, 0, 1, 2, .max - 1, .max]
    static let doubles: [Double] = [
        -.infinity, -.greatestFiniteMagnitude, -1, -0.0, 0, .leastNonzeroMagnitude, 0.5, 1, .greatestFiniteMagnitude,
        .infinity, .nan,
    ]
    static let durations: [Duration] = [
        Duration(attoseconds: .min), .seconds(Int64.min), .seconds(-1), .zero, Duration(attoseconds: 1), .seconds(1),
        .seconds(Int64.max), Duration(attoseconds: .max),
    ]

    /// Targets of all sizes. None enlarges an image beyond the limits of a decoder without an error.
    static let targets: [ImageTarget] = {
        let sides: [Int] = [1, 7, .max]
        return sides.flatMap { width in
            sides.flatMap { height in
                ImageTarget.Mode.allCases.flatMap { mode in
                    [false, true].map { upscales in
                        ImageTarget(PixelSize(width: width, height: height), mode: mode, upscales: upscales)
                    }
                }
            }
        }
    }()

    /// Returns an image with some structure and alpha.
    static func bitmap(_ width: Int, _ height: Int) -> Bitmap {
        let pixels = (0..<width * height).flatMap { index -> [UInt8] in
            [7, 1, 3, 50].map { UInt8(truncatingIfNeeded: index * $0) }
        }
        return Bitmap(size: PixelSize(width: width, height: height), pixels: pixels, isOpaque: false)
    }
}
