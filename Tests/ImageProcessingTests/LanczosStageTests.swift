import Foundation
import ImageCore
import Testing

@testable import ImageProcessing
@testable import ImageTesting

@Suite("LanczosStage")
struct LanczosStageTests {
    static let geometries = [
        Geometry((60, 40), to: (30, 20)),
        Geometry((61, 43), to: (30, 21)),
        Geometry((200, 150), to: (17, 13)),
        Geometry((9, 7), to: (31, 22)),
        Geometry((40, 40), to: (60, 10)),
        Geometry((1, 1), to: (5, 4)),
        Geometry((50, 3), to: (1, 1)),
        Geometry((60, 40), to: (20, 20), region: PixelRegion(x: 10.25, y: 0, width: 40, height: 39.5)),
        // Large reductions, which buffer sums instead of rows.
        Geometry((5, 700), to: (5, 40)),
        Geometry((7, 401), to: (3, 3)),
        Geometry((9, 1003), to: (2, 1)),
        Geometry((20, 500), to: (4, 6), region: PixelRegion(x: 3.5, y: 101.25, width: 12, height: 333)),
        Geometry((30, 30), to: (30, 30), region: PixelRegion(x: 0, y: 0, width: 29.5, height: 29.5)),
    ]

    @Test("an opaque image is within one level of the reference", arguments: geometries)
    func opaqueReference(_ geometry: Geometry) throws {
        let image = Self.image(geometry.input, isOpaque: true)
        let result = try Self.resample(image, geometry, isOpaque: true)
        #expect(TestImage.largestError(result, LanczosReference.resample(image, geometry)) <= 1)
    }

    @Test("an image with alpha is within one level of the reference", arguments: geometries)
    func alphaReference(_ geometry: Geometry) throws {
        let image = Self.image(geometry.input, isOpaque: false)
        let result = try Self.resample(image, geometry, isOpaque: false)
        #expect(TestImage.largestError(result, LanczosReference.resample(image, geometry)) <= 1)
    }

    @Test("in linear light, an image is within one level of the reference", arguments: geometries, [true, false])
    func linearReference(_ geometry: Geometry, isOpaque: Bool) throws {
        let image = Self.image(geometry.input, isOpaque: isOpaque)
        let result = try Self.resample(image, geometry, isOpaque: isOpaque, isLinear: true)
        let reference = LanczosReference.resample(image, geometry, curve: .sRGB)
        #expect(TestImage.largestError(result, reference) <= 1)
    }

    @Test("in linear light, a pattern of black and white becomes the gray of half its light, and values stay")
    func pattern() throws {
        let pixels = (0..<1600).flatMap { index -> [UInt8] in
            let level: UInt8 = (index + index / 40) % 2 == 0 ? 255 : 0
            return [level, level, level, 255]
        }
        let geometry = Geometry((40, 40), to: (10, 10), region: PixelRegion(x: 12, y: 12, width: 16, height: 16))
        for isOpaque in [true, false] {
            let linear = try Self.resample(pixels, geometry, isOpaque: isOpaque, isLinear: true)
            #expect(linear.enumerated().allSatisfy { abs(Int($1) - ($0 % 4 == 3 ? 255 : 188)) <= 2 })
            let plain = try Self.resample(pixels, geometry, isOpaque: isOpaque)
            #expect(plain.enumerated().allSatisfy { abs(Int($1) - ($0 % 4 == 3 ? 255 : 128)) <= 2 })
            let levels = (0..<256).flatMap { [UInt8]([UInt8($0), 0, UInt8($0), 255]) }
            #expect(
                try Self.resample(levels, Geometry((256, 1), to: (256, 1)), isOpaque: isOpaque, isLinear: true)
                    == levels)
        }
    }

    @Test("the color of transparent pixels has no effect")
    func noBleeding() throws {
        let pixels = (0..<1600).flatMap { index -> [UInt8] in index % 3 == 0 ? [255, 0, 0, 255] : [0, 255, 0, 0] }
        let result = try Self.resample(pixels, Geometry((40, 40), to: (11, 11)), isOpaque: false)
        for start in stride(from: 0, to: result.count, by: 4) where result[start + 3] > 0 {
            #expect(result[start] == 255 && result[start + 1] == 0)
        }
    }

    @Test("delivers an output row as soon as its input rows have arrived", arguments: [2, 5, 16])
    func streams(_ ratio: Int) throws {
        let input = PixelSize(width: 8, height: 64 * ratio)
        let sink = CollectingRowSink()
        let stage = LanczosStage(
            input: input, region: PixelRegion(input), output: PixelSize(width: 4, height: 64), isOpaque: true,
            next: sink)
        let row = [UInt8](repeating: 9, count: 32)
        for y in 0..<input.height {
            try stage.receive(row.span)
            // The center of output row n is at (n + 1/2) * ratio. Its filter extends 3 * ratio further, plus one row here.
            let due = Int(((Double(y) - 3 * Double(ratio)) / Double(ratio) + 0.5).rounded(.down))
            #expect(sink.rows.count >= min(64, due), "after \(y + 1) input rows")
        }
        #expect(sink.rows.count == 64)
    }

    @Test("all instruction sets give the same bytes", arguments: geometries)
    func sameOnAllProcessors(_ geometry: Geometry) throws {
        for isOpaque in [true, false] {
            let image = Self.image(geometry.input, isOpaque: isOpaque)
            let portable = CollectingRowSink()
            let stage = LanczosStage(
                input: geometry.input, region: geometry.region, output: geometry.output, isOpaque: isOpaque,
                next: portable, kernels: .portable)
            try Self.send(image, of: geometry.input, to: stage)
            #expect(try Self.resample(image, geometry, isOpaque: isOpaque) == portable.pixels)
        }
    }

    @Test("rethrows the error of the next stage and stops")
    func passesErrors() throws {
        let input = PixelSize(width: 4, height: 40)
        let sink = CollectingRowSink(stopsAfter: 3)
        let stage = LanczosStage(
            input: input, region: PixelRegion(input), output: PixelSize(width: 2, height: 20), isOpaque: true,
            next: sink)
        let row = [UInt8](repeating: 9, count: 16)
        #expect(throws: ImageDecodingError.cancelled) {
            for _ in 0..<40 { try stage.receive(row.span) }
        }
        #expect(sink.offeredCount == 4)
    }

    static func resample(
        _ pixels: [UInt8], _ geometry: Geometry, isOpaque: Bool, isLinear: Bool = false
    ) throws -> [UInt8] {
        let sink = CollectingRowSink()
        let stage = LanczosStage(
            input: geometry.input, region: geometry.region, output: geometry.output, isOpaque: isOpaque,
            isLinear: isLinear, next: sink)
        try send(pixels, of: geometry.input, to: stage)
        return sink.pixels
    }

    static func send(_ pixels: [UInt8], of size: PixelSize, to stage: any PixelRowSink) throws {
        for y in 0..<size.height {
            let row = Array(pixels[y * size.width * 4..<(y + 1) * size.width * 4])
            try stage.receive(row.span)
        }
    }

    /// Returns noise, so that each weight has an effect.
    static func image(_ size: PixelSize, isOpaque: Bool) -> [UInt8] {
        var state: UInt64 = 42
        return (0..<size.area * 4).map { index in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return isOpaque && index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: state >> 56)
        }
    }
}

