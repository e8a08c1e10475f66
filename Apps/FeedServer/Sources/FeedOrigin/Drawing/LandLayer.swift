/// A layer of land: the area below a silhouette, with light on its surface and haze in front of it.
final class LandLayer: SceneLayer {
    enum Surface {
        /// Rock, with snow down to this distance below the silhouette.
        case rock(snow: Float)
        case grass
        case sand
        case forest
        /// Walls with windows, of which this share is lit.
        case windows(lit: Float)
    }

    private let silhouette: Silhouette
    private let surface: Surface
    /// The lowest point of the silhouette, from the top of the image.
    private let foot: Float
    /// The height of the highest parts above the lowest point.
    private let relief: Float
    private let top: Color
    private let bottom: Color
    private let light: Color
    private let haze: Color
    /// The amount of haze in front of the land, from 0 to 1. There is more haze at the foot.
    private let distance: Float
    /// From 0 (at infinity) to 1 (near the camera).
    private let depth: Float
    private let sunFromLeft: Bool
    private let seed: UInt32
    private let view: Viewport
    private let columns: [Float]
    private let edge: [Float]
    private let highest: Float
    private let lowest: Float
    private let reach: Int
    private var field: NoiseField

    /// - Parameters:
    ///   - nearness: From 0 (far, in the far color) to 1 (near, in the near color).
    ///   - frequency: The number of large features per unit of the scene.
    ///   - tint: The color at the top, or nil for that of the nearness.
    ///   - lamps: The color of lit windows, or nil for that of the sun.
    init(
        _ daylight: Daylight, _ silhouette: Silhouette, _ surface: Surface, nearness: Float, foot: Float, relief: Float,
        frequency: Float, tint: Color? = nil, lamps: Color? = nil, seed: UInt32
    ) {
        let palette = daylight.palette
        var color = tint ?? mix(palette.far, palette.near, nearness)
        if case .forest = surface, tint == nil { color = mix(color, Color(hex: 0x1F3D2C), palette.isNight ? 0 : 0.55) }
        self.silhouette = silhouette
        self.surface = surface
        self.foot = foot
        self.relief = relief
        self.seed = seed
        top = color
        bottom = color.lit(0.62)
        light = lamps ?? palette.light
        haze = mix(palette.horizon, palette.far, 0.18)
        distance = 0.62 * (1 - nearness) * (1 - 0.5 * nearness)
        depth = 0.1 + 0.9 * nearness * nearness
        sunFromLeft = daylight.sun.x < 0
        view = daylight.view
        columns = view.columns(depth: depth)
        edge = columns.map { foot - relief * silhouette.height($0 * frequency + 40, seed: seed) }
        highest = edge.min() ?? 0
        lowest = edge.max() ?? 1
        reach = max(1, Int((0.006 / view.pixel).rounded()))
        let texture = Self.texture(surface)
        field = NoiseField(
            columns: columns, pixel: view.pixel, frequency: texture.0, octaves: texture.1, gain: texture.2, seed: seed)
    }

    private static func texture(_ surface: Surface) -> (SIMD2<Float>, Int, Float) {
        switch surface {
        case .rock: (SIMD2(7, 6), 6, 0.6)
        case .grass: (SIMD2(6, 22), 6, 0.66)
        case .sand: (SIMD2(2.2, 9), 6, 0.5)
        case .forest: (SIMD2(58, 41), 4, 0.7)
        case .windows: (SIMD2(3, 1), 3, 0.5)
        }
    }

    func hides(row: Int) -> Bool { view.vertical(row) > lowest + view.pixel }

    func paint(row: Int, onto line: inout [Color], canvas: Canvas) {
        let v = view.vertical(row)
        guard v > highest - view.pixel else { return }
        field.fill(y: v)
        let sharpness = 1 / view.pixel
        for x in 0..<line.count {
            let below = v - edge[x]
            let coverage = clamped(below * sharpness + 0.5)
            guard coverage > 0 else { continue }
            line[x] = mix(line[x], hazed(shade(x, below: below, v: v), v: v), coverage)
        }
    }

    @inline(__always)
    private func hazed(_ color: Color, v: Float) -> Color {
        let gathered = 0.45 * ramp(foot - relief, foot + 0.1, v) * min(1, distance * 1.6)
        return mix(color, haze, min(0.96, distance + gathered * (1 - distance)))
    }

