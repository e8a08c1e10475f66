import ImageCore

/// Draws images into rows of cells. A caption shows the format, source and time of each image.
struct ContactSheet {
    /// An image of the sheet.
    struct Tile: Sendable {
        var bitmap: Bitmap
        var source: ImageSource
        var caption: String

        init(_ loaded: LoadedImage, elapsed: Duration) {
            bitmap = loaded.decoded.bitmap.converted(to: .sRGB)
            source = loaded.source
            let header = loaded.decoded.header
            let animated = header.frameCount > 1 ? " \(header.frameCount)F" : ""
            caption = "\(header.format.rawValue)\(animated) \(loaded.source.rawValue) \(Self.milliseconds(elapsed))"
        }

        private static func milliseconds(_ elapsed: Duration) -> String {
            let microseconds = Int(elapsed / .microseconds(1))
            return microseconds < 1_000 ? "\(microseconds) US" : "\(microseconds / 1_000) MS"
        }
    }

    var columns: Int
    var cell: PixelSize

    private static let gap = 8
    private static let captionHeight = 15
    private static let background: [UInt8] = [24, 25, 28, 255]
    private static let missing: [UInt8] = [58, 36, 38, 255]
    private static let textColor: [UInt8] = [214, 216, 220, 255]

    /// Draws the sheet. A nil tile is an image that failed to load.
    func draw(_ tiles: [Tile?]) -> Bitmap {
        let rows = max(1, (tiles.count + columns - 1) / columns)
        let columns = min(columns, max(1, tiles.count))
        let size = PixelSize(
            width: Self.gap + columns * (cell.width + Self.gap),
            height: Self.gap + rows * (cell.height + Self.captionHeight + Self.gap))
        var canvas = Canvas(size: size, color: Self.background)
        for (index, tile) in tiles.enumerated() {
            let x = Self.gap + index % columns * (cell.width + Self.gap)
            let y = Self.gap + index / columns * (cell.height + Self.captionHeight + Self.gap)
            draw(tile, x, y, on: &canvas)
        }
        return Bitmap(size: size, pixels: canvas.pixels, isOpaque: true)
    }

    private func draw(_ tile: Tile?, _ x: Int, _ y: Int, on canvas: inout Canvas) {
        guard let tile else {
            canvas.fill(x, y, cell.width, cell.height, Self.missing)
            canvas.write("failed", x + 4, y + cell.height + 5, Self.textColor)
            return
        }
        let size = tile.bitmap.size
        canvas.checker(x, y, cell.width, cell.height)
        canvas.blend(tile.bitmap, x + (cell.width - size.width) / 2, y + (cell.height - size.height) / 2)
        canvas.fill(x, y + cell.height, cell.width, 3, tile.source.color)
        canvas.write(tile.caption, x, y + cell.height + 6, Self.textColor, limit: x + cell.width)
    }
}

extension ImageSource {
    fileprivate var color: [UInt8] {
        switch self {
        case .memory: [90, 190, 110, 255]
        case .local: [150, 150, 150, 255]
        case .disk: [80, 140, 230, 255]
        case .validated: [70, 190, 220, 255]
        case .stale: [170, 120, 200, 255]
        case .network: [230, 150, 60, 255]
        }
    }
}

/// An opaque bitmap to draw on.
struct Canvas {
    let size: PixelSize
    private(set) var pixels: [UInt8]

    init(size: PixelSize, color: [UInt8]) {
        self.size = size
        pixels = []
        pixels.reserveCapacity(size.area * 4)
        for _ in 0..<size.area { pixels.append(contentsOf: color) }
    }

    mutating func set(_ x: Int, _ y: Int, _ color: [UInt8]) {
        guard (0..<size.width).contains(x), (0..<size.height).contains(y) else { return }
        let offset = (y * size.width + x) * 4
        for channel in 0..<4 { pixels[offset + channel] = color[channel] }
    }

    mutating func fill(_ x: Int, _ y: Int, _ width: Int, _ height: Int, _ color: [UInt8]) {
        for row in y..<y + height {
            for column in x..<x + width { set(column, row, color) }
        }
    }

    /// Draws the checkerboard that shows transparency.
    mutating func checker(_ x: Int, _ y: Int, _ width: Int, _ height: Int) {
        for row in 0..<height {
            for column in 0..<width {
                let shade: UInt8 = (row / 8 + column / 8).isMultiple(of: 2) ? 70 : 96
                set(x + column, y + row, [shade, shade, shade, 255])
            }
        }
    }

    /// Draws an image over the canvas with alpha blending.
    mutating func blend(_ bitmap: Bitmap, _ x: Int, _ y: Int) {
        for row in 0..<bitmap.size.height where (0..<size.height).contains(y + row) {
            for column in 0..<bitmap.size.width where (0..<size.width).contains(x + column) {
                let from = (row * bitmap.size.width + column) * 4
                let to = ((y + row) * size.width + x + column) * 4
                let alpha = Int(bitmap.pixels[from + 3])
                for channel in 0..<3 {
                    let over = Int(bitmap.pixels[from + channel]) * alpha + Int(pixels[to + channel]) * (255 - alpha)
                    pixels[to + channel] = UInt8((over + 127) / 255)
                }
            }
        }
    }

    /// Draws text in a font of 5 by 7 pixels. Characters that the font lacks are left blank.
    mutating func write(_ text: String, _ x: Int, _ y: Int, _ color: [UInt8], limit: Int = .max) {
        var left = x
        for character in text.uppercased() {
            guard left + 5 <= limit else { return }
            for (row, bits) in (CaptionFont.glyphs[character] ?? []).enumerated() {
                for column in 0..<5 where bits & (16 >> column) != 0 { set(left + column, y + row, color) }
            }
            left += 6
        }
    }
}
