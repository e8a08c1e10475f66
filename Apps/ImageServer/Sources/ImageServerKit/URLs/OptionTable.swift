import Foundation
import ImageCore

/// The options of imgproxy that this server has, by their long and short names. The README's table is made of it.
enum OptionTable {
    /// Applies the arguments of an option.
    typealias Apply = @Sendable (OptionArguments, inout ProcessingOptions) throws(URLFailure) -> Void

    /// An option with all of its names.
    struct Entry: Sendable {
        let names: [String]
        /// The names of the arguments, separated by colons.
        let arguments: String
        /// What it does, in one line of Markdown.
        let summary: String
        let apply: Apply

        /// - Parameter limit: The most arguments that the option has.
        init(
            _ names: String..., takes arguments: String, limit: Int = 1, _ summary: String, apply: @escaping Apply
        ) {
            self.names = names
            self.arguments = arguments
            self.summary = summary
            self.apply = { arguments, options throws(URLFailure) in
                try arguments.limit(to: limit)
                try apply(arguments, &options)
            }
        }
    }

    /// The largest side that a URL can ask for, in pixels. More counts as this.
    static let maxSide = 1_000_000
    /// The factors that a URL can ask for. The size of the result has its own limit.
    static let factors = 0.001...1_000.0

    /// All options in the order of the README, apart from `preset`.
    static let all = sizes + areas + filters + outputs + deliveries + limits

    static let entries: [String: Apply] = {
        var entries: [String: Apply] = [:]
        for entry in all { for name in entry.names { entries[name] = entry.apply } }
        return entries
    }()

    private static let sizes = [
        Entry(
            "resize", "rs", takes: "type:width:height:enlarge:extend:gravity", limit: 8,
            "`resizing_type` and `size` in one"
        ) { arguments, options throws(URLFailure) in
            try setResizingType(arguments, &options)
            try setSize(arguments.dropFirst(1), &options)
        },
        Entry(
            "size", "s", takes: "width:height:enlarge:extend:gravity", limit: 7,
            "`width`, `height`, `enlarge` and `extend` in one"
        ) { arguments, options throws(URLFailure) in
            try setSize(arguments, &options)
        },
        Entry("resizing_type", "rt", takes: "type", "`fit`, `fill`, `fill-down`, `force` or `auto`") {
            arguments, options throws(URLFailure) in
            try setResizingType(arguments, &options)
        },
        Entry("width", "w", takes: "pixels", "The width; 0 for that of the aspect ratio", apply: side(\.width)),
        Entry("height", "h", takes: "pixels", "The height; 0 for that of the aspect ratio", apply: side(\.height)),
        Entry(
            "min-width", "min_width", "mw", takes: "pixels", "The smallest width before it is cropped",
            apply: side(\.minWidth)),
        Entry(
            "min-height", "min_height", "mh", takes: "pixels", "The smallest height before it is cropped",
            apply: side(\.minHeight)),
        Entry("zoom", "z", takes: "x:y", limit: 2, "Multiplies width and height; `y` is `x` if it is left out") {
            arguments, options throws(URLFailure) in
            options.zoom.x = try arguments.factor(0, within: factors) ?? options.zoom.x
            options.zoom.y = try arguments.factor(1, within: factors) ?? options.zoom.x
        },
        Entry("dpr", takes: "factor", "Multiplies sizes, offsets and paddings") {
            arguments, options throws(URLFailure) in
            options.dpr = try arguments.factor(0, within: factors) ?? options.dpr
        },
        Entry("enlarge", "el", takes: "flag", "Enlarges smaller images", apply: flag(\.enlarges)),
        Entry(
            "extend", "ex", takes: "flag:gravity", limit: 4,
            "Adds space up to the size. The gravity is not `sm`"
        ) { arguments, options throws(URLFailure) in
            options.extends = try extent(arguments, options.extends)
        },
        Entry(
            "extend_aspect_ratio", "extend_ar", "exar", takes: "flag:gravity", limit: 4,
            "Adds space up to the aspect ratio of the size"
        ) { arguments, options throws(URLFailure) in
            options.extendsAspectRatio = try extent(arguments, options.extendsAspectRatio)
        },
    ]

