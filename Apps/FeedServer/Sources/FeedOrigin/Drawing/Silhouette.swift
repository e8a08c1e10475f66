/// The upper edge of a layer of land, as a height for each column.
enum Silhouette {
    /// Pointed summits.
    case peaks
    /// Rounded hills.
    case hills
    /// Rounded land with fir trees on it.
    case firs

    /// Returns the height, from 0 to about 1, at position `x`. The unit of `x` is one large feature.
    func height(_ x: Float, seed: UInt32) -> Float {
        switch self {
        case .peaks: Self.summits(x, seed: seed)
        case .hills: 0.75 * lineNoise(x, seed: seed) + 0.25 * lineNoise(x * 2.3, seed: seed &+ 1)
        case .firs: Self.forest(x, seed: seed)
        }
    }

    private static func summits(_ x: Float, seed: UInt32) -> Float {
        var height: Float = 0
        var amplitude: Float = 0.52
        var scale: Float = 1
        for octave in 0..<7 {
            let noise = lineNoise(x * scale + Float(octave) * 7.3, seed: seed &+ UInt32(octave))
            let ridge = octave < 4 ? 1 - abs(2 * noise - 1) : noise
            height += amplitude * ridge
            amplitude *= octave == 0 ? 0.45 : 0.5
            scale *= 2.07
        }
        return height
    }

    /// Returns the height of the ground plus that of the highest tree at `x`.
    private static func forest(_ x: Float, seed: UInt32) -> Float {
        let ground = 0.45 * lineNoise(x * 0.55, seed: seed &+ 3)
        let spacing: Float = 0.075
        let cell = Int((x / spacing).rounded(.down))
        var top: Float = 0
        for index in (cell - 2)...(cell + 2) { top = max(top, tree(index, over: x, spacing: spacing, seed: seed)) }
        return ground + top
    }

    private static func tree(_ index: Int, over x: Float, spacing: Float, seed: UInt32) -> Float {
        let size = latticeValue(index, 1, seed: seed)
        let middle = (Float(index) + 0.2 + 0.6 * latticeValue(index, 2, seed: seed)) * spacing
        let stand = lineNoise(Float(index) * 0.13, seed: seed &+ 17)
        let tall = (0.12 + 0.32 * size * size) * (0.35 + 0.95 * stand)
        let away = abs(x - middle) / (tall * 0.27)
        guard away < 1 else { return 0 }
        let tiers: Float = 7
        let tier = (away * tiers).rounded(.down)
        let within = away * tiers - tier
        return tall * (1 - (tier + 0.25 + 0.75 * within * within) / tiers)
    }
}
