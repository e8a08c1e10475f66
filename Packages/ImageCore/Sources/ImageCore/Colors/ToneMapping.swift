/// Converts HDR to a color space of standard dynamic range, whose white is 203 cd/m² (ITU-R BT.2408-7, 2.2).
///
/// - PQ is the light of a display. HLG is that of a scene, from which the OOTF of ITU-R BT.2100-2, table 5, makes that of a
///   display with the nominal peak of 1,000 cd/m².
/// - `ToneCurve` maps the brightest channel, and all channels are scaled by the same factor, which keeps the hue (maxRGB;
///   ITU-R BT.2408-7, annex 5).
///
/// Samples have up to 16 bits, light is in floating point, and only results are rounded. There is no dithering: 8 bits
/// of a gradient are all levels in order.
struct ToneMapping: PixelConversion {
    /// White, and the peak of a display for HDR if the file doesn't say it, in cd/m².
    private static let (white, nominalPeak) = (203.0, 1000.0)

    /// The light of each 16-bit sample of PQ, in which 1 is white.
    private static let pqLight = (0..<65_536).map { sample in
        Float(TransferFunction.pq.light(of: Double(sample) / 65_535) * (ToneCurve.maximum / white))
    }
    /// The light of each 16-bit sample of HLG, in which 1 is the brightest light of the scene.
    private static let hlgLight = (0..<65_536).map { sample in
        Float(TransferFunction.hlg.light(of: Double(sample) / 65_535))
    }

    private let light: [Float]
    /// The weights of luminance, by which HLG's light of a scene becomes that of a display; nil for PQ.
    private let luminance: SIMD3<Float>?
    private let sceneFactors: FactorTable
    private let toneFactors: FactorTable
    private let matrix: LightMatrix
    private let levels: [UInt8]
    private let isDeep: Bool

    /// Returns nil for layouts other than RGBA, and for primaries without an area.
    init?(from source: SourceColor, layout: PixelLayout, to space: ColorSpace) {
        matrix = LightMatrix(source.primaries.matrix(to: space.primaries))
        guard layout == .rgba8 || layout == .rgba16, matrix.isFinite else { return nil }
        isDeep = layout == .rgba16
        levels = space.levels
        let (isHLG, white) = (source.transfer == .hlg, Self.white)
        light = isHLG ? Self.hlgLight : Self.pqLight
        let weights = source.primaries.xyz.columns
        luminance = isHLG ? SIMD3(Float(weights[0].y), Float(weights[1].y), Float(weights[2].y)) : nil
        sceneFactors = FactorTable(through: 1) { TransferFunction.gamma(0.2).light(of: $0) * Self.nominalPeak / white }
        let curve = ToneCurve(from: isHLG ? Self.nominalPeak : source.peakLuminance ?? Self.nominalPeak, to: white)
        toneFactors = FactorTable(through: ToneCurve.maximum / white) { curve.luminance(of: $0 * white) / ($0 * white) }
    }

    func apply(_ pixels: Span<UInt8>, into target: inout MutableSpan<UInt8>) {
        let bytes = isDeep ? 2 : 1
        for index in stride(from: 0, to: pixels.count / bytes, by: 4) {
            var color = SIMD3(
                light[sample(index, of: pixels)], light[sample(index + 1, of: pixels)],
                light[sample(index + 2, of: pixels)])
            if let luminance { color *= sceneFactors[(color * luminance).sum()] }
            color *= toneFactors[color.max()]
            levels.store(matrix * color, in: &target, at: index)
            target[index + 3] = UInt8((sample(index + 3, of: pixels) * 255 + 32_895) >> 16)
        }
    }

    @inline(__always)
    private func sample(_ index: Int, of pixels: Span<UInt8>) -> Int {
        guard isDeep else { return Int(pixels[index]) * 257 }
        // Sound: any two bytes are a number, and the offset is checked.
        return unsafe Int(pixels.bytes.unsafeLoadUnaligned(fromByteOffset: 2 * index, as: UInt16.self))
    }
}

/// The EETF of ITU-R BT.2390-11, 5.4.1: keeps luminance up to a knee, and compresses the rest by a Hermite spline in PQ.
///
/// Black is 0, so that step 3, which lifts it, changes nothing.
struct ToneCurve {
    /// The largest luminance of PQ in cd/m².
    static let maximum = 10_000.0

    private let peak: Double
    /// The peak of the content in PQ, and that of the display relative to it: PQ[LW] and maxLum.
    private let content, display: Double

    /// - Parameters:
    ///   - content: The peak of the content in cd/m².
    ///   - display: The peak of the display in cd/m².
    init(from content: Double, to display: Double) {
        peak = min(max(content, display), Self.maximum)
        self.content = Self.value(of: peak)
        self.display = Self.value(of: display) / self.content
    }

    /// Returns the luminance on the display. Content above its peak is clipped.
    func luminance(of luminance: Double) -> Double {
        let value = min(Self.value(of: luminance) / content, 1)
        let knee = 1.5 * display - 0.5
        guard value > knee else { return min(luminance, peak) }
        let t = (value - knee) / (1 - knee)
        let (t2, t3) = (t * t, t * t * t)
        let mapped =
            (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (3 * t2 - 2 * t3) * display
        return TransferFunction.pq.light(of: mapped * content) * Self.maximum
    }

    private static func value(of luminance: Double) -> Double { TransferFunction.pq.value(of: luminance / maximum) }
}

/// A function of light, interpolated between 4,096 steps of its square root. The light is multiplied by the result.
private struct FactorTable {
    private let values: [Float]
    private let unit: Float

    init(through maximum: Double, _ factor: (Double) -> Double) {
        let count = 4096
        let roots = (1...count).map { Double($0) / Double(count) }
        let values = roots.map { Float(factor($0 * $0 * maximum)) }
        self.values = [values[0]] + values + [values[count - 1]]
        unit = Float(Double(count) / maximum.squareRoot())
    }

    @inline(__always)
    subscript(light: Float) -> Float {
        let position = max(0, light).squareRoot() * unit
        let index = min(Int(position), values.count - 2)
        return values[index] + (values[index + 1] - values[index]) * (position - Float(index))
    }
}
