/// A layer of land: the area below a silhouette, with light on its surface and haze in front of it.
final class LandLayer: SceneLayer {
    enum Surface {
        /// Rock, with snow down to this distance below the silhouette.
        case rock(snow: Float)
        case grass
        case forest
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
    private let sunFromLeft: Bool
    private let view: Viewport
    private let edge: [Float]
    private let highest: Float
    private let lowest: Float
    private let reach: Int
    private var field: NoiseField

    /// - Parameters:
    ///   - nearness: From 0 (far, in the far color) to 1 (near, in the near color).
    ///   - frequency: The number of large features per unit of the scene.
    ///   - tint: The color at the top, or nil for that of the nearness.
    init(
        _ daylight: Daylight, _ silhouette: Silhouette, _ surface: Surface, nearness: Float, foot: Float, relief: Float,
        frequency: Float, tint: Color? = nil, seed: UInt32
    ) {
        let palette = daylight.palette
        var color = tint ?? mix(palette.far, palette.near, nearness)
        if case .forest = surface, tint == nil { color = mix(color, Color(hex: 0x1F3D2C), palette.isNight ? 0 : 0.55) }
        self.silhouette = silhouette
        self.surface = surface
        self.foot = foot
        self.relief = relief
        top = color
        bottom = color.lit(0.62)
        light = palette.light
        haze = mix(palette.horizon, palette.far, 0.18)
        distance = 0.62 * (1 - nearness) * (1 - 0.5 * nearness)
        sunFromLeft = daylight.sun.x < 0
        view = daylight.view
        let columns = view.columns(depth: 0.1 + 0.9 * nearness * nearness)
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
        case .forest: (SIMD2(58, 41), 4, 0.7)
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
    private func shade(_ x: Int, below: Float, v: Float) -> Color {
        let base = mix(top, bottom, clamped(below / (relief + 0.12)))
        switch surface {
        case .rock(let snow): return rock(x, below: below, base: base, snow: snow)
        case .grass:
            let fade = clamped(1 - below * 5)
            return mix(base.lit(1 + 0.42 * field.values[x]), light, clamped(0.16 + 0.3 * field.values[x] + 0.2 * fade))
        case .forest: return base.lit(1.1 + 0.3 * field.values[x] + 0.55 * slope(x) - 1.4 * min(0.3, below))
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
}
