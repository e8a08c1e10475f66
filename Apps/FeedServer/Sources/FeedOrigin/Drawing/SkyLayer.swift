/// A sky: three colors from the zenith to the horizon, the glow of a sun, and clouds in its light.
final class SkyLayer: SceneLayer {
    struct Recipe {
        var zenith: Color
        var middle: Color
        var horizon: Color
        /// The end of the gradient, from the top.
        var horizonHeight: Float
        var glow: Color
        var sun: SIMD2<Float>
        var glowStrength: Float
        var cloudLight: Color
        var cloudShade: Color
        /// From 0 (clear) to 1 (overcast).
        var cloudCover: Float
        var seed: UInt32
    }

    private let recipe: Recipe
    private let view: Viewport
    private let columns: [Float]
    private var clouds: NoiseField
    private var cloudsTowardsSun: NoiseField
    private var density: [Float]
    private var towardsSun: [Float]

    init(_ recipe: Recipe, view: Viewport) {
        self.recipe = recipe
        self.view = view
        columns = view.columns(depth: 0)
        let drift = columns.map { $0 + 0.25 * view.pan }
        let lean: Float = 0.022
        let shifted = drift.map { $0 + lean * max(-1, min(1, 5 * (recipe.sun.x - $0))) }
        let frequency = SIMD2<Float>(1.7, 2.6)
        clouds = NoiseField(
            columns: drift, pixel: view.pixel, frequency: frequency, octaves: 7, gain: 0.55, seed: recipe.seed)
        cloudsTowardsSun = NoiseField(
            columns: shifted, pixel: view.pixel, frequency: frequency, octaves: 4, gain: 0.55, seed: recipe.seed)
        density = [Float](repeating: 0, count: view.width)
        towardsSun = density
    }

    func paint(row: Int, onto line: inout [Color], canvas: Canvas) {
        let v = view.vertical(row)
        let base = gradient(v)
        let hasClouds = recipe.cloudCover > 0 && v < recipe.horizonHeight + 0.05
        if hasClouds { fillClouds(v) }
        let rise = v - recipe.sun.y
        for x in 0..<line.count {
            let across = columns[x] - recipe.sun.x
            let distance = across * across + rise * rise * 1.7
            let light = recipe.glowStrength * (0.65 / (1 + 55 * distance) + 0.5 / (1 + 6 * distance))
            var color = mix(base, recipe.glow, min(0.95, light))
            if hasClouds { color = clouded(color, x: x, light: light) }
            line[x] = color
        }
    }

    private func gradient(_ v: Float) -> Color {
        let fall = clamped(v / recipe.horizonHeight)
        if fall < 0.55 { return mix(recipe.zenith, recipe.middle, fall / 0.55) }
        return mix(recipe.middle, recipe.horizon, eased((fall - 0.55) / 0.45))
    }

    /// Computes the clouds of a row. Clouds become flatter and denser towards the horizon, as in perspective.
    private func fillClouds(_ v: Float) {
        let height = max(0, recipe.horizonHeight - v)
        let y = 1.9 * height / (0.28 + height)
        clouds.fill(&density, y: -y)
        let lean = 0.018 * max(-1, min(1, 8 * (v - recipe.sun.y)))
        cloudsTowardsSun.fill(&towardsSun, y: -(y + lean))
    }

    @inline(__always)
    private func clouded(_ sky: Color, x: Int, light: Float) -> Color {
        let threshold = 0.5 - 0.85 * recipe.cloudCover
        let amount = ramp(threshold, threshold + 0.42, density[x])
        guard amount > 0 else { return sky }
        let lit = clamped(0.55 + 2.6 * (density[x] - towardsSun[x]) - 0.35 * amount + 0.5 * light)
        return mix(sky, mix(recipe.cloudShade, recipe.cloudLight, lit), amount * 0.93)
    }
}