    /// Returns the slope of the surface towards the sun at a column, from about -1 to 1.
    @inline(__always)
    private func slope(_ x: Int) -> Float {
        let left = field.values[max(0, x - reach)]
        let right = field.values[min(field.values.count - 1, x + reach)]
        return sunFromLeft ? right - left : left - right
    }

    @inline(__always)
    private func edgeSlope(_ x: Int) -> Float {
        let wide = reach * 3
        let from = max(0, x - wide)
        let to = min(edge.count - 1, x + wide)
        let rise = (edge[from] - edge[to]) / (Float(to - from) * view.pixel + 0.0001)
        return sunFromLeft ? rise : -rise
    }

    @inline(__always)
    private func shade(_ x: Int, below: Float, v: Float) -> Color {
        let base = mix(top, bottom, clamped(below / (relief + 0.12)))
        switch surface {
        case .rock(let snow): return rock(x, below: below, base: base, snow: snow)
        case .grass:
            let fade = clamped(1 - below * 5)
            return mix(base.lit(1 + 0.42 * field.values[x]), light, clamped(0.16 + 0.3 * field.values[x] + 0.2 * fade))
        case .sand: return sand(x, below: below, base: base)
        case .forest: return base.lit(1.1 + 0.3 * field.values[x] + 0.55 * slope(x) - 1.4 * min(0.3, below))
        case .windows(let lit): return wall(x, v: v, base: base, lit: lit)
        }
    }

    /// Returns the slope of the silhouette over a width that grows downwards. This draws gullies that widen below each
    /// notch.
    @inline(__always)
    private func facet(_ x: Int, below: Float) -> Float {
        let wide = max(2, Int((0.012 + 0.22 * below) / view.pixel))
        let middle = x + Int((0.55 * below * field.values[x]) / view.pixel)
        let from = max(0, min(edge.count - 1, middle - wide))
        let to = max(from, min(edge.count - 1, middle + wide))
        let rise = (edge[from] - edge[to]) / (Float(to - from) * view.pixel + 0.001)
        let leaning = rise / (0.5 + abs(rise))
        return (sunFromLeft ? rise * 0.25 + leaning : -(rise * 0.25 + leaning)) * 0.75
    }

    @inline(__always)
    private func rock(_ x: Int, below: Float, base: Color, snow: Float) -> Color {
        let shine = 1.25 * facet(x, below: below) + 1.3 * slope(x) + 0.2 * field.values[x]
        let stone = mix(base.lit(0.92 + 0.5 * max(-1.1, shine)), light, clamped(0.3 * shine))
        let cover = ramp(-0.03, 0.035, snow - below + 0.16 * field.values[x] - 0.05 * abs(shine))
        guard cover > 0 else { return stone }
        let bright = clamped(0.55 + 0.6 * shine)
        return mix(stone, mix(Color(hex: 0x8FA5C4), mix(.white, light, 0.22), bright), cover * 0.95)
    }

    /// Returns the color of sand: bright on the side that faces the sun, bluish on the other side, with ripples on
    /// both.
    @inline(__always)
    private func sand(_ x: Int, below: Float, base: Color) -> Color {
        let along = x + Int(below * (0.9 + 0.6 * field.values[x]) / view.pixel)
        let facing = ramp(
            -0.35, 0.4, edgeSlope(min(edge.count - 1, along)) + 0.3 * field.values[x] + 0.5 * clamped(below * 2))
        let ripple = 1 + 0.16 * field.values[x] + 1.1 * slope(x)
        return mix(bottom.lit(0.72), mix(base, light, 0.4), facing).lit(ripple)
    }

    private func wall(_ x: Int, v: Float, base: Color, lit: Float) -> Color {
        let size = SIMD2<Float>(0.0105, 0.0165) * (0.55 + 0.75 * depth)
        let across = columns[x] / size.x
        let down = v / size.y
        let cell = SIMD2(across.rounded(.down), down.rounded(.down))
        let inside = abs(across - cell.x - 0.5) < 0.27 && abs(down - cell.y - 0.5) < 0.3
        let plain = base.lit(1 + 0.25 * field.values[x])
        guard inside, v - edge[x] > size.y else { return plain }
        let chance = latticeValue(Int(cell.x), Int(cell.y), seed: seed)
        guard chance < lit else { return plain.lit(0.8) }
        let warmth = latticeValue(Int(cell.x), Int(cell.y), seed: seed &+ 5)
        let blur = ramp(0, 2.5, size.x / view.pixel)
        return mix(plain, light.lit(0.6 + 0.5 * warmth), 0.35 + 0.55 * blur)
    }
}