/// The input, region and output of a resampling.
struct Geometry: CustomStringConvertible {
    var input: PixelSize
    var region: PixelRegion
    var output: PixelSize

    init(_ input: (Int, Int), to output: (Int, Int), region: PixelRegion? = nil) {
        self.input = PixelSize(width: input.0, height: input.1)
        self.output = PixelSize(width: output.0, height: output.1)
        self.region = region ?? PixelRegion(self.input)
    }

    var description: String { "\(input) to \(output) from \(region.x), \(region.y)" }
}

/// A straightforward three-lobed Lanczos filter: both axes at once, in double precision, on the whole image.
enum LanczosReference {
    /// - Parameter curve: That of the values.
    static func resample(
        _ pixels: [UInt8], _ geometry: Geometry, curve: TransferFunction = .gamma(1)
    ) -> [UInt8] {
        let (input, region, output) = (geometry.input, geometry.region, geometry.output)
        let columns = (0..<output.width).map {
            weights($0, start: region.x, step: region.width / Double(output.width), count: input.width)
        }
        let lines = (0..<output.height).map {
            weights($0, start: region.y, step: region.height / Double(output.height), count: input.height)
        }
        return lines.flatMap { line in
            columns.flatMap { column in pixel(pixels, width: input.width, line: line, column: column, curve) }
        }
    }

    private static func pixel(
        _ pixels: [UInt8], width: Int, line: [Double], column: [Double], _ curve: TransferFunction
    ) -> [UInt8] {
        var sums = [0.0, 0.0, 0.0, 0.0]
        for y in line.indices where line[y] != 0 {
            for x in column.indices where column[x] != 0 {
                let start = (y * width + x) * 4
                let alpha = line[y] * column[x] * Double(pixels[start + 3])
                for channel in 0..<3 { sums[channel] += alpha * curve.light(of: Double(pixels[start + channel]) / 255) }
                sums[3] += alpha
            }
        }
        guard sums[3] >= 0.5 else { return [0, 0, 0, 0] }
        let color = sums.prefix(3).map { curve.value(of: max(0, $0 / sums[3])) * 255 }
        return (color + [sums[3]]).map { UInt8(max(0, min(255, $0.rounded()))) }
    }

    private static func weights(_ index: Int, start: Double, step: Double, count: Int) -> [Double] {
        let stretch = max(1, step)
        let center = start + (Double(index) + 0.5) * step
        let values = (0..<count).map { sample in
            let x = (Double(sample) + 0.5 - center) / stretch * Double.pi
            if x == 0 { return 1.0 }
            return abs(x) >= 3 * Double.pi ? 0 : 3 * sin(x) * sin(x / 3) / (x * x)
        }
        let sum = values.reduce(0, +)
        return values.map { $0 / sum }
    }
}
