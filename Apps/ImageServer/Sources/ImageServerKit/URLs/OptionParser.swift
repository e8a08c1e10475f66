/// Applies options in the order of the URL. Later options replace earlier ones.
struct OptionParser {
    private(set) var options: ProcessingOptions
    private let presets: Presets
    /// The presets that are being applied.
    private var nesting: [String] = []

    init(presets: Presets, options: ProcessingOptions = ProcessingOptions()) {
        self.presets = presets
        self.options = options
    }

    /// Applies the preset `default` if there is one.
    mutating func applyStandardPreset() throws(URLFailure) {
        if presets.segments(of: Presets.standardName) != nil { try applyPreset(Presets.standardName) }
    }

    /// Applies one option with its arguments, for example `w:300`.
    mutating func apply(_ segment: Substring) throws(URLFailure) {
        let arguments = OptionArguments(segment)
        if arguments.name == "preset" || arguments.name == "pr" {
            for name in arguments.all { try applyPreset(name) }
        } else if let apply = OptionTable.entries[arguments.name] {
            try apply(arguments, &options)
        } else {
            throw .unknownOption(arguments.name)
        }
    }

    mutating func applyPreset(_ name: String) throws(URLFailure) {
        guard let segments = presets.segments(of: name) else { throw .unknownPreset(name) }
        guard !nesting.contains(name) else { throw .recursivePreset(name) }
        nesting.append(name)
        for segment in segments { try apply(segment) }
        nesting.removeLast()
    }

    /// Applies the five segments of imgproxy's basic format: resizing type, width, height, gravity, enlarge.
    mutating func applyBasic(_ segments: ArraySlice<Substring>) throws(URLFailure) {
        let names = ["rt", "w", "h", "g", "el"]
        for (name, argument) in zip(names, segments) { try apply("\(name):\(argument)"[...]) }
    }

    mutating func setFormat(_ name: Substring) throws(URLFailure) { try apply("f:\(name)"[...]) }
}
