import Foundation

extension OptionTable {
    /// Accepts a single value of a flag.
    static func only(_ value: Bool) -> Apply {
        { arguments, _ throws(URLFailure) in
            guard (arguments.flag(0) ?? value) == value else {
                throw .unsupportedOption(arguments.name, "only \(value ? 1 : 0) is supported")
            }
        }
    }

    static func refusal(_ reason: String) -> Apply {
        { arguments, _ throws(URLFailure) in throw .unsupportedOption(arguments.name, reason) }
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
