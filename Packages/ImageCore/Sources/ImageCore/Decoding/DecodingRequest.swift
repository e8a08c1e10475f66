/// The frame to decode, and the size and the color space to which to decode it.
public struct DecodingRequest: Hashable, Sendable {
    /// The target; nil for the stored size.
    public var target: ImageTarget?
    /// The color space of the result.
    public var color: OutputColor
    /// The brightness of the result, if the decoder applies gain maps. Those of still images have `Bitmap.hdr` then.
    public var dynamicRange: DynamicRange
    /// The frame of an animation, from 0.
    public var frame: Int
    /// Whether to return the decodable part of a truncated file instead of throwing `.truncated`.
    public var acceptsTruncated: Bool

    /// Creates a request; by default for the first frame at the stored size in sRGB.
    public init(
        target: ImageTarget? = nil, color: OutputColor = .sRGB, dynamicRange: DynamicRange = .standard, frame: Int = 0,
        acceptsTruncated: Bool = false
    ) {
        self.target = target
        self.color = color
        self.dynamicRange = dynamicRange
        self.frame = frame
        self.acceptsTruncated = acceptsTruncated
    }

    /// Returns the size of the decoded image.
    /// - Parameter image: The size of the stored image, upright.
    public func outputSize(for image: PixelSize) -> PixelSize { target?.outputSize(for: image) ?? image }
}

/// The size to which an image is decoded, and how the image fits it.
public struct ImageTarget: Hashable, Sendable {
    /// The way in which the image fits the size.
    @nonexhaustive
    public enum Mode: String, Hashable, Sendable, CaseIterable, Codable {
        /// The whole image fits in the size. The aspect ratio is kept.
        case fit
        /// The image covers the size and is cropped evenly. The aspect ratio is kept.
        case fill
    }

    /// The size in pixels. Each side is at least 1; others trap. `Int.max` is a side without a limit.
    public var size: PixelSize { didSet { Self.check(size) } }
    /// The way in which the image fits the size.
    public var mode: Mode
    /// Whether smaller images are enlarged.
    public var upscales: Bool
    /// Whether quality or speed is preferred.
    public var preference: DecodingPreference
    /// Whether pixels are averaged as light instead of as stored values, so that fine bright and dark patterns keep their
    /// brightness (IEC 61966-2-1). Takes longer: no codec scales the image.
    public var usesLinearLight: Bool
    /// The part of the image, upright and at its stored size, that is decoded as if it were the whole; nil for all. What is
    /// outside of the image is left out, and at least one pixel is decoded.
    ///
    /// The pixels of a part that isn't scaled equal those of the whole image. `PartDecodableImage` decodes it faster.
    public var part: PixelArea?

    /// Creates a target from a size in pixels.
    ///
    /// - Parameters:
    ///   - size: The size. A side below 1 traps: check what you get from a client before.
    ///   - mode: The way in which the image fits the size.
    ///   - upscales: Whether smaller images are enlarged.
    ///   - preference: Whether quality or speed is preferred.
    ///   - usesLinearLight: Whether pixels are averaged as light instead of as stored values.
    ///   - part: The part of the image to decode; nil for all.
    public init(
        _ size: PixelSize, mode: Mode = .fit, upscales: Bool = false, preference: DecodingPreference = .quality,
        usesLinearLight: Bool = false, part: PixelArea? = nil
    ) {
        Self.check(size)
        self.size = size
        self.mode = mode
        self.upscales = upscales
        self.preference = preference
        self.usesLinearLight = usesLinearLight
        self.part = part
    }

    /// Creates a target from a size in points and the scale of the screen.
    ///
    /// Sides are rounded to whole pixels and clamped to 1...65,535. NaN counts as 1.
    public init(
        points: (width: Double, height: Double), scale: Double, mode: Mode = .fit, upscales: Bool = false,
        preference: DecodingPreference = .quality
    ) {
        func pixels(_ side: Double) -> Int {
            let length = (side * scale).rounded()
            return length.isNaN ? 1 : Int(min(max(length, 1), 65_535))
        }
        self.init(
            PixelSize(width: pixels(points.width), height: pixels(points.height)), mode: mode, upscales: upscales,
            preference: preference)
    }

    /// Fits the whole image in a size in pixels. Keeps the aspect ratio and doesn't enlarge smaller images.
    /// - Parameter size: Each side is at least 1; others trap.
    public static func fit(_ size: PixelSize) -> ImageTarget { ImageTarget(size, mode: .fit) }

    /// Fits the whole image in sides in pixels. Keeps the aspect ratio and doesn't enlarge smaller images.
    ///
    /// - Parameters:
    ///   - width: The largest width, at least 1; others trap. By default, only the height is limited.
    ///   - height: The largest height, at least 1; others trap. By default, only the width is limited.
    public static func fit(width: Int = .max, height: Int = .max) -> ImageTarget {
        fit(PixelSize(width: width, height: height))
    }

