import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The options of imgproxy that this server has, by their long and short names.
enum OptionTable {
    /// Applies the arguments of an option.
    typealias Apply = @Sendable (OptionArguments, inout ProcessingOptions) throws(URLFailure) -> Void

    /// An option with all of its names.
    struct Entry: Sendable {
        let names: [String]
        let apply: Apply

        init(_ names: String..., apply: @escaping Apply) { self.init(names: names, apply: apply) }

        init(names: [String], apply: @escaping Apply) { (self.names, self.apply) = (names, apply) }
    }

    /// The largest side that a URL can ask for, in pixels.
    static let maxSide = 65_535

    static let entries: [String: Apply] = Dictionary(
        (sizes + areas + filters + outputs + deliveries + refusals).flatMap { entry in
            entry.names.map { ($0, entry.apply) }
        }, uniquingKeysWith: { first, _ in first })

    private static let sizes = [
        Entry("resize", "rs") { arguments, options throws(URLFailure) in
            try arguments.limit(to: 8)
            try setResizingType(arguments, &options)
            try setSize(arguments.dropFirst(1), &options)
        },
        Entry("size", "s") { arguments, options throws(URLFailure) in
            try arguments.limit(to: 7)
            try setSize(arguments, &options)
        },
        Entry("resizing_type", "rt") { arguments, options throws(URLFailure) in
            try arguments.limit(to: 1)
            try setResizingType(arguments, &options)
        },
        Entry("width", "w") { arguments, options throws(URLFailure) in
            options.width = try side(arguments) ?? options.width
        },
        Entry("height", "h") { arguments, options throws(URLFailure) in
            options.height = try side(arguments) ?? options.height
        },
        Entry("min-width", "min_width", "mw") { arguments, options throws(URLFailure) in
            options.minWidth = try side(arguments) ?? options.minWidth
        },
        Entry("min-height", "min_height", "mh") { arguments, options throws(URLFailure) in
            options.minHeight = try side(arguments) ?? options.minHeight
        },
        Entry("zoom", "z") { arguments, options throws(URLFailure) in
            try arguments.limit(to: 2)
            options.zoom.x = try arguments.number(0, in: 0.001...100) ?? options.zoom.x
            options.zoom.y = try arguments.number(1, in: 0.001...100) ?? options.zoom.x
        },
        Entry("dpr") { arguments, options throws(URLFailure) in
            try arguments.limit(to: 1)
            options.dpr = try arguments.number(0, in: 0.1...8) ?? options.dpr
        },
        Entry("enlarge", "el") { arguments, options throws(URLFailure) in
            try arguments.limit(to: 1)
            options.enlarges = try arguments.flag(0) ?? options.enlarges
        },
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
        Entry("crop", "c") { arguments, options throws(URLFailure) in
            try arguments.limit(to: 5)
            let range = 0.0...Double(maxSide)
            options.crop.width = try arguments.number(0, in: range) ?? options.crop.width
            options.crop.height = try arguments.number(1, in: range) ?? options.crop.height
            options.crop.gravity = try arguments.gravity(from: 2) ?? options.crop.gravity
        },
        Entry("padding", "pd") { arguments, options throws(URLFailure) in
            try arguments.limit(to: 4)
            guard let top = try arguments.integer(0, in: 0...maxSide) else {
                throw arguments.invalid("the padding at the top is missing")
            }
            let right = try arguments.integer(1, in: 0...maxSide) ?? top
            options.padding = .init(
                top: top, right: right, bottom: try arguments.integer(2, in: 0...maxSide) ?? top,
                left: try arguments.integer(3, in: 0...maxSide) ?? right)
        },
        Entry("auto_rotate", "ar") { arguments, options throws(URLFailure) in
            try arguments.limit(to: 1)
            options.rotatesAutomatically = try arguments.flag(0) ?? options.rotatesAutomatically
        },
        Entry("rotate", "rot") { arguments, options throws(URLFailure) in
            try arguments.limit(to: 1)
            let angle = try arguments.integer(0, in: -36_000...36_000) ?? options.rotation
            guard angle.isMultiple(of: 90) else { throw arguments.invalid("\(angle) is not a multiple of 90") }
            options.rotation = (angle % 360 + 360) % 360
        },
    ]

