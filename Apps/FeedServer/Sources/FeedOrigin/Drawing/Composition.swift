/// The contents of a scene. They depend only on its id.
struct Composition {
    enum Motif: CaseIterable {
        case mountains, lake, sea, dunes, meadows, forest, city, night, balls, flowers
    }

    let seed: UInt32
    let motif: Motif
    private let start: UInt64

    /// Chooses a motif. Consecutive ids have different motifs, so that a page of the feed is varied.
    init(id: Int) {
        start = SeededGenerator.scramble(UInt64(bitPattern: Int64(id)) &* 0x9E37_79B9_7F4A_7C15 &+ 11)
        seed = UInt32(truncatingIfNeeded: start >> 16)
        let motifs = Motif.allCases
        let cycle = id / motifs.count
        let index = (id % motifs.count + motifs.count) % motifs.count
        motif = motifs[(index * 7 + cycle % motifs.count * 4 + 4 * motifs.count) % motifs.count]
    }

    /// Returns the layers from the furthest to the nearest.
    func layers(for view: Viewport, isAnimated: Bool) -> [any SceneLayer] {
        var numbers = SeededGenerator(seed: start)
        var scene: [any SceneLayer]
        switch motif {
        case .balls: return stillLife(&numbers, view)
        case .flowers: return garden(&numbers, view)
        case .mountains: scene = mountains(&numbers, view)
        case .lake: scene = lake(&numbers, view)
        case .sea: scene = sea(&numbers, view)
        case .dunes: scene = dunes(&numbers, view)
        case .meadows: scene = meadows(&numbers, view)
        case .forest: scene = forest(&numbers, view)
        case .city: scene = city(&numbers, view)
        case .night: scene = night(&numbers, view)
        }
        if isAnimated { scene.append(balloons(&numbers, view)) }
        return scene
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

    func sky(cover: Float, glow: Float = 1, seed: UInt32) -> SkyLayer {
        SkyLayer(
            SkyLayer.Recipe(
                zenith: palette.zenith, middle: palette.middle, horizon: palette.horizon,
                horizonHeight: horizon, glow: palette.light, sun: sun, glowStrength: glow,
                cloudLight: mix(palette.horizon, palette.light, 0.75), cloudShade: palette.cloudShade,
                cloudCover: cover, seed: seed), view: view)
    }

    func sunDisc(radius: Float = 0.028) -> DiscLayer {
        let color = mix(palette.light, .white, 0.6)
        return DiscLayer([DiscLayer.Disc(center: sun, radius: radius, color: color, softness: 0.14)], view: view)
    }

    /// Returns a layer of land.
    ///
    /// - Parameter nearness: From 0 (far, in the far color) to 1 (near, in the near color).
    func land(
        _ silhouette: Silhouette, _ surface: LandLayer.Surface, nearness: Float, foot: Float, relief: Float,
        frequency: Float, tint: Color? = nil, seed: UInt32
    ) -> LandLayer {
        var color = tint ?? mix(palette.far, palette.near, nearness)
        if case .forest = surface, tint == nil { color = mix(color, Color(hex: 0x1F3D2C), palette.isNight ? 0 : 0.55) }
        return LandLayer(
            LandLayer.Recipe(
                silhouette: silhouette, foot: foot, relief: relief, frequency: frequency,
                top: color, bottom: color.lit(0.62), light: palette.light,
                haze: mix(palette.horizon, palette.far, 0.18), distance: 0.62 * (1 - nearness) * (1 - 0.5 * nearness),
                surface: surface, depth: 0.1 + 0.9 * nearness * nearness, sunFromLeft: sun.x < 0, seed: seed),
            view: view)
    }
}
