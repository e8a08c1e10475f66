import Foundation
import ImageCore
import ImageProcessing

/// What a URL asks for, apart from the source: sizes, filters, the output and its delivery.
struct ProcessingOptions: Hashable, Sendable {
    /// How an image is resized to the width and the height.
    enum ResizingType: String, Hashable, Sendable, CaseIterable {
        /// The whole image fits in the size.
        case fit
        /// The image covers the size and is cropped to it.
        case fill
        /// Like `fill`, with the aspect ratio of the size if the image is smaller.
        case fillDown = "fill-down"
        /// The aspect ratio is not kept.
        case force
        /// `fill` if source and size are both portrait or both landscape, otherwise `fit`.
        case auto
    }

    /// An area that is cut out before resizing. Sides below 1 are fractions, 0 is the whole side.
    struct Crop: Hashable, Sendable {
        /// The width, in pixels of the source or as a fraction.
        var width = 0.0
        /// The height, in pixels of the source or as a fraction.
        var height = 0.0
        /// The position; nil for that of the options.
        var gravity: Gravity?
    }

    /// Whether the result is extended to a size or an aspect ratio, and where the image is placed.
    struct Extension: Hashable, Sendable {
        var isEnabled = false
        var gravity = Gravity()
    }

    /// Space around the image, in pixels before `dpr`.
    struct Padding: Hashable, Sendable {
        var top = 0, right = 0, bottom = 0, left = 0
    }

    /// A border of one color that is cut off.
    struct Trim: Hashable, Sendable {
        /// The most by which a channel of the border differs from its color, from 0 to 255.
        var threshold = 10
        /// The color; nil for that of the pixel at the top left.
        var color: PixelColor?
        /// Whether as much is cut off at the left as at the right.
        var equalsHorizontally = false
        /// Whether as much is cut off at the top as at the bottom.
        var equalsVertically = false
    }

    /// An image that is drawn over the result.
    struct Watermark: Hashable, Sendable {
        /// The opacity from 0 to 1; 0 for no watermark.
        var opacity = 0.0
        /// The position; nil for tiles.
        var anchor: Gravity.Anchor? = .center
        /// The horizontal offset or the space between tiles: pixels if it is at least 1 or at most -1, otherwise a
        /// fraction of the result.
        var x = 0.0
        /// The same vertically.
        var y = 0.0
        /// The size as a fraction of the result; 0 for the size of the watermark.
        var scale = 0.0
        /// The URL of the image; nil for that of the settings.
        var source: URL?

        /// The position; nil for tiles.
        var gravity: Gravity? { anchor.map { Gravity($0, x: x, y: y) } }
    }

    struct Flip: Hashable, Sendable {
        /// Whether left and right are exchanged.
        var isHorizontal = false
        /// Whether top and bottom are exchanged.
        var isVertical = false
    }

    var resizingType = ResizingType.fit
    /// The width in pixels; 0 for that which keeps the aspect ratio.
    var width = 0
    /// The height in pixels; 0 for that which keeps the aspect ratio.
    var height = 0
    /// The smallest width in pixels; 0 for none.
    var minWidth = 0
    /// The smallest height in pixels; 0 for none.
    var minHeight = 0
    /// Factors of the width and of the height.
    var zoom = Zoom()
    /// The factor between pixels of the result and of the options.
    var dpr = 1.0
    var enlarges = false
    /// Whether the result is extended to the width and the height.
    var extends = Extension()
    /// Whether the result is extended to the aspect ratio of the width and the height.
    var extendsAspectRatio = Extension()
    /// The part of the image that is kept by `fill` and by crops.
    var gravity = Gravity()
    /// The area that is processed.
    var crop = Crop()
    var padding = Padding()
    /// Whether the orientation of the file applies.
    var rotatesAutomatically = true
    /// The clockwise rotation in degrees: 0, 90, 180 or 270.
    var rotation = 0
    /// How the image is mirrored, after the rotation.
    var flip = Flip()
    /// The border that is cut off; nil for none.
    var trim: Trim?
    /// The color behind transparent pixels; nil for none.
    var background: PixelColor?
    /// The standard deviation of the blur in pixels; 0 for none.
    var blur = 0.0
    /// The standard deviation of the blur to which edges are compared when they are sharpened; 0 for none.
    var sharpening = 0.0
    /// The image that is drawn over the result.
    var watermark = Watermark()
    /// The side of the squares of a pixelated image; below 2 for none.
    var pixelate = 0
    /// The quality from 1 to 100; 0 for that of the format.
    var quality = 0
    /// The quality by format, from 1 to 100.
    var formatQuality: [ImageFormat: Int] = [:]
    /// The largest result in bytes; 0 for no limit.
    var maxBytes = 0
    /// The format of the result; nil to choose it by the source and the Accept field.
    var format: ImageFormat?
    /// Whether the result is in sRGB, without a profile. Otherwise, it is in Display P3 with a profile if the gamut of the
    /// source is larger than sRGB.
    var stripsColorProfile = true
    /// Whether the result has no metadata of the source, apart from the copyright.
    var stripsMetadata = true
    /// Whether the copyright is kept if the metadata is not.
    var keepsCopyright = true
    /// Whether pixels are averaged as light.
    var usesLinearLight = false
    /// Whether a JPEG result keeps the gain map of a JPEG source.
    var preservesHDR = false
    /// The formats whose sources are delivered unchanged if the result has the same format.
    var unprocessedFormats: Set<ImageFormat> = []
    /// Whether the client wants to load less data: the quality is lower, unless the URL has one.
    var savesData = false
    /// Whether the client shows the result while it arrives, so that it is progressive if its format can be.
    var isProgressive = false
    /// Whether the source is delivered unchanged, whatever it is.
    var isRaw = false
    /// A text that only makes URLs and cache keys differ.
    var cacheBuster = ""
    /// The time after which the URL is not valid, in seconds since 1970; 0 for never.
    var expires = 0
    /// The name of the file without extension; empty for that of the source.
    var filename = ""
    /// Whether browsers save the file instead of showing it.
    var isAttachment = false
    /// The limits of the URL; nil if URLs must not have any.
    var limits: Limits?