    private static let filters = [
        Entry("background", "bg") { arguments, options throws(URLFailure) in
            options.background = try arguments.color()
        },
        Entry("blur", "bl") { arguments, options throws(URLFailure) in
            try arguments.limit(to: 1)
            options.blur = try arguments.number(0, in: 0...1_000) ?? options.blur
        },
        Entry("pixelate", "pix") { arguments, options throws(URLFailure) in
            options.pixelate = try side(arguments) ?? options.pixelate
        },
    ]

    private static let outputs = [
        Entry("quality", "q") { arguments, options throws(URLFailure) in
            try arguments.limit(to: 1)
            options.quality = try arguments.integer(0, in: 0...100) ?? options.quality
        },
        Entry("format_quality", "fq") { arguments, options throws(URLFailure) in
            guard arguments.count.isMultiple(of: 2) else { throw arguments.invalid("a quality is missing") }
            for index in stride(from: 0, to: arguments.count, by: 2) {
                let format = try OutputFormats.format(named: arguments.text(index) ?? "")
                options.formatQuality[format] = try arguments.integer(index + 1, in: 1...100)
            }
        },
        Entry("max_bytes", "mb") { arguments, options throws(URLFailure) in
            try arguments.limit(to: 1)
            options.maxBytes = try arguments.integer(0, in: 0...Int(Int32.max)) ?? options.maxBytes
        },
        Entry("format", "f", "ext") { arguments, options throws(URLFailure) in
            try arguments.limit(to: 1)
            if let name = arguments.text(0) { options.format = try OutputFormats.format(named: name) }
        },
        Entry("skip_processing", "skp") { arguments, options throws(URLFailure) in
            for name in arguments.all { options.unprocessedFormats.insert(try OutputFormats.format(named: name[...])) }
        },
    ]

    private static let deliveries = [
        Entry("cachebuster", "cb") { arguments, options throws(URLFailure) in
            options.cacheBuster = arguments.all.joined(separator: ":")
        },
        Entry("expires", "exp") { arguments, options throws(URLFailure) in
            try arguments.limit(to: 1)
            options.expires = try arguments.integer(0, in: 0...Int.max) ?? options.expires
        },
        Entry("filename", "fn") { arguments, options throws(URLFailure) in
            try arguments.limit(to: 2)
            options.filename = try filename(arguments)
        },
        Entry("return_attachment", "att") { arguments, options throws(URLFailure) in
            try arguments.limit(to: 1)
            options.isAttachment = try arguments.flag(0) ?? options.isAttachment
        },
    ]

    /// Options with a single possible value here.
    private static let refusals = [
        only(true, "strip_metadata", "sm", reason: "results never have metadata"),
        only(true, "strip_color_profile", "scp", reason: "results are always in sRGB"),
        only(false, "keep_copyright", "kcr", reason: "results never have metadata"),
        only(false, "enforce_thumbnail", "eth", reason: "thumbnails in files are not used"),
        only(false, "raw", reason: "sources are always decoded"),
    ]
}

extension OptionTable {
    private static func only(_ value: Bool, _ names: String..., reason: String) -> Entry {
        Entry(names: names) { arguments, _ throws(URLFailure) in
            try arguments.limit(to: 1)
            guard (try arguments.flag(0) ?? value) == value else { throw .unsupportedOption(arguments.name, reason) }
        }
    }

    private static func side(_ arguments: OptionArguments) throws(URLFailure) -> Int? {
        try arguments.limit(to: 1)
        return try arguments.integer(0, in: 0...maxSide)
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