    /// Covers a size in pixels and crops evenly. Doesn't enlarge smaller images.
    /// - Parameter size: Each side is at least 1; others trap.
    public static func fill(_ size: PixelSize) -> ImageTarget { ImageTarget(size, mode: .fill) }

    /// Covers a size in pixels and crops evenly. Doesn't enlarge smaller images.
    ///
    /// - Parameters:
    ///   - width: The width, at least 1; others trap.
    ///   - height: The height, at least 1; others trap.
    public static func fill(width: Int, height: Int) -> ImageTarget { fill(PixelSize(width: width, height: height)) }

    private static func check(_ size: PixelSize) {
        precondition(size.isValidTarget, "a target has sides of at least 1 pixel, not \(size)")
    }
}

extension ImageTarget: Codable {
    private enum CodingKeys: CodingKey { case size, mode, upscales, preference, usesLinearLight, part }

    /// Throws `DecodingError.dataCorrupted` for a side below 1.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let size = try values.decode(PixelSize.self, forKey: .size)
        guard size.isValidTarget else {
            throw DecodingError.dataCorruptedError(forKey: .size, in: values, debugDescription: "\(size)")
        }
        self.init(
            size, mode: try values.decode(Mode.self, forKey: .mode),
            upscales: try values.decode(Bool.self, forKey: .upscales),
            preference: try values.decode(DecodingPreference.self, forKey: .preference),
            usesLinearLight: try values.decodeIfPresent(Bool.self, forKey: .usesLinearLight) ?? false,
            part: try values.decodeIfPresent(PixelArea.self, forKey: .part))
    }
}

extension PixelSize {
    fileprivate var isValidTarget: Bool { width > 0 && height > 0 }
}

/// Whether quality or speed is preferred when an image is decoded to a smaller size.
@nonexhaustive
public enum DecodingPreference: String, Hashable, Sendable, CaseIterable, Codable {
    /// The result equals that of resampling the whole image, within the precision of 8 bits.
    case quality
    /// The result is sufficient for thumbnails in a fast list. Fine details are not decoded.
    case speed
}

extension ImageTarget {
    /// Returns the size to which an image is resized. Both sizes are upright.
    ///
    /// - `fit`: The aspect ratio is kept. Neither side exceeds the target. Sides are rounded to nearest and at least 1.
    /// - `fill`: The target if the image covers it or may be enlarged. Otherwise the largest size with the target's
    ///   aspect ratio that the image covers.
    package func outputSize(for image: PixelSize) -> PixelSize {
        let image = area(of: image).size
        let (wanted, scale) = (size, scale(of: image))
        switch mode {
        case .fit:
            let factor = min(scale.horizontal, scale.vertical)
            if factor >= 1, !upscales { return image }
            return PixelSize(
                width: scale.horizontal == factor ? wanted.width : wanted.width.limiting(Double(image.width) * factor),
                height: scale.vertical == factor
                    ? wanted.height : wanted.height.limiting(Double(image.height) * factor))
        case .fill:
            let factor = max(scale.horizontal, scale.vertical)
            if factor <= 1 || upscales { return wanted }
            return PixelSize(
                width: min(image.width, wanted.width.limiting(Double(wanted.width) / factor)),
                height: min(image.height, wanted.height.limiting(Double(wanted.height) / factor)))
        }
    }

    /// Returns the part of an image that is decoded, or the whole image.
    func area(of image: PixelSize) -> PixelArea { part?.inside(image) ?? PixelArea(size: image) }

    /// Returns the part of an image that is visible at `outputSize(for:)`: all of it for `fit`, or the center with the
    /// target's aspect ratio for `fill`. If the image is not scaled, the edges are at whole pixels.
    package func region(of image: PixelSize) -> PixelRegion {
        let area = area(of: image)
        var whole = self
        whole.part = nil
        var region = whole.region(ofArea: area.size)
        region.x += Double(area.left)
        region.y += Double(area.top)
        return region
    }

    private func region(ofArea image: PixelSize) -> PixelRegion {
        if mode == .fit { return PixelRegion(image) }
        let (output, wanted, both) = (outputSize(for: image), size, scale(of: image))
        let scale = max(both.horizontal, both.vertical)
        if scale == 1 || (scale > 1 && !upscales) {
            return PixelRegion(
                x: Double((image.width - output.width) / 2), y: Double((image.height - output.height) / 2),
                width: Double(output.width), height: Double(output.height))
        }
        let width = min(Double(image.width), Double(wanted.width) / scale)
        let height = min(Double(image.height), Double(wanted.height) / scale)
        return PixelRegion(
            x: (Double(image.width) - width) / 2, y: (Double(image.height) - height) / 2, width: width,
            height: height)
    }

    private func scale(of image: PixelSize) -> (horizontal: Double, vertical: Double) {
        (Double(size.width) / Double(image.width), Double(size.height) / Double(image.height))
    }
}

extension Int {
    /// Returns `value` rounded to nearest, at least 1 and at most `self`.
    fileprivate func limiting(_ value: Double) -> Int {
        value >= Double(self) ? self : Swift.max(1, Int(value.rounded()))
    }
}
