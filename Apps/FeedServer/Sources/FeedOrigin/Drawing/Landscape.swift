/// A landscape: a sky with a sun or a moon, ridges, and water that mirrors what is behind it.
struct Landscape {
    enum Layer {
        case ridge(Ridge)
        /// Water from this height down. `roughness` is from 0 (a mirror) to 1 (a windy sea).
        case water(shore: Float, roughness: Float)
    }

    private let palette: Palette
    private let isNight: Bool
    private let sun: SIMD2<Float>
    private let horizon: Float
    private let view: Viewport
    private let seed: UInt32
    /// The layers from the nearest to the furthest.
    private let layers: [Layer]
    /// The edge of each ridge at each column.
    private let edges: [[Float]]
    private let textures: [Noise]
    private let clouds: Noise

    init(
        _ palette: Palette, isNight: Bool, sun: SIMD2<Float>, horizon: Float, layers: [Layer], seed: UInt32,
        view: Viewport
    ) {
        self.palette = palette
        self.isNight = isNight
        self.sun = sun
        self.horizon = horizon
        self.layers = layers
        self.seed = seed
        self.view = view
        edges = layers.map { layer in
            guard case .ridge(let ridge) = layer else { return [] }
            return (0..<view.width).map { ridge.edge(view.x($0) + view.pan * ridge.depth) }
        }
        textures = layers.map { Self.texture($0, pixel: view.pixel) }
        clouds = Noise(frequency: SIMD2(1.7, 2.6), octaves: 5, seed: seed, pixel: view.pixel)
    }

    /// Returns the color at a point, as seen past the first layers.
    func color(at point: SIMD2<Float>, behind first: Int = 0) -> Color {
        for index in first..<layers.count {
            switch layers[index] {
            case .ridge(let ridge):
                let below = point.y - edges[index][view.column(point.x)]
                let coverage = clamped(below / view.pixel + 0.5)
                if coverage == 1 { return land(ridge, index, point, below) }
                if coverage > 0 {
                    return mix(color(at: point, behind: index + 1), land(ridge, index, point, below), coverage)
                }
            case .water(let shore, let roughness) where point.y > shore:
                return water(point, depth: point.y - shore, shore, roughness, behind: index + 1)
            case .water: break
            }
        }
        return sky(point)
    }

    private func sky(_ point: SIMD2<Float>) -> Color {
        let fall = clamped(point.y / horizon)
        let base =
            fall < 0.55
            ? mix(palette.zenith, palette.middle, fall / 0.55)
            : mix(palette.middle, palette.horizon, eased((fall - 0.55) / 0.45))
        let away = point - sun
        let distance = away.x * away.x + away.y * away.y
        let shine = (isNight ? 0.5 : 1) * (0.65 / (1 + 55 * distance) + 0.5 / (1 + 6 * distance))
        var color = mix(base, palette.light, min(0.95, shine))
        if isNight { color = mix(color, .white, star(point)) }
        let radius: Float = isNight ? 0.05 : 0.03
        color = mix(color, mix(palette.light, .white, 0.6), clamped((radius - distance.squareRoot()) / 0.004 + 0.5))
        return clouded(color, point, shine)
    }

    /// Clouds are flatter and denser towards the horizon, as in perspective, and lighter on the side of the sun.
    private func clouded(_ sky: Color, _ point: SIMD2<Float>, _ shine: Float) -> Color {
        let height = max(0, horizon - point.y)
        let place = SIMD2(point.x + 0.25 * view.pan, -1.9 * height / (0.28 + height))
        let density = clouds(place)
        let threshold = latticeValue(1, 1, seed: seed) * 0.5 - 0.1
        let amount = ramp(threshold, threshold + 0.42, density)
        guard amount > 0 else { return sky }
        let lean = SIMD2(0.02 * max(-1, min(1, 5 * (sun.x - point.x))), -0.018)
        let lit = clamped(0.55 + 2.6 * (density - clouds(place + lean, octaves: 3)) - 0.35 * amount + 0.5 * shine)
        return mix(sky, mix(palette.cloudShade, mix(palette.horizon, palette.light, 0.75), lit), amount * 0.93)
    }

    /// Returns the light of a star: one in some cells of a grid, at least as large as a pixel.
    private func star(_ point: SIMD2<Float>) -> Float {
        let cell = (point * 30).rounded(.down)
        let (x, y) = (Int(cell.x), Int(cell.y))
        let center = SIMD2(0.2 + 0.6 * latticeValue(x, y, seed: seed), 0.2 + 0.6 * latticeValue(y, x, seed: seed))
        let size = latticeValue(x, y, seed: seed &+ 9)
        let away = point * 30 - cell - center
        let radius = max(0.0012 + 0.002 * size * size, 0.9 * view.pixel)
        let share = min(1, (0.0012 + 0.002 * size * size) / radius)
        return size * share * clamped(1 - (away * away).sum().squareRoot() / 30 / radius) * clamped(1.1 - point.y)
    }

