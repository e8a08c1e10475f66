import Foundation

extension OptionTable {
    /// How a limit is written.
    enum LimitUnit { case number, megapixels }

    /// Sets a limit. 0 is that of the server, or none for frames.
    static func limit(
        _ path: any WritableKeyPath<ProcessingOptions.Limits, Int?> & Sendable, _ unit: LimitUnit
    ) -> Apply {
        { arguments, options throws(URLFailure) in
            guard var limits = options.limits else {
                throw .unsupportedOption(arguments.name, "the server doesn't allow it: see allowLimitOptions")
            }
            let factor = unit == .megapixels ? 1e6 : 1
            guard let value = try arguments.number(0, in: 0...Double(Int32.max)) else { return }
            let limit = Int(min(value * factor, Double(Int32.max)))
            limits[keyPath: path] = limit > 0 || path == \.framePixels ? limit : nil
            options.limits = limits
        }
    }

    static func side(_ path: any WritableKeyPath<ProcessingOptions, Int> & Sendable) -> Apply {
        { arguments, options throws(URLFailure) in
            if let value = try arguments.integer(0, upTo: maxSide) { options[keyPath: path] = value }
        }
    }

    static func sigma(
        _ path: any WritableKeyPath<ProcessingOptions, Double> & Sendable, most: Double
    ) -> Apply {
        { arguments, options throws(URLFailure) in
            let value = try arguments.number(0, in: 0...Double.greatestFiniteMagnitude)
            if let value { options[keyPath: path] = min(value, most) }
        }
    }

    static func flag(_ path: any WritableKeyPath<ProcessingOptions, Bool> & Sendable) -> Apply {
        { arguments, options throws(URLFailure) in
            if let value = arguments.flag(0) { options[keyPath: path] = value }
        }
    }

    static func setResizingType(
        _ arguments: OptionArguments, _ options: inout ProcessingOptions
    ) throws(URLFailure) {
        guard let text = arguments.text(0) else { return }
        guard let type = ProcessingOptions.ResizingType(rawValue: String(text)) else {
            throw arguments.invalid("unknown resizing type: \(text)")
        }
        options.resizingType = type
    }

    static func setSize(_ arguments: OptionArguments, _ options: inout ProcessingOptions) throws(URLFailure) {
        options.width = try arguments.integer(0, upTo: maxSide) ?? options.width
        options.height = try arguments.integer(1, upTo: maxSide) ?? options.height
        options.enlarges = arguments.flag(2) ?? options.enlarges
        options.extends = try extent(arguments.dropFirst(3), options.extends)
    }

    static func extent(
        _ arguments: OptionArguments, _ current: ProcessingOptions.Extension
    ) throws(URLFailure) -> ProcessingOptions.Extension {
        var result = current
        result.isEnabled = arguments.flag(0) ?? current.isEnabled
        result.gravity = try arguments.gravity(from: 1, allowsSmart: false) ?? current.gravity
        return result
    }

    static func trim(
        _ arguments: OptionArguments, _ current: ProcessingOptions.Trim?
    ) throws(URLFailure) -> ProcessingOptions.Trim? {
        let range = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
        guard let threshold = try arguments.number(0, in: range) else { return nil }
        var trim = ProcessingOptions.Trim(threshold: Int(min(max(threshold, -1), 255).rounded(.down)))
        trim.color = try arguments.hexadecimalColor(1)
        trim.equalsHorizontally = arguments.flag(2) ?? current?.equalsHorizontally ?? false
        trim.equalsVertically = arguments.flag(3) ?? current?.equalsVertically ?? false
        return trim
    }

    static func watermark(
        _ arguments: OptionArguments, _ current: ProcessingOptions.Watermark
    ) throws(URLFailure) -> ProcessingOptions.Watermark {
        var watermark = current
        watermark.opacity = try arguments.number(0, in: 0...1) ?? current.opacity
        if let position = arguments.text(1) {
            watermark.anchor = Gravity.Anchor(rawValue: String(position))
            let isKnown = watermark.anchor.map { $0 != .smart && $0 != .focusPoint } ?? (position == "re")
            guard isKnown else { throw arguments.invalid("unknown position: \(position)") }
        }
        watermark.x = try arguments.number(2, in: -1e6...1e6) ?? current.x
        watermark.y = try arguments.number(3, in: -1e6...1e6) ?? current.y
        watermark.scale = min(try arguments.number(4, in: 0...Double.greatestFiniteMagnitude) ?? current.scale, 1_000)
        return watermark
    }

    static func filename(_ arguments: OptionArguments) throws(URLFailure) -> String {
        let text = arguments.text(0) ?? ""
        let isEncoded = arguments.flag(1) ?? false
        let name =
            isEncoded ? Base64URL.decode(text).flatMap { String(bytes: $0, encoding: .utf8) } : text.percentDecoded
        guard let name, name.utf8.count <= 255 else {
            throw arguments.invalid("the name can't be decoded or is too long")
        }
        return name
    }
}
