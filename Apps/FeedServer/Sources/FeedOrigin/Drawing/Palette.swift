/// The colors of a landscape at a time of day.
struct Palette {
    var zenith: Color
    var middle: Color
    var horizon: Color
    /// The color of the sun and of lit surfaces.
    var light: Color
    var cloudShade: Color
    /// The color of distant land.
    var far: Color
    /// The color of near land.
    var near: Color
    var ground: Color
    var water: Color
    var isNight = false

    private init(
        _ zenith: UInt32, _ middle: UInt32, _ horizon: UInt32, light: UInt32, cloud: UInt32, far: UInt32, near: UInt32,
        ground: UInt32, water: UInt32, isNight: Bool = false
    ) {
        self.zenith = Color(hex: zenith)
        self.middle = Color(hex: middle)
        self.horizon = Color(hex: horizon)
        self.light = Color(hex: light)
        cloudShade = Color(hex: cloud)
        self.far = Color(hex: far)
        self.near = Color(hex: near)
        self.ground = Color(hex: ground)
        self.water = Color(hex: water)
        self.isNight = isNight
    }

    static let days: [Palette] = [
        // A clear noon.
        Palette(
            0x2A6BB8, 0x6FA8DC, 0xD3E6F2, light: 0xFFF8E4, cloud: 0xA9B8CC, far: 0x5F7F9E, near: 0x3C5A3A,
            ground: 0x4E7A2E, water: 0x1F5673),
        // A golden evening.
        Palette(
            0x31466E, 0xC98A6B, 0xFFD28A, light: 0xFFE2A0, cloud: 0x8A5F6B, far: 0x7A5A6E, near: 0x3B2A33,
            ground: 0x5A4226, water: 0x3A3550),
        // A pink dawn.
        Palette(
            0x5A6FA8, 0xC59AC0, 0xFFD9CC, light: 0xFFE9DA, cloud: 0x9A86A8, far: 0x7D7BA3, near: 0x3F4763,
            ground: 0x55604F, water: 0x4A6288),
        // A cold winter day.
        Palette(
            0x6C93BC, 0xA9C4DB, 0xEAF1F5, light: 0xFFFDF5, cloud: 0x9AA9BA, far: 0x8AA0B8, near: 0x4C6178,
            ground: 0x9FB2C2, water: 0x3E617C),
        // After a storm.
        Palette(
            0x3A4654, 0x6B7A86, 0xE0D3AE, light: 0xFFF0C4, cloud: 0x47505C, far: 0x54626B, near: 0x2E3A36,
            ground: 0x5B6B33, water: 0x2C4048),
        // Spring.
        Palette(
            0x3F8FCF, 0x8CC6E8, 0xF2F3DC, light: 0xFFF6D0, cloud: 0xB4C3D0, far: 0x6E9A8C, near: 0x3E7A3C,
            ground: 0x7FAE35, water: 0x2B7A86),
        // A red sunset.
        Palette(
            0x2B2A55, 0x9E3F5C, 0xFF9A4C, light: 0xFFC46B, cloud: 0x5A2F4F, far: 0x5E2F4B, near: 0x2A1830,
            ground: 0x3A2028, water: 0x40203F),
        // A southern country, late in the afternoon.
        Palette(
            0x3F7FB8, 0x9DC3D4, 0xF7E3BF, light: 0xFFEFC7, cloud: 0xC4B2A0, far: 0xB08A72, near: 0x9A5E3C,
            ground: 0xC98A4B, water: 0x2F7F95),
    ]

    static let nights: [Palette] = [
        Palette(
            0x050A1E, 0x102650, 0x2F5580, light: 0xE8EEFF, cloud: 0x1B2A48, far: 0x1D3252, near: 0x0A1426,
            ground: 0x0C1620, water: 0x0B1B38, isNight: true),
        Palette(
            0x0B0820, 0x2A1B4E, 0x8A4A78, light: 0xFFE4D0, cloud: 0x33234E, far: 0x35254F, near: 0x120C20,
            ground: 0x170F1C, water: 0x1A1238, isNight: true),
        Palette(
            0x03121A, 0x0B3A40, 0x3E8A78, light: 0xDDFBE8, cloud: 0x12343A, far: 0x12353C, near: 0x06161A,
            ground: 0x081A18, water: 0x06242C, isNight: true),
    ]
}
