/// Water: a reflection of the area above its edge, distorted by ripples that grow towards the camera.
final class WaterLayer: SceneLayer {
    struct Recipe {
        /// The far edge, from the top of the image.
        var shore: Float
        var color: Color
        var glitter: Color
        /// The horizontal position of the sun's reflection.
        var sun: Float
        /// From 0 (a mirror) to 1 (a windy sea).
        var roughness: Float
        var seed: UInt32
    }

    private let recipe: Recipe
    private let view: Viewport
    private let columns: [Float]
    private var waves: NoiseField
    private var ripples: [Float]

    init(_ recipe: Recipe, view: Viewport) {
        self.recipe = recipe
        self.view = view
        columns = view.columns(depth: 0)
        waves = NoiseField(
            columns: view.columns(depth: 0.5), pixel: view.pixel, frequency: SIMD2(4, 9), octaves: 5, gain: 0.62,
            seed: recipe.seed)
        ripples = [Float](repeating: 0, count: view.width)
    }

    func hides(row: Int) -> Bool { view.vertical(row) > recipe.shore + view.pixel }

    func paint(row: Int, onto line: inout [Color], canvas: Canvas) {
        let depth = view.vertical(row) - recipe.shore
        guard depth > 0 else { return }
        waves.fill(&ripples, y: 1.1 / (depth + 0.05) + 0.35 * view.phase * 9)
        let near = clamped(depth / (1 - recipe.shore))
        let swell = recipe.roughness * (0.012 + 0.1 * near)
        let opacity = 0.2 + 0.35 * near + 0.2 * recipe.roughness
        let height = Float(view.height)
        for x in 0..<line.count {
            let wave = ripples[x]
            let source = (recipe.shore - depth * (1 - 0.35 * recipe.roughness) + swell * wave) * height
            let shifted = x + Int(swell * wave * 0.4 * height)
            let y = max(0, min(Int(recipe.shore * height) - 1, Int(source)))
            let mirrored = canvas[max(0, min(view.width - 1, shifted)), max(0, y)]
            let body = recipe.color.lit(1 + 0.55 * wave * recipe.roughness)
            line[x] = mix(mix(mirrored, body, opacity), recipe.glitter, sparkle(x, wave: wave, near: near))
        }
    }

    @inline(__always)
    private func sparkle(_ x: Int, wave: Float, near: Float) -> Float {
        let away = abs(columns[x] - recipe.sun) / (0.05 + 0.16 * near)
        guard away < 2.2 else { return 0 }
        let path = 1 / (1 + away * away * away)
        return recipe.glitter.w * path * ramp(0.05, 0.4, wave + 0.14 * path)
    }
}