    private static let areas = [
        Entry(
            "gravity", "g", takes: "type:x:y", limit: 3,
            "`ce` `no` `so` `ea` `we` `noea` `nowe` `soea` `sowe` with offsets, `fp` with a point, or `sm` for what "
                + "attracts attention"
        ) { arguments, options throws(URLFailure) in
            options.gravity = try arguments.gravity(from: 0) ?? options.gravity
        },
        Entry("crop", "c", takes: "width:height:gravity", limit: 5, "Cuts an area out; sides below 1 are fractions") {
            arguments, options throws(URLFailure) in
            let range = 0.0...Double.greatestFiniteMagnitude
            let width = try arguments.number(0, in: range).map { min($0, Double(maxSide)) }
            let height = try arguments.number(1, in: range).map { min($0, Double(maxSide)) }
            options.crop.width = width ?? options.crop.width
            options.crop.height = height ?? options.crop.height
            options.crop.gravity = try arguments.gravity(from: 2) ?? options.crop.gravity
        },
        Entry(
            "padding", "pd", takes: "top:right:bottom:left", limit: 4,
            "Adds space. Right and bottom are like top if they are left out, left is like right"
        ) { arguments, options throws(URLFailure) in
            var padding = options.padding
            padding.top = try arguments.integer(0, upTo: maxSide) ?? padding.top
            padding.right = try arguments.integer(1, upTo: maxSide) ?? padding.top
            padding.bottom = try arguments.integer(2, upTo: maxSide) ?? padding.top
            padding.left = try arguments.integer(3, upTo: maxSide) ?? padding.right
            options.padding = padding
        },
        Entry(
            "trim", "t", takes: "threshold:hex:equal_hor:equal_ver", limit: 4,
            "Cuts off a border of a color, or of that at the top left. Not for animations; none without a threshold"
        ) { arguments, options throws(URLFailure) in
            options.trim = try trim(arguments, options.trim)
        },
        Entry(
            "auto_rotate", "ar", takes: "flag", "Applies the orientation of the file; on by default",
            apply: flag(\.rotatesAutomatically)),
        Entry("rotate", "rot", takes: "degrees", "Turns clockwise by a multiple of 90") {
            arguments, options throws(URLFailure) in
            let angle = try arguments.integer(0, in: Int.min...Int.max) ?? options.rotation
            guard angle.isMultiple(of: 90) else { throw arguments.invalid("\(angle) is not a multiple of 90") }
            options.rotation = (angle % 360 + 360) % 360
        },
    ]

    private static let filters = [
        Entry("flip", "fl", takes: "horizontal:vertical", limit: 2, "Mirrors the image") { arguments, options in
            options.flip.isHorizontal = arguments.flag(0) ?? options.flip.isHorizontal
            options.flip.isVertical = arguments.flag(1) ?? options.flip.isVertical
        },
        Entry(
            "background", "bg", takes: "hex or red:green:blue", limit: 3,
            "The color behind transparent pixels; none without arguments"
        ) { arguments, options throws(URLFailure) in
            options.background = try arguments.color()
        },
        Entry("blur", "bl", takes: "sigma", "A Gaussian blur", apply: sigma(\.blur, most: 1_000)),
        Entry("sharpen", "sh", takes: "sigma", "Sharpens edges", apply: sigma(\.sharpening, most: 1_000)),
        Entry(
            "watermark", "wm", takes: "opacity:position:x:y:scale", limit: 5,
            "Draws the image of the settings at a position of `gravity`, apart from `fp` and `sm`, or in tiles: `re`"
        ) { arguments, options throws(URLFailure) in
            options.watermark = try watermark(arguments, options.watermark)
        },
        Entry(
            "watermark_url", "wmu", takes: "url",
            "The image of `watermark` in place of that of the settings, in URL-safe Base64. The rules for sources apply"
        ) { arguments, options throws(URLFailure) in
            if let text = arguments.text(0) { options.watermark.source = try SourceText.url(inBase64: text) }
        },
        Entry("pixelate", "pix", takes: "pixels", "Squares of one color", apply: side(\.pixelate)),
    ]

