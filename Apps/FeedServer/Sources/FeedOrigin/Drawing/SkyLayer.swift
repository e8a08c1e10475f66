/// A sky: three colors from the zenith to the horizon, the glow of a sun, and clouds in its light.
final class SkyLayer: SceneLayer {
    private let daylight: Daylight
    /// From 0 (clear) to 1 (overcast).
    private let cover: Float
    private let glow: Float
    private let cloudLight: Color
    private let columns: [Float]
    private var clouds: NoiseField
    private var cloudsTowardsSun: NoiseField

    /// - Parameter daylight: The colors, the sun and the end of the gradient.
    init(_ daylight: Daylight, cover: Float, glow: Float = 1, seed: UInt32) {
        self.daylight = daylight
        self.cover = cover
        self.glow = glow
        cloudLight = mix(daylight.palette.horizon, daylight.palette.light, 0.75)
        let view = daylight.view
        columns = view.columns(depth: 0)
        let drift = columns.map { $0 + 0.25 * view.pan }
        let lean: Float = 0.022
        let shifted = drift.map { $0 + lean * max(-1, min(1, 5 * (daylight.sun.x - $0))) }
        let frequency = SIMD2<Float>(1.7, 2.6)
        clouds = NoiseField(
            columns: drift, pixel: view.pixel, frequency: frequency, octaves: 7, gain: 0.55, seed: seed)
        cloudsTowardsSun = NoiseField(
            columns: shifted, pixel: view.pixel, frequency: frequency, octaves: 4, gain: 0.55, seed: seed)
    }

    func paint(row: Int, onto line: inout [Color], canvas: Canvas) {
        let v = daylight.view.vertical(row)
        let base = gradient(v)
        let light = daylight.palette.light
        let hasClouds = cover > 0 && v < daylight.horizon + 0.05
        if hasClouds { fillClouds(v) }
        let rise = v - daylight.sun.y
        for x in 0..<line.count {
            let across = columns[x] - daylight.sun.x
            let distance = across * across + rise * rise * 1.7
            let shine = glow * (0.65 / (1 + 55 * distance) + 0.5 / (1 + 6 * distance))
            var color = mix(base, light, min(0.95, shine))
            if hasClouds { color = clouded(color, x: x, shine: shine) }
            line[x] = color
        }
    }

    private func gradient(_ v: Float) -> Color {
        let palette = daylight.palette
        let fall = clamped(v / daylight.horizon)
        if fall < 0.55 { return mix(palette.zenith, palette.middle, fall / 0.55) }
        return mix(palette.middle, palette.horizon, eased((fall - 0.55) / 0.45))
    }

    /// Computes the clouds of a row. Clouds become flatter and denser towards the horizon, as in perspective.
    private func fillClouds(_ v: Float) {
        let height = max(0, daylight.horizon - v)
        let y = 1.9 * height / (0.28 + height)
        clouds.fill(y: -y)
        let lean = 0.018 * max(-1, min(1, 8 * (v - daylight.sun.y)))
        cloudsTowardsSun.fill(y: -(y + lean))
    }

    @inline(__always)
    private func clouded(_ sky: Color, x: Int, shine: Float) -> Color {
        let threshold = 0.5 - 0.85 * cover
        let density = clouds.values[x]
        let amount = ramp(threshold, threshold + 0.42, density)
        guard amount > 0 else { return sky }
        let lit = clamped(0.55 + 2.6 * (density - cloudsTowardsSun.values[x]) - 0.35 * amount + 0.5 * shine)
        return mix(sky, mix(daylight.palette.cloudShade, cloudLight, lit), amount * 0.93)
    }
}
