/// The contents of a scene. They depend only on its id.
struct Composition {
    enum Motif: CaseIterable {
        case mountains, lake, sea, forest, night, flowers
    }

    let seed: UInt32
    let motif: Motif
    private let start: UInt64

    /// Chooses a motif. Consecutive ids have different motifs, so that a page of the feed is varied.
    init(id: Int) {
        start = SeededGenerator.scramble(UInt64(bitPattern: Int64(id)) &* 0x9E37_79B9_7F4A_7C15 &+ 11)
        seed = UInt32(truncatingIfNeeded: start >> 16)
        let motifs = Motif.allCases
        let (cycle, index) = (id / motifs.count % motifs.count + motifs.count, id % motifs.count + motifs.count)
        motif = motifs[(index + 4 * cycle) % motifs.count]
    }

    /// Returns the color of each point for a viewport.
    func painting(for view: Viewport) -> (SIMD2<Float>) -> Color {
        var numbers = SeededGenerator(seed: start)
        if motif == .flowers { return Garden(&numbers, seed: seed, view: view).color(at:) }
        let palettes = motif == .night ? Palette.nights : Palette.days
        let palette = palettes[numbers.index(below: palettes.count)]
        let layers = layers(&numbers)
        let height = motif == .sea ? numbers.value(0.34...0.49) : numbers.value(0.15...0.45)
        let landscape = Landscape(
            palette, isNight: motif == .night, sun: SIMD2(numbers.value(-0.36...0.36), height),
            horizon: motif == .sea ? 0.52 : 0.65, layers: layers, seed: seed, view: view)
        return { landscape.color(at: $0) }
    }

    /// Returns the layers of a landscape, from the nearest to the furthest.
    private func layers(_ numbers: inout SeededGenerator) -> [Landscape.Layer] {
        let snow = numbers.value(0.03...0.2)
        let sharp = numbers.value(0.9...1.6)
        switch motif {
        case .mountains:
            return [
                ridge(.firs, 0.9, foot: 1.04, relief: 0.46, 1.9), ridge(.hills, 0.62, foot: 0.92, relief: 0.22, 2.4),
                ridge(.peaks, 0.36, foot: 0.82, relief: 0.4, sharp * 1.5, snow: snow * 0.4),
                ridge(.peaks, 0.12, foot: 0.72, relief: 0.5, sharp, snow: snow),
            ]
        case .lake:
            return [
                ridge(.hills, 1, foot: 1.1, relief: 0.26, 1.3),
                .water(shore: 0.58, roughness: numbers.value(0.1...0.5)),
                ridge(.firs, 0.66, foot: 0.605, relief: 0.13, 4), ridge(.hills, 0.42, foot: 0.6, relief: 0.14, 2.1),
                ridge(.peaks, 0.16, foot: 0.64, relief: 0.44, sharp, snow: snow),
            ]
        case .sea:
            return [
                ridge(.peaks, 1, foot: 1.3, relief: 0.42, 1.5),
                .water(shore: 0.52, roughness: numbers.value(0.55...1)),
                ridge(.hills, 0.3, foot: 0.56, relief: 0.15, 1.7),
            ]
        case .night:
            return [
                ridge(.firs, 1, foot: 1.14, relief: 0.5, 1.4), .water(shore: 0.73, roughness: 0.3),
                ridge(.firs, 0.7, foot: 0.77, relief: 0.2, 3),
                ridge(.peaks, 0.3, foot: 0.76, relief: 0.42, 1.4, snow: 0.06),
            ]
        case .forest, .flowers:
            return (0..<5).reversed().map { layer in
                let step = Float(layer)
                return ridge(
                    .firs, 0.08 + 0.22 * step, foot: 0.62 + 0.13 * step, relief: 0.2 + 0.1 * step, 3.4 - 0.55 * step)
            }
        }
    }

    private func ridge(
        _ shape: Ridge.Shape, _ nearness: Float, foot: Float, relief: Float, _ frequency: Float, snow: Float = 0
    ) -> Landscape.Layer {
        let own = seed &+ UInt32(nearness * 100)
        return .ridge(
            Ridge(
                shape: shape, nearness: nearness, foot: foot, relief: relief, frequency: frequency, snow: snow,
                seed: own))
    }
}
