/// Land with an upper edge, in front of the sky and of other land.
struct Ridge {
    enum Shape {
        case peaks, hills, firs
    }

    var shape: Shape
    /// From 0 (far, in the far color and in haze) to 1 (near).
    var nearness: Float
    /// The lowest point of the edge, from the top of the image, and the height of the highest parts above it.
    var foot, relief: Float
    /// The number of large features per unit of the scene.
    var frequency: Float
    /// How far snow reaches below the edge.
    var snow: Float = 0
    var seed: UInt32

    /// The share of the camera's movement by which the land moves.
    var depth: Float { 0.1 + 0.9 * nearness * nearness }

    /// Returns the edge at a horizontal position, from the top of the image.
    func edge(_ x: Float) -> Float { foot - relief * height(x * frequency + 40) }

    /// Returns the height, from 0 to about 1, at a position in large features.
    private func height(_ x: Float) -> Float {
        switch shape {
        case .peaks: summits(x)
        case .hills: 0.75 * lineNoise(x, seed: seed) + 0.25 * lineNoise(x * 2.3, seed: seed &+ 1)
        case .firs: 0.45 * lineNoise(x * 0.55, seed: seed &+ 3) + trees(x)
        }
    }

    private func summits(_ x: Float) -> Float {
        var (height, amplitude, scale): (Float, Float, Float) = (0, 0.52, 1)
        for octave in 0..<7 {
            let noise = lineNoise(x * scale + Float(octave) * 7.3, seed: seed &+ UInt32(octave))
            height += amplitude * (octave < 4 ? 1 - abs(2 * noise - 1) : noise)
            amplitude *= 0.48
            scale *= 2.07
        }
        return height
    }

    /// Returns the height of the highest of the trees that stand around a position.
    private func trees(_ x: Float) -> Float {
        let spacing: Float = 0.075
        let cell = Int((x / spacing).rounded(.down))
        return ((cell - 2)...(cell + 2)).reduce(0) { top, index in
            let middle = (Float(index) + 0.2 + 0.6 * latticeValue(index, 2, seed: seed)) * spacing
            let size = latticeValue(index, 1, seed: seed)
            let tall = (0.12 + 0.32 * size * size) * (0.35 + 0.95 * lineNoise(Float(index) * 0.13, seed: seed &+ 17))
            let tiers = min(7, abs(x - middle) / (tall * 0.27) * 7)
            let within = tiers - tiers.rounded(.down)
            return max(top, tall * (1 - min(7, tiers.rounded(.down) + 0.25 + 0.75 * within * within) / 7))
        }
    }
}
