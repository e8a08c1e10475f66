import Foundation
import ImageCore

/// The options of imgproxy that this server has, by their long and short names.
enum OptionTable {
    /// Applies the arguments of an option.
    typealias Apply = @Sendable (OptionArguments, inout ProcessingOptions) throws(URLFailure) -> Void

    /// An option with all of its names.
    struct Entry: Sendable {
        let names: [String]
        let apply: Apply

        /// - Parameter limit: The most arguments that the option has.
        init(_ names: String..., limit: Int = .max, apply: @escaping Apply) {
            self.names = names
            self.apply = { arguments, options throws(URLFailure) in
                try arguments.limit(to: limit)
                try apply(arguments, &options)
            }
        }
    }

    /// The largest side that a URL can ask for, in pixels.
    static let maxSide = 65_535

    static let entries: [String: Apply] = Dictionary(
        (sizes + areas + filters + outputs + deliveries + refusals).flatMap { entry in
            entry.names.map { ($0, entry.apply) }
        }, uniquingKeysWith: { first, _ in first })

    private static let sizes = [
        Entry("resize", "rs", limit: 8) { arguments, options throws(URLFailure) in
            try setResizingType(arguments, &options)
            try setSize(arguments.dropFirst(1), &options)
        },
        Entry("size", "s", limit: 7) { arguments, options throws(URLFailure) in
            try setSize(arguments, &options)
        },
        Entry("resizing_type", "rt", limit: 1) { arguments, options throws(URLFailure) in
            try setResizingType(arguments, &options)
        },
        Entry("width", "w", limit: 1, apply: integer(\.width, in: 0...maxSide)),
        Entry("height", "h", limit: 1, apply: integer(\.height, in: 0...maxSide)),
        Entry("min-width", "min_width", "mw", limit: 1, apply: integer(\.minWidth, in: 0...maxSide)),
        Entry("min-height", "min_height", "mh", limit: 1, apply: integer(\.minHeight, in: 0...maxSide)),
        Entry("zoom", "z", limit: 2) { arguments, options throws(URLFailure) in
            options.zoom.x = try arguments.number(0, in: 0.001...100) ?? options.zoom.x
            options.zoom.y = try arguments.number(1, in: 0.001...100) ?? options.zoom.x
        },
        Entry("dpr", limit: 1, apply: number(\.dpr, in: 0.1...8)),
        Entry("enlarge", "el", limit: 1, apply: flag(\.enlarges)),
        Entry("extend", "ex") { arguments, options throws(URLFailure) in
            options.extends = try extent(arguments, options.extends)
        },
        Entry("extend_aspect_ratio", "extend_ar", "exar") { arguments, options throws(URLFailure) in
            options.extendsAspectRatio = try extent(arguments, options.extendsAspectRatio)
        },
    ]

    private static let areas = [
        Entry("gravity", "g") { arguments, options throws(URLFailure) in
            options.gravity = try arguments.gravity(from: 0) ?? options.gravity
        },
        Entry("crop", "c", limit: 5) { arguments, options throws(URLFailure) in
            let range = 0.0...Double(maxSide)
            options.crop.width = try arguments.number(0, in: range) ?? options.crop.width
            options.crop.height = try arguments.number(1, in: range) ?? options.crop.height
            options.crop.gravity = try arguments.gravity(from: 2) ?? options.crop.gravity
        },
        Entry("padding", "pd", limit: 4) { arguments, options throws(URLFailure) in
            guard let top = try arguments.integer(0, in: 0...maxSide) else {
                throw arguments.invalid("the padding at the top is missing")
            }
            let right = try arguments.integer(1, in: 0...maxSide) ?? top
            options.padding = .init(
                top: top, right: right, bottom: try arguments.integer(2, in: 0...maxSide) ?? top,
                left: try arguments.integer(3, in: 0...maxSide) ?? right)
        },
        Entry("auto_rotate", "ar", limit: 1, apply: flag(\.rotatesAutomatically)),
        Entry("rotate", "rot", limit: 1) { arguments, options throws(URLFailure) in
            let angle = try arguments.integer(0, in: -36_000...36_000) ?? options.rotation
            guard angle.isMultiple(of: 90) else { throw arguments.invalid("\(angle) is not a multiple of 90") }
            options.rotation = (angle % 360 + 360) % 360
        },
    ]

    private static let filters = [
        Entry("background", "bg") { arguments, options throws(URLFailure) in
            options.background = try arguments.color()
        },
        Entry("blur", "bl", limit: 1, apply: number(\.blur, in: 0...1_000)),
        Entry("pixelate", "pix", limit: 1, apply: integer(\.pixelate, in: 0...maxSide)),
    ]

