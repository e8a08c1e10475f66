/// A blurred background.
final class BackdropLayer: SceneLayer {
    private let top: Color
    private let bottom: Color
    private let patches: Color
    private let view: Viewport
    private var blur: NoiseField

    /// - Parameter colors: The colors of the background: top, bottom and patches.
    init(_ colors: (UInt32, UInt32, UInt32), seed: UInt32, view: Viewport) {
        top = Color(hex: colors.0)
        bottom = Color(hex: colors.1)
        patches = Color(hex: colors.2)
        self.view = view
        blur = NoiseField(
            columns: view.columns(depth: 0.3), pixel: view.pixel, frequency: SIMD2(1.8, 1.8), octaves: 2, gain: 0.4,
            seed: seed)
    }

    func paint(row: Int, onto line: inout [Color], canvas: Canvas) {
        let v = view.vertical(row)
        blur.fill(y: v)
        let base = mix(top, bottom, eased(v))
        for x in 0..<line.count {
            let grain = blur.values[x]
            line[x] = mix(base.lit(1 + 0.3 * grain), patches, 0.6 * ramp(0.05, 0.7, grain))
        }
    }
}
