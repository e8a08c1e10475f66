import ArgumentParser
import ImageCore
import ImageProcessing

/// The value of `--size`: pixels or a percentage.
enum OutputSize: ExpressibleByArgument, Hashable, Sendable {
    case pixels(PixelSize)
    /// A part of both sides, from above 0 to 10.
    case scale(Double)

    init?(argument: String) {
        if argument.hasSuffix("%") {
            guard let percent = Double(argument.dropLast()), percent > 0, percent <= 1_000 else { return nil }
            self = .scale(percent / 100)
        } else if let size = PixelSize(argument: argument) {
            self = .pixels(size)
        } else {
            return nil
        }
    }

    static var defaultCompletionKind: CompletionKind { PixelSize.defaultCompletionKind }

    /// Returns the target for an image of this size.
    func target(for image: PixelSize, mode: ImageTarget.Mode, upscales: Bool) -> ImageTarget {
        switch self {
        case .pixels(let size): ImageTarget(size, mode: mode, upscales: upscales)
        case .scale(let factor):
            ImageTarget(
                PixelSize(width: Self.side(image.width, factor), height: Self.side(image.height, factor)),
                upscales: true)
        }
    }

    private static func side(_ length: Int, _ factor: Double) -> Int {
        min(max(1, Int((Double(length) * factor).rounded())), 65_535)
    }
}

/// The value of `--crop`: a rectangle as `WxH+X+Y`, or `WxH` in the center.
struct CropArea: ExpressibleByArgument, Hashable, Sendable {
    var size: PixelSize
    var origin: Origin?

    struct Origin: Hashable, Sendable {
        var x: Int
        var y: Int
    }

    init?(argument: String) {
        let parts = argument.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 1 || parts.count == 3, let size = PixelSize(argument: parts[0]), !size.isOpen else {
            return nil
        }
        self.size = size
        if parts.count == 3 {
            guard let x = Int(parts[1]), let y = Int(parts[2]), x >= 0, y >= 0 else { return nil }
            origin = Origin(x: x, y: y)
        }
    }

    /// Cuts the rectangle out of an image, as far as it is inside.
    func cut(_ bitmap: Bitmap) throws -> Bitmap {
        let x = origin?.x ?? max(0, (bitmap.size.width - size.width) / 2)
        let y = origin?.y ?? max(0, (bitmap.size.height - size.height) / 2)
        return try CropProcessor(x: x, y: y, size: size).process(bitmap)
    }
}

/// A color as in CSS: `#rgb`, `#rrggbb`, `black` or `white`.
struct ColorArgument: ExpressibleByArgument, Hashable, Sendable {
    var color: PixelColor

    init(_ color: PixelColor) { self.color = color }

    init?(argument: String) {
        switch argument.lowercased() {
        case "white": color = .white
        case "black": color = .black
        case let text:
            let digits = text.drop { $0 == "#" }.map { $0 }
            let six = digits.count == 3 ? digits.flatMap { [$0, $0] } : digits
            guard six.count == 6, let value = UInt32(String(six), radix: 16) else { return nil }
            color = PixelColor(
                red: UInt8(value >> 16), green: UInt8(value >> 8 & 255), blue: UInt8(value & 255))
        }
    }
}

extension Bitmap {
    /// Returns the image over a color, or unchanged if it is opaque.
    func over(_ color: PixelColor) -> Bitmap {
        if isOpaque { return self }
        let color = color.values(in: colorSpace)
        var pixels = pixels
        for start in stride(from: 0, to: pixels.count, by: 4) {
            let alpha = UInt32(pixels[start + 3])
            if alpha == 255 { continue }
            for (channel, back) in [color.red, color.green, color.blue].enumerated() {
                let value = UInt32(pixels[start + channel]) * alpha + UInt32(back) * (255 - alpha)
                pixels[start + channel] = UInt8((value + 127) / 255)
            }
            pixels[start + 3] = 255
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: true, colorSpace: colorSpace)
    }
}
