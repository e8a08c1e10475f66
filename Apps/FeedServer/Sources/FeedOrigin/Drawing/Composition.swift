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

    /// Returns the layers from the furthest to the nearest.
    func layers(for view: Viewport) -> [any SceneLayer] {
        var numbers = SeededGenerator(seed: start)
        switch motif {
        case .mountains: return mountains(&numbers, view)
        case .lake: return lake(&numbers, view)
        case .sea: return sea(&numbers, view)
        case .forest: return forest(&numbers, view)
        case .night: return night(&numbers, view)
        case .flowers: return garden(&numbers, view)
        }
    }
}

/// The light of a landscape: its palette and the position of the sun.
struct Daylight {
    var palette: Palette
    var sun: SIMD2<Float>
    var horizon: Float
    var view: Viewport

    init(_ palette: Palette, horizon: Float, _ numbers: inout SeededGenerator, _ view: Viewport) {
        self.palette = palette
        self.horizon = horizon
        self.view = view
        let side = numbers.value(-0.36...0.36)
        sun = SIMD2(side, horizon * numbers.value(0.3...0.85))
    }

    func sunDisc(radius: Float = 0.028) -> DiscLayer {
        let color = mix(palette.light, .white, 0.6)
        return DiscLayer([DiscLayer.Disc(center: sun, radius: radius, color: color, softness: 0.14)], view: view)
    }
}