    private func land(_ ridge: Ridge, _ index: Int, _ point: SIMD2<Float>, _ below: Float) -> Color {
        let grain = textures[index](SIMD2(point.x + view.pan * ridge.depth, point.y))
        let top = mix(
            palette.far, ridge.nearness > 0.95 && ridge.shape == .hills ? palette.ground : palette.near, ridge.nearness)
        let base = mix(top, top.lit(0.62), clamped(below / (ridge.relief + 0.12)))
        var color: Color
        switch ridge.shape {
        case .peaks: color = rock(ridge, edges[index], point, below, base, grain)
        case .hills: color = mix(base.lit(1 + 0.42 * grain), palette.light, clamped(0.16 + 0.3 * grain - below))
        case .firs: color = mix(base, Color(hex: 0x1F3D2C), isNight ? 0 : 0.5).lit(1.1 + 0.5 * grain - min(0.4, below))
        }
        let distance = 0.62 * (1 - ridge.nearness) * (1 - 0.5 * ridge.nearness)
        let gathered = 0.45 * ramp(ridge.foot - ridge.relief, ridge.foot + 0.1, point.y) * min(1, distance * 1.6)
        color = mix(color, mix(palette.horizon, palette.far, 0.18), min(0.96, distance + gathered * (1 - distance)))
        return color
    }

    /// Returns the grain of a layer's surface. That of water are its waves.
    private static func texture(_ layer: Layer, pixel: Float) -> Noise {
        guard case .ridge(let ridge) = layer else {
            return Noise(frequency: SIMD2(4, 9), octaves: 4, gain: 0.62, seed: 50, pixel: pixel)
        }
        let frequency: SIMD2<Float> =
            switch ridge.shape {
            case .peaks: SIMD2(7, 6)
            case .hills: SIMD2(6, 22)
            case .firs: SIMD2(58, 41)
            }
        return Noise(frequency: frequency, octaves: 4, gain: 0.62, seed: ridge.seed, pixel: pixel)
    }

    /// Draws gullies that widen below each notch of the edge, lit from the side of the sun, and snow at the top.
    private func rock(
        _ ridge: Ridge, _ edge: [Float], _ point: SIMD2<Float>, _ below: Float, _ base: Color, _ grain: Float
    ) -> Color {
        let middle = point.x + 0.55 * below * grain
        let (left, right) = (view.column(middle - 0.012 - 0.22 * below), view.column(middle + 0.012 + 0.22 * below))
        let rise = (edge[left] - edge[right]) / (Float(right - left) * view.pixel + 0.001)
        let shine = (sun.x < 0 ? 1 : -1) * 1.2 * rise / (0.5 + abs(rise)) + 0.45 * grain
        let stone = mix(base.lit(0.92 + 0.5 * max(-1.1, shine)), palette.light, clamped(0.3 * shine))
        let cover = ramp(-0.03, 0.035, ridge.snow - below + 0.16 * grain - 0.05 * abs(shine))
        return mix(
            stone, mix(Color(hex: 0x8FA5C4), mix(.white, palette.light, 0.22), clamped(0.55 + 0.6 * shine)), cover)
    }

    /// A reflection of what is above the shore, distorted by ripples that grow towards the camera, and of the sun.
    private func water(
        _ point: SIMD2<Float>, depth: Float, _ shore: Float, _ roughness: Float, behind layer: Int
    ) -> Color {
        let wave = textures[layer - 1](SIMD2(point.x + 0.5 * view.pan, 1.1 / (depth + 0.05) + 8 * view.pan))
        let near = clamped(depth / (1 - shore))
        let swell = roughness * (0.012 + 0.1 * near) * wave
        let source = shore - depth * (1 - 0.35 * roughness) + swell
        let mirrored = color(at: SIMD2(point.x + 0.4 * swell, min(shore - view.pixel, max(0, source))), behind: layer)
        let body = palette.water.lit(1 + 0.55 * wave * roughness)
        let away = abs(point.x - sun.x) / (0.05 + 0.16 * near)
        let path = 1 / (1 + away * away * away)
        let glitter = 0.8 * path * ramp(0.05, 0.4, wave + 0.14 * path)
        return mix(mix(mirrored, body, 0.2 + 0.35 * near + 0.2 * roughness), mix(palette.light, .white, 0.3), glitter)
    }
}