    private static let outputs = [
        Entry("quality", "q", limit: 1, apply: integer(\.quality, in: 0...100)),
        Entry("format_quality", "fq") { arguments, options throws(URLFailure) in
            guard arguments.count.isMultiple(of: 2) else { throw arguments.invalid("a quality is missing") }
            for index in stride(from: 0, to: arguments.count, by: 2) {
                let format = try OutputFormats.format(named: arguments.text(index) ?? "")
                options.formatQuality[format] = try arguments.integer(index + 1, in: 1...100)
            }
        },
        Entry("max_bytes", "mb", limit: 1, apply: integer(\.maxBytes, in: 0...Int(Int32.max))),
        Entry("format", "f", "ext", limit: 1) { arguments, options throws(URLFailure) in
            if let name = arguments.text(0) { options.format = try OutputFormats.format(named: name) }
        },
        Entry("strip_color_profile", "scp", limit: 1, apply: flag(\.stripsColorProfile)),
        Entry("skip_processing", "skp") { arguments, options throws(URLFailure) in
            for name in arguments.all { options.unprocessedFormats.insert(try OutputFormats.format(named: name[...])) }
        },
    ]

    private static let deliveries = [
        Entry("cachebuster", "cb") { arguments, options throws(URLFailure) in
            options.cacheBuster = arguments.all.joined(separator: ":")
        },
        Entry("expires", "exp", limit: 1, apply: integer(\.expires, in: 0...Int.max)),
        Entry("filename", "fn", limit: 2) { arguments, options throws(URLFailure) in
            options.filename = try filename(arguments)
        },
        Entry("return_attachment", "att", limit: 1, apply: flag(\.isAttachment)),
    ]

    /// Options with a single possible value here.
    private static let refusals = [
        Entry("strip_metadata", "sm", limit: 1, apply: only(true, "results never have metadata")),
        Entry("keep_copyright", "kcr", limit: 1, apply: only(false, "results never have metadata")),
        Entry("enforce_thumbnail", "eth", limit: 1, apply: only(false, "thumbnails in files are not used")),
        Entry("raw", limit: 1, apply: only(false, "sources are always decoded")),
    ]
}

extension OptionTable {
    private static func only(_ value: Bool, _ reason: String) -> Apply {
        { arguments, _ throws(URLFailure) in
            guard (try arguments.flag(0) ?? value) == value else { throw .unsupportedOption(arguments.name, reason) }
        }
    }

    private static func integer(
        _ path: any WritableKeyPath<ProcessingOptions, Int> & Sendable, in range: ClosedRange<Int>
    ) -> Apply {
        { arguments, options throws(URLFailure) in
            if let value = try arguments.integer(0, in: range) { options[keyPath: path] = value }
        }
    }

    private static func number(
        _ path: any WritableKeyPath<ProcessingOptions, Double> & Sendable, in range: ClosedRange<Double>
    ) -> Apply {
        { arguments, options throws(URLFailure) in
            if let value = try arguments.number(0, in: range) { options[keyPath: path] = value }
        }
    }

    private static func flag(_ path: any WritableKeyPath<ProcessingOptions, Bool> & Sendable) -> Apply {
        { arguments, options throws(URLFailure) in
            if let value = try arguments.flag(0) { options[keyPath: path] = value }
        }
    }

    private static func setResizingType(
        _ arguments: OptionArguments, _ options: inout ProcessingOptions
    ) throws(URLFailure) {
        guard let text = arguments.text(0) else { return }
        guard let type = ProcessingOptions.ResizingType(rawValue: String(text)) else {
            throw arguments.invalid("unknown resizing type: \(text)")
        }
        options.resizingType = type
    }

    private static func setSize(_ arguments: OptionArguments, _ options: inout ProcessingOptions) throws(URLFailure) {
        options.width = try arguments.integer(0, in: 0...maxSide) ?? options.width
        options.height = try arguments.integer(1, in: 0...maxSide) ?? options.height
        options.enlarges = try arguments.flag(2) ?? options.enlarges
        options.extends = try extent(arguments.dropFirst(3), options.extends)
    }

    private static func extent(
        _ arguments: OptionArguments, _ current: ProcessingOptions.Extension
    ) throws(URLFailure) -> ProcessingOptions.Extension {
        var result = current
        result.isEnabled = try arguments.flag(0) ?? current.isEnabled
        result.gravity = try arguments.gravity(from: 1) ?? current.gravity
        return result
    }

    private static func filename(_ arguments: OptionArguments) throws(URLFailure) -> String {
        let text = arguments.text(0) ?? ""
        let isEncoded = try arguments.flag(1) ?? false
        let name =
            isEncoded ? Base64URL.decode(text).flatMap { String(bytes: $0, encoding: .utf8) } : text.percentDecoded
        guard let name, name.utf8.count <= 255 else {
            throw arguments.invalid("the name can't be decoded or is too long")
        }
        return name
    }
}
