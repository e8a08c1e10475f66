/// Water: a reflection of the area above its edge, distorted by ripples that grow towards the camera.
final class WaterLayer: SceneLayer {
    /// The far edge, from the top of the image.
    private let shore: Float
    /// From 0 (a mirror) to 1 (a windy sea).
    private let roughness: Float
    private let color: Color
    private let glitter: Color
    private let sun: Float
    private let view: Viewport
    private let columns: [Float]
    private var waves: NoiseField

    /// - Parameter glitter: The opacity of the sun's reflection.
    init(_ daylight: Daylight, shore: Float, roughness: Float, glitter: Float, seed: UInt32) {
        self.shore = shore
        self.roughness = roughness
        color = daylight.palette.water
        let path = mix(daylight.palette.light, .white, 0.3)
        self.glitter = Color(path.x, path.y, path.z, glitter)
        sun = daylight.sun.x
        view = daylight.view
        columns = view.columns(depth: 0)
        waves = NoiseField(
            columns: view.columns(depth: 0.5), pixel: view.pixel, frequency: SIMD2(4, 9), octaves: 5, gain: 0.62,
            seed: seed)
    }

    func hides(row: Int) -> Bool { view.vertical(row) > shore + view.pixel }

    func paint(row: Int, onto line: inout [Color], canvas: Canvas) {
        let depth = view.vertical(row) - shore
        guard depth > 0 else { return }
        waves.fill(y: 1.1 / (depth + 0.05) + 0.35 * view.phase * 9)
        let near = clamped(depth / (1 - shore))
        let swell = roughness * (0.012 + 0.1 * near)
        let opacity = 0.2 + 0.35 * near + 0.2 * roughness
        let height = Float(view.height)
        for x in 0..<line.count {
            let wave = waves.values[x]
            let source = (shore - depth * (1 - 0.35 * roughness) + swell * wave) * height
            let shifted = x + Int(swell * wave * 0.4 * height)
            let y = max(0, min(Int(shore * height) - 1, Int(source)))
            let mirrored = canvas[max(0, min(view.width - 1, shifted)), max(0, y)]
            let body = color.lit(1 + 0.55 * wave * roughness)
            line[x] = mix(mix(mirrored, body, opacity), glitter, sparkle(x, wave: wave, near: near))
        }
    }

    @inline(__always)
    private func sparkle(_ x: Int, wave: Float, near: Float) -> Float {
        let away = abs(columns[x] - sun) / (0.05 + 0.16 * near)
        guard away < 2.2 else { return 0 }
        let path = 1 / (1 + away * away * away)
        return glitter.w * path * ramp(0.05, 0.4, wave + 0.14 * path)
    }
}
