/// A blurred wall, and a table in front of it.
final class BackdropLayer: SceneLayer {
    private let top: Color
    private let bottom: Color
    private let patches: Color
    private let wood: Color?
    private let view: Viewport
    private var blur: NoiseField
    private var planks: NoiseField

    /// The upper edge of the table, from the top.
    private static let table: Float = 0.6

    /// - Parameters:
    ///   - colors: The colors of the wall: top, bottom and patches.
    ///   - wood: The color of the table, or nil for no table.
    init(_ colors: (UInt32, UInt32, UInt32), wood: Color?, seed: UInt32, view: Viewport) {
        top = Color(hex: colors.0)
        bottom = Color(hex: colors.1)
        patches = Color(hex: colors.2)
        self.wood = wood
        self.view = view
        blur = NoiseField(
            columns: view.columns(depth: 0.3), pixel: view.pixel, frequency: SIMD2(1.8, 1.8), octaves: 2, gain: 0.4,
            seed: seed)
        planks = NoiseField(
            columns: view.columns(depth: 1), pixel: view.pixel, frequency: SIMD2(2.2, 34), octaves: 5, gain: 0.62,
            seed: seed &+ 1)
    }

    func paint(row: Int, onto line: inout [Color], canvas: Canvas) {
        let v = view.vertical(row)
        blur.fill(y: v)
        let base = mix(top, bottom, eased(v))
        for x in 0..<line.count {
            let grain = blur.values[x]
            line[x] = mix(base.lit(1 + 0.3 * grain), patches, 0.6 * ramp(0.05, 0.7, grain))
        }
        if let wood, v > Self.table - 0.02 { table(of: wood, depth: v - Self.table, line: &line) }
    }

    private func table(of wood: Color, depth: Float, line: inout [Color]) {
        planks.fill(y: 1.3 * depth / (0.35 + depth) + 3)
        let coverage = ramp(-0.012, 0.012, depth)
        let near = 0.6 + 0.55 * clamped(depth * 1.8)
        for x in 0..<line.count {
            let grain = planks.values[x]
            let veins = 1 + 0.5 * grain + 0.12 * oscillation(grain * 2.6)
            line[x] = mix(line[x], wood.lit(near * veins), coverage)
        }
    }
}
