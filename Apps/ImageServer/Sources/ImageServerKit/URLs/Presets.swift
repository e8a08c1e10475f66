/// Named lists of options.
///
/// A preset is written as `name=option:argument/option:argument`. The preset `default` applies to every URL, before its
/// own options.
struct Presets: Sendable, Equatable {
    /// Why presets can't be used.
    enum Failure: Error, Hashable, Sendable {
        /// A line has no name or no options.
        case malformed(String)
        /// The options of this preset are not valid.
        case invalid(String, URLFailure)
    }

    /// The name of the preset that applies to every URL.
    static let standardName = "default"

    private let segments: [String: [Substring]]

    init() { segments = [:] }

    /// Parses presets. Empty lines, and lines that start with `#`, are ignored.
    ///
    /// - Parameters:
    ///   - lines: One preset each.
    ///   - options: The options that presets change.
    /// - Throws: `.malformed`, or `.invalid` if an option is unknown or a preset uses itself.
    init(
        _ lines: some Sequence<some StringProtocol>, options: ProcessingOptions = ProcessingOptions()
    ) throws(Failure) {
        var segments: [String: [Substring]] = [:]
        for line in lines {
            let line = line.trimmed
            if line.isEmpty || line.hasPrefix("#") { continue }
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { throw .malformed(line) }
            segments[parts[0].trimmed] = parts[1].trimmed[...].split(separator: "/")
        }
        self.segments = segments
        for name in segments.keys.sorted() { try check(name, options) }
    }

    /// The names, in alphabetical order.
    var names: [String] { segments.keys.sorted() }

    /// Returns the options of a preset, each with its arguments, or nil if there is none with this name.
    func segments(of name: String) -> [Substring]? { segments[name] }

    private func check(_ name: String, _ options: ProcessingOptions) throws(Failure) {
        var parser = OptionParser(presets: self, options: options)
        do throws(URLFailure) {
            try parser.applyPreset(name)
        } catch {
            throw .invalid(name, error)
        }
    }
}

extension Presets.Failure: CustomStringConvertible {
    var description: String {
        switch self {
        case .malformed(let line): "\(line) is not a name, = and options"
        case .invalid(let name, let failure): "the preset \(name): \(failure)"
        }
    }
}

extension StringProtocol {
    /// The text without white space at its ends.
    var trimmed: String {
        let start = drop { $0.isWhitespace }
        return String(start.reversed().drop { $0.isWhitespace }.reversed())
    }
}
