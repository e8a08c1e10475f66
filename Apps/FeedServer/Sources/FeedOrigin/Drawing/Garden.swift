/// Flowers seen from above, in front of a blurred background with lights.
struct Garden {
    private struct Disc {
        var center: SIMD2<Float>
        var radius: Float
        var color: Color
    }

    private struct Flower {
        var center: SIMD2<Float>
        var radius: Float
        /// The radius of the blur, in the scene's units.
        var blur: Float
        var rotation: Float
    }

    /// Colors of the background (top, bottom and patches), and of flowers (inner, outer and core).
    private static let grounds: [[UInt32]] = [
        [0x1F4D2B, 0x3F7A35, 0xB8D36A], [0x14373A, 0x2F6B55, 0x9ED0A0], [0x3A2A50, 0x5A5A80, 0xD0B8E0],
    ]
    private static let varieties: [[UInt32]] = [
        [0xF6D33C, 0xF2A01E, 0x5A3418], [0xFFFFFF, 0xF3F1EA, 0xE0A81E], [0xF7B6C8, 0xD8447A, 0xE8C23A],
        [0xC8B4F0, 0x6A4FC0, 0xF0D050],
    ]

    private let ground, variety: [Color]
    private let petals: Int
    private let discs: [Disc]
    private let flowers: [Flower]
    private let view: Viewport
    private let blur: Noise

    init(_ numbers: inout SeededGenerator, seed: UInt32, view: Viewport) {
        self.view = view
        let ground = Self.grounds[numbers.index(below: Self.grounds.count)].map(Color.init(hex:))
        self.ground = ground
        variety = Self.varieties[numbers.index(below: Self.varieties.count)].map(Color.init(hex:))
        petals = 8 + numbers.index(below: 11)
        blur = Noise(frequency: SIMD2(1.8, 1.8), octaves: 2, gain: 0.4, seed: seed, pixel: view.pixel)
        discs = (0..<20).map { _ in
            var color = ground[1 + numbers.index(below: 2)]
            color.w = numbers.value(0.08...0.36)
            let center = SIMD2(numbers.value(-0.9...0.9), numbers.value(0...1))
            return Disc(center: center, radius: numbers.value(0.03...0.11), color: color)
        }
        let places: [(SIMD2<Float>, Float, Float)] = [
            (SIMD2(-0.42, 0.24), 0.2, 0.022), (SIMD2(0.44, 0.8), 0.25, 0.03), (SIMD2(0, 0.52), 0.4, 0.002),
        ]
        flowers = places.map { place, radius, blur in
            let center = place + SIMD2(numbers.value(-0.1...0.1), numbers.value(-0.04...0.04))
            return Flower(
                center: center, radius: radius * numbers.value(0.88...1.06), blur: blur,
                rotation: numbers.value(0...3) + 0.75 * view.pan)
        }
    }

    /// Returns the color at a point.
    func color(at point: SIMD2<Float>) -> Color {
        let grain = blur(SIMD2(point.x + 0.3 * view.pan, point.y))
        var color = mix(
            mix(ground[0], ground[1], eased(point.y)).lit(1 + 0.3 * grain), ground[2], 0.6 * ramp(0.05, 0.7, grain))
        for disc in discs {
            let away = point - disc.center + SIMD2(0.35 * view.pan, 0)
            let share = (away * away).sum().squareRoot() / disc.radius
            if share < 1 {
                color = mix(color, disc.color, disc.color.w * (1 - ramp(0.7, 1, share)) * (0.7 + 0.5 * share))
            }
        }
        for flower in flowers { color = drawn(flower, point - flower.center + SIMD2(0.8 * view.pan, 0), over: color) }
        return Color(color.x, color.y, color.z, 1)
    }

    /// Draws two rings of petals and the core. The lower ring is rotated by half a petal, and darker.
    private func drawn(_ flower: Flower, _ away: SIMD2<Float>, over color: Color) -> Color {
        let distance = (away * away).sum().squareRoot() / flower.radius
        guard distance < 1.05 else { return color }
        let turns = (angle(away.x, away.y) + flower.rotation) * Float(petals) / (2 * .pi)
        let softness = max(view.pixel, flower.blur) / flower.radius
        var result = ring(distance, turns + 0.5, reach: 1, shade: 0.74, softness, over: color)
        result = ring(distance, turns, reach: 0.9, shade: 1, softness, over: result)
        let dots = away / flower.radius * 34 * .pi
        let lit = 0.8 + 0.18 * cosine(dots.x) * cosine(dots.y) - 0.54 * (away.x + away.y) / flower.radius
        return mix(result, variety[2].lit(max(0.25, lit)), clamped((0.24 - distance) / (0.02 + softness)))
    }

    private func ring(
        _ distance: Float, _ turns: Float, reach: Float, shade: Float, _ softness: Float, over color: Color
    ) -> Color {
        let within = abs(turns - turns.rounded()) * 2
        let edge = reach * (0.45 + 0.55 * (1 - within * within * within).squareRoot())
        let coverage = clamped((edge - distance) / softness + 0.5)
        guard coverage > 0 else { return color }
        let tone = 0.88 + 0.2 * latticeValue((Int(turns.rounded()) + 8 * petals) % petals, 1, seed: 77)
        let fold = 1 - 0.34 * within * within * (1 - 0.6 * distance)
        let petal = mix(variety[0], variety[1], ramp(0.1, 0.8, distance / edge)).lit(shade * tone * fold)
        return mix(color, petal, eased(coverage))
    }
}
