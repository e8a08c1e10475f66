/// The colors of a landscape at a time of day.
struct Palette {
    var zenith, middle, horizon: Color
    /// The color of the sun and of lit surfaces.
    var light: Color
    var cloudShade: Color
    /// The colors of distant and of near land.
    var far, near: Color
    var ground, water: Color

    private init(_ hex: UInt32...) {
        let colors = hex.map(Color.init(hex:))
        zenith = colors[0]
        middle = colors[1]
        horizon = colors[2]
        light = colors[3]
        cloudShade = colors[4]
        far = colors[5]
        near = colors[6]
        ground = colors[7]
        water = colors[8]
    }

    static let days: [Palette] = [
        // A clear noon.
        Palette(0x2A6BB8, 0x6FA8DC, 0xD3E6F2, 0xFFF8E4, 0xA9B8CC, 0x5F7F9E, 0x3C5A3A, 0x4E7A2E, 0x1F5673),
        // A golden evening.
        Palette(0x31466E, 0xC98A6B, 0xFFD28A, 0xFFE2A0, 0x8A5F6B, 0x7A5A6E, 0x3B2A33, 0x5A4226, 0x3A3550),
        // A pink dawn.
        Palette(0x5A6FA8, 0xC59AC0, 0xFFD9CC, 0xFFE9DA, 0x9A86A8, 0x7D7BA3, 0x3F4763, 0x55604F, 0x4A6288),
        // A cold winter day.
        Palette(0x6C93BC, 0xA9C4DB, 0xEAF1F5, 0xFFFDF5, 0x9AA9BA, 0x8AA0B8, 0x4C6178, 0x9FB2C2, 0x3E617C),
        // Spring.
        Palette(0x3F8FCF, 0x8CC6E8, 0xF2F3DC, 0xFFF6D0, 0xB4C3D0, 0x6E9A8C, 0x3E7A3C, 0x7FAE35, 0x2B7A86),
        // A red sunset.
        Palette(0x2B2A55, 0x9E3F5C, 0xFF9A4C, 0xFFC46B, 0x5A2F4F, 0x5E2F4B, 0x2A1830, 0x3A2028, 0x40203F),
    ]

    static let nights: [Palette] = [
        Palette(0x050A1E, 0x102650, 0x2F5580, 0xE8EEFF, 0x1B2A48, 0x1D3252, 0x0A1426, 0x0C1620, 0x0B1B38),
        Palette(0x0B0820, 0x2A1B4E, 0x8A4A78, 0xFFE4D0, 0x33234E, 0x35254F, 0x120C20, 0x170F1C, 0x1A1238),
    ]
}