    /// Limits of a URL in place of those of the server; nil for those of the server.
    struct Limits: Hashable, Sendable {
        /// The largest source in pixels.
        var sourcePixels: Int?
        /// The largest source in bytes. The server downloads no more than its own limit.
        var sourceBytes: Int?
        /// The most frames of an animation.
        var frames: Int?
        /// The largest frame of an animation in pixels; 0 for no such limit.
        var framePixels: Int?
        /// The longest side of the result in pixels.
        var resultSide: Int?
    }

    /// Factors of the width and of the height.
    struct Zoom: Hashable, Sendable {
        /// The factor of the width.
        var x = 1.0
        /// The factor of the height.
        var y = 1.0
    }

    /// The position of the area that is processed.
    var cropGravity: Gravity { crop.gravity ?? gravity }

    /// The URL of the watermark, if one is drawn and has a URL.
    var watermarkSource: URL? { watermark.opacity > 0 && !isRaw ? watermark.source : nil }

    /// Whether the result can have space around the image.
    var addsSpace: Bool { extends.isEnabled || extendsAspectRatio.isEnabled || padding != Padding() }
}

extension ProcessingOptions {
    /// The options that affect the bytes of the result, in a fixed order. Equal keys give equal results.
    var cacheKey: String {
        var fields = [
            "rs:\(resizingType.rawValue):\(width):\(height):\(minWidth):\(minHeight)", "z:\(zoom.x):\(zoom.y):\(dpr)",
            "el:\(enlarges)", "ex:\(extends.isEnabled):\(extends.gravity)",
            "exar:\(extendsAspectRatio.isEnabled):\(extendsAspectRatio.gravity)", "g:\(gravity)",
            "c:\(crop.width):\(crop.height):\(crop.gravity ?? gravity)",
            "pd:\(padding.top):\(padding.right):\(padding.bottom):\(padding.left)",
            "ar:\(rotatesAutomatically):\(rotation)",
            "bg:\(background.map { "\($0.red),\($0.green),\($0.blue)" } ?? "")",
            "bl:\(blur):\(pixelate)", "q:\(quality):\(maxBytes)",
            "fq:" + formatQuality.map { "\($0.key):\($0.value)" }.sorted().joined(separator: ":"),
            "skp:" + unprocessedFormats.map(\.rawValue).sorted().joined(separator: ":"), "cb:\(cacheBuster)",
        ]
        if !stripsColorProfile { fields.append("scp:false") }
        if flip != Flip() { fields.append("fl:\(flip.isHorizontal):\(flip.isVertical)") }
        if let trim { fields.append("t:\(trim.text)") }
        if sharpening > 0 { fields.append("sh:\(sharpening)") }
        if watermark.opacity > 0 { fields.append("wm:\(watermark.text)") }
        if isRaw { fields.append("raw") }
        if !stripsMetadata { fields.append("sm:false") } else if !keepsCopyright { fields.append("kcr:false") }
        if usesLinearLight { fields.append("lin") }
        if preservesHDR { fields.append("ph") }
        if savesData { fields.append("save") }
        if isProgressive { fields.append("i") }
        if let limits, limits != Limits() { fields.append("limits:\(limits.text)") }
        return fields.joined(separator: "/")
    }
}

extension ProcessingOptions.Trim {
    fileprivate var text: String {
        let color = color.map { "\($0.red),\($0.green),\($0.blue)" } ?? ""
        return "\(threshold):\(color):\(equalsHorizontally):\(equalsVertically)"
    }
}

extension ProcessingOptions.Limits {
    fileprivate var text: String {
        [sourcePixels, sourceBytes, frames, framePixels, resultSide].map { $0.map { "\($0)" } ?? "" }
            .joined(separator: ":")
    }
}

extension ProcessingOptions.Watermark {
    fileprivate var text: String {
        let url = source.map { ":\(Base64URL.encode($0.absoluteString.utf8))" } ?? ""
        return "\(opacity):\(anchor?.rawValue ?? "re"):\(x):\(y):\(scale)\(url)"
    }
}
