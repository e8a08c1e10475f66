/// A blurred wall, and a table in front of it.
final class BackdropLayer: SceneLayer {
    struct Recipe {
        var top: Color
        var bottom: Color
        var patches: Color
        /// The upper edge of the table, from the top. 2 means no table.
        var table: Float
        var wood: Color
        var seed: UInt32
    }

    private let recipe: Recipe
    private let view: Viewport
    private let columns: [Float]
    private var blur: NoiseField
    private var planks: NoiseField
    private var grain: [Float]

    init(_ recipe: Recipe, view: Viewport) {
        self.recipe = recipe
        self.view = view
        columns = view.columns(depth: 0.3)
        blur = NoiseField(
            columns: columns, pixel: view.pixel, frequency: SIMD2(1.8, 1.8), octaves: 2, gain: 0.4, seed: recipe.seed)
        planks = NoiseField(
            columns: view.columns(depth: 1), pixel: view.pixel, frequency: SIMD2(2.2, 34), octaves: 5, gain: 0.62,
            seed: recipe.seed &+ 1)
        grain = [Float](repeating: 0, count: view.width)
    }

    func paint(row: Int, onto line: inout [Color], canvas: Canvas) {
        let v = view.vertical(row)
        blur.fill(&grain, y: v)
        let base = mix(recipe.top, recipe.bottom, eased(v))
        for x in 0..<line.count {
            line[x] = mix(base.lit(1 + 0.3 * grain[x]), recipe.patches, 0.6 * ramp(0.05, 0.7, grain[x]))
        }
        guard v > recipe.table - 0.02 else { return }
        table(v, line: &line)
    }

    private func table(_ v: Float, line: inout [Color]) {
        let depth = v - recipe.table
        planks.fill(&grain, y: 1.3 * depth / (0.35 + depth) + 3)
        let coverage = ramp(-0.012, 0.012, depth)
        let near = 0.6 + 0.55 * clamped(depth * 1.8)
        for x in 0..<line.count {
            let veins = 1 + 0.5 * grain[x] + 0.12 * oscillation(grain[x] * 2.6)
            line[x] = mix(line[x], recipe.wood.lit(near * veins), coverage)
        }
    }
}