    private static let outputs = [
        Entry("quality", "q", takes: "1 to 100", "The quality of lossy formats; 0 for that of the settings") {
            arguments, options throws(URLFailure) in
            options.quality = try arguments.integer(0, in: 0...100) ?? options.quality
        },
        Entry(
            "format_quality", "fq", takes: "format:quality:…", limit: .max,
            "The quality by format, also of formats that this server can't write"
        ) { arguments, options throws(URLFailure) in
            guard arguments.count.isMultiple(of: 2) else { throw arguments.invalid("a quality is missing") }
            for index in stride(from: 0, to: arguments.count, by: 2) {
                let format = try OutputFormats.knownFormat(named: arguments.text(index) ?? "")
                let quality = try arguments.integer(index + 1, in: 0...100) ?? 0
                options.formatQuality[format] = quality > 0 ? quality : nil
            }
        },
        Entry("max_bytes", "mb", takes: "bytes", "Lowers the quality of JPEG, WebP, AVIF and JPEG XL down to a size") {
            arguments, options throws(URLFailure) in
            options.maxBytes = try arguments.integer(0, in: 0...Int.max) ?? options.maxBytes
        },
        Entry("format", "f", "ext", takes: "extension", "The format of the result") {
            arguments, options throws(URLFailure) in
            if let name = arguments.text(0) { options.format = try OutputFormats.format(named: name) }
        },
        Entry(
            "strip_color_profile", "scp", takes: "flag",
            "1 for sRGB; 0 keeps a larger gamut, in Display P3 with its profile",
            apply: flag(\.stripsColorProfile)),
        Entry(
            "skip_processing", "skp", takes: "format:…", limit: .max,
            "Sources of these formats are delivered unchanged if the result has the same format"
        ) { arguments, options throws(URLFailure) in
            for name in arguments.all {
                options.unprocessedFormats.insert(try OutputFormats.knownFormat(named: name[...]))
            }
        },
        Entry(
            "strip_metadata", "sm", takes: "flag",
            "0 keeps Exif and XMP, and IPTC from JPEG to JPEG; 1 by default",
            apply: flag(\.stripsMetadata)),
        Entry(
            "keep_copyright", "kcr", takes: "flag",
            "Keeps artist, copyright and rights if metadata is stripped; 1 by default", apply: flag(\.keepsCopyright)),
        Entry("enforce_thumbnail", "eth", takes: "flag", "No effect: thumbnails in files are not used") { _, _ in },
        Entry(
            "linear", "lin", takes: "flag",
            "1 resizes in linear light, which keeps the brightness of fine patterns; 0 by default",
            apply: flag(\.usesLinearLight)),
        Entry(
            "preserve_hdr", "ph", takes: "flag",
            "1 keeps the gain map of a JPEG source in a JPEG result; 0 by default. HDR without one becomes SDR",
            apply: flag(\.preservesHDR)),
        Entry("raw", takes: "flag", "Delivers the source unchanged, whatever it is", apply: flag(\.isRaw)),
    ]

    private static let deliveries = [
        Entry("cachebuster", "cb", takes: "text", limit: .max, "Makes URLs and results differ") {
            arguments, options throws(URLFailure) in
            options.cacheBuster = arguments.all.joined(separator: ":")
        },
        Entry("expires", "exp", takes: "seconds", "The time, since 1970, after which the URL is a 404") {
            arguments, options throws(URLFailure) in
            options.expires = try arguments.integer(0, in: Int.min...Int.max) ?? options.expires
        },
        Entry("filename", "fn", takes: "name:encoded", limit: 2, "The name of the file, percent-encoded or in Base64") {
            arguments, options throws(URLFailure) in
            options.filename = try filename(arguments)
        },
        Entry(
            "return_attachment", "att", takes: "flag", "Browsers save the file instead of showing it",
            apply: flag(\.isAttachment)),
    ]

    /// Limits of the URL, which `allowLimitOptions` must allow.
    private static let limits = [
        Entry(
            "max_src_resolution", "msr", takes: "megapixels", "The largest source",
            apply: limit(\.sourcePixels, .megapixels)),
        Entry(
            "max_src_file_size", "msfs", takes: "bytes", "The largest source, up to that of the settings",
            apply: limit(\.sourceBytes, .number)),
        Entry(
            "max_animation_frames", "maf", takes: "number", "The most frames; further ones are left out",
            apply: limit(\.frames, .number)),
        Entry(
            "max_animation_frame_resolution", "mafr", takes: "megapixels", "The largest frame of an animation",
            apply: limit(\.framePixels, .megapixels)),
        Entry(
            "max_result_dimension", "mrd", takes: "pixels", "The longest side of the result",
            apply: limit(\.resultSide, .number)),
    ]
}
