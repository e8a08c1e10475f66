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

/// The value of `--crop`: a rectangle as `WxH+X+Y`, `WxH` in the center, or `attention`.
enum CropArea: ExpressibleByArgument, Hashable, Sendable {
    case part(PixelSize, at: Origin?)
    /// The part with the aspect ratio of `--size` that attracts attention.
    case attention

    struct Origin: Hashable, Sendable {
        var x: Int
        var y: Int
    }

    init?(argument: String) {
        if argument == "attention" {
            self = .attention
            return
        }
        let parts = argument.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 1 || parts.count == 3, let size = PixelSize(argument: parts[0]), !size.isOpen else {
            return nil
        }
        if parts.count == 1 {
            self = .part(size, at: nil)
        } else {
            guard let x = Int(parts[1]), let y = Int(parts[2]), x >= 0, y >= 0 else { return nil }
            self = .part(size, at: Origin(x: x, y: y))
        }
    }

    /// Returns the crop of an image.
    ///
    /// - Parameters:
    ///   - size: The size of the result.
    ///   - gravity: The part that is kept if there is no origin.
    func processor(for image: Bitmap, size: OutputSize?, gravity: Gravity) throws -> CropProcessor {
        switch self {
        case .part(let size, let origin):
            let origin = origin ?? gravity.origin(of: size, in: image.size)
            return CropProcessor(PixelArea(left: origin.x, top: origin.y, size: size))
        case .attention:
            guard case .pixels(let target) = size else { return CropProcessor(PixelArea(size: image.size)) }
            return try AttentionCropProcessor(size: image.size.part(withAspectRatioOf: target)).crop(for: image)
        }
    }

    /// Returns the size of the part of an image.
    ///
    /// - Parameter size: The size of the result.
    func size(in image: PixelSize, for size: OutputSize?) -> PixelSize {
        switch self {
        case .part(let part, let origin):
            return PixelSize(
                width: max(1, min(part.width, image.width - (origin?.x ?? 0))),
                height: max(1, min(part.height, image.height - (origin?.y ?? 0))))
        case .attention:
            guard case .pixels(let target) = size else { return image }
            return image.part(withAspectRatioOf: target)
        }
    }
}

extension PixelSize {
    /// Returns the largest size inside of this one with the aspect ratio of another.
    fileprivate func part(withAspectRatioOf other: PixelSize) -> PixelSize {
        let factor = min(Double(width) / Double(other.width), Double(height) / Double(other.height))
        func side(_ length: Int, _ whole: Int) -> Int { min(whole, max(1, Int((Double(length) * factor).rounded()))) }
        return PixelSize(width: side(other.width, width), height: side(other.height, height))
    }
}

/// The value of `--gravity`: the part of an image that a crop keeps.
enum Gravity: String, ExpressibleByArgument, CaseIterable, Sendable {
    case center, north, northeast, east, southeast, south, southwest, west, northwest

    /// Returns where a part begins. A part that is larger than the image begins at its corner.
    func origin(of part: PixelSize, in image: PixelSize) -> CropArea.Origin {
        func place(_ length: Int, isAtStart: Bool, isAtEnd: Bool) -> Int {
            max(0, isAtStart ? 0 : isAtEnd ? length : length / 2)
        }
        return CropArea.Origin(
            x: place(
                image.width - part.width, isAtStart: rawValue.hasSuffix("west"), isAtEnd: rawValue.hasSuffix("east")),
            y: place(
                image.height - part.height, isAtStart: rawValue.hasPrefix("north"),
                isAtEnd: rawValue.hasPrefix("south")))
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
    func over(_ color: PixelColor) -> Bitmap { BackgroundProcessor(color).process(self) }
}
