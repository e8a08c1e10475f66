package import ImageCore

extension EmbeddedGainMap {
    /// Returns an image with the gains of this map. Nil if what says how they are applied is missing or unknown.
    ///
    /// - Parameters:
    ///   - image: The image in the primaries of its file.
    ///   - map: The pixels of this map for the same part of the scene. In another size, they are interpolated.
    ///   - range: That of the display.
    ///   - isCancelled: Called between rows.
    /// - Throws: `.cancelled`.
    package func hdr(
        of image: Bitmap, by map: Bitmap, for range: DynamicRange, isCancelled: () -> Bool
    ) throws(ImageDecodingError) -> HDRPixels? {
        guard let formula = GainMapFormula.read(from: description), isGray || formula.usesBasePrimaries else {
            return nil
        }
        let stage = GainStage(formula, range, image.colorSpace)
        let columns = Interpolation(from: map.size.width, to: image.size.width)
        let rows = Interpolation(from: map.size.height, to: image.size.height)
        let (pixels, values) = (image.pixels, map.pixels)
        var samples = [UInt16](repeating: 0, count: pixels.count)
        for y in 0..<image.size.height {
            if isCancelled() { throw .cancelled }
            let row = rows[y]
            for x in 0..<image.size.width {
                let column = columns[x]
                func value(inRow y: Int) -> SIMD3<Float> {
                    func value(_ x: Int) -> SIMD3<Float> {
                        let start = 4 * (y * map.size.width + x)
                        return SIMD3(Float(values[start]), Float(values[start + 1]), Float(values[start + 2]))
                    }
                    return value(column.first) * (1 - column.part) + value(column.second) * column.part
                }
                let value = value(inRow: row.first) * (1 - row.part) + value(inRow: row.second) * row.part
                stage.apply(value, to: pixels, at: 4 * (y * image.size.width + x), &samples)
            }
        }
        return HDRPixels(samples: samples, headroom: formula.headroom(for: range))
    }
}

/// The positions of pixels between those of an image in another size.
private struct Interpolation {
    private let positions: [(first: Int, second: Int, part: Float)]

    init(from count: Int, to length: Int) {
        let scale = Double(count) / Double(length)
        positions = (0..<length).map { index in
            let position = min(max((Double(index) + 0.5) * scale - 0.5, 0), Double(count - 1))
            return (Int(position), min(Int(position) + 1, count - 1), Float(position - position.rounded(.down)))
        }
    }

    subscript(index: Int) -> (first: Int, second: Int, part: Float) { positions[index] }
}

/// Makes samples of PQ in Display P3 of pixels and their gains.
private struct GainStage {
    private let light: [Float]
    private let factors: [[Float]]
    private let baseOffset, hdrOffset: SIMD3<Float>
    private let matrix: LightMatrix
    private let samples = PQSamples.table

    init(_ formula: GainMapFormula, _ range: DynamicRange, _ space: ColorSpace) {
        light = (0...255).map { Float(space.transfer.light(of: Double($0) / 255)) }
        factors = (0..<3).map { formula.factors(of: $0, for: range) }
        func offsets(_ offset: KeyPath<GainMapFormula.Channel, Double>) -> SIMD3<Float> {
            SIMD3<Float>(SIMD3(formula[0][keyPath: offset], formula[1][keyPath: offset], formula[2][keyPath: offset]))
        }
        baseOffset = offsets(\.baseOffset)
        hdrOffset = offsets(\.hdrOffset)
        matrix = LightMatrix(space.primaries.matrix(to: .displayP3))
    }

    /// - Parameter value: That of the map, from 0 to 255.
    @inline(__always)
    func apply(_ value: SIMD3<Float>, to pixels: [UInt8], at index: Int, _ result: inout [UInt16]) {
        var factor = SIMD3<Float>()
        for channel in 0..<3 {
            let (table, position) = (factors[channel], Int(value[channel]))
            let next = table[min(position + 1, 255)]
            factor[channel] = table[position] + (next - table[position]) * (value[channel] - Float(position))
        }
        let base = SIMD3(light[Int(pixels[index])], light[Int(pixels[index + 1])], light[Int(pixels[index + 2])])
        let color = matrix * ((base + baseOffset) * factor - hdrOffset)
        for channel in 0..<3 { result[index + channel] = samples[PQSamples.index(of: color[channel])] }
        result[index + 3] = UInt16(pixels[index + 3]) * 257
    }
}

/// The 16-bit samples of PQ for light, in which 1 is white.
private enum PQSamples {
    /// The bits of a number that are left out: steps are 1/2,048 of the light.
    private static let shift = 12
    private static let least = Float(sign: .plus, exponent: -24, significand: 1)
    private static let most = Float(10_000 / HDRPixels.white)
    private static let first = Int(least.bitPattern >> shift)

    static let table = (first...Int(most.bitPattern >> shift)).map { step in
        let middle = Float(bitPattern: UInt32(step << shift | 1 << (shift - 1)))
        let luminance = step == first ? 0 : Double(min(middle, most)) * HDRPixels.white
        return UInt16((65_535 * TransferFunction.pq.value(of: luminance / 10_000)).rounded())
    }

    @inline(__always)
    static func index(of light: Float) -> Int {
        Int(min(max(light, least), most).bitPattern >> shift) - first
    }
}
