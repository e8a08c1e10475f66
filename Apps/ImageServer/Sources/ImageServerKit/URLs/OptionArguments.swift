import ImageProcessing

/// The arguments of an option. Missing and empty arguments are nil, so that defaults stay.
struct OptionArguments {
    /// The name of the option as it is in the URL.
    let name: String
    private let values: [Substring]

    init(_ segment: Substring) {
        let parts = segment.split(separator: ":", omittingEmptySubsequences: false)
        name = String(parts[0])
        values = Array(parts.dropFirst())
    }

    private init(name: String, values: [Substring]) {
        self.name = name
        self.values = values
    }

    var count: Int { values.count }

    var all: [String] { values.map(String.init) }

    func dropFirst(_ count: Int) -> OptionArguments {
        OptionArguments(name: name, values: Array(values.dropFirst(count)))
    }

    func text(_ index: Int) -> Substring? {
        values.indices.contains(index) && !values[index].isEmpty ? values[index] : nil
    }

    /// Returns an integer in a range.
    func integer(_ index: Int, in range: ClosedRange<Int>) throws(URLFailure) -> Int? {
        guard let text = text(index) else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw invalid("\(text) is not an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Returns a number. One beyond the most becomes the most.
    func integer(_ index: Int, upTo most: Int) throws(URLFailure) -> Int? {
        try integer(index, in: 0...Int.max).map { min($0, most) }
    }

    /// Returns a number above 0. One beyond the limits becomes the limit.
    func factor(_ index: Int, within limits: ClosedRange<Double>) throws(URLFailure) -> Double? {
        guard let value = try number(index, in: 0...Double.greatestFiniteMagnitude) else { return nil }
        guard value > 0 else { throw invalid("0 is not a factor") }
        return min(max(value, limits.lowerBound), limits.upperBound)
    }

    /// Returns a finite number in a range.
    func number(_ index: Int, in range: ClosedRange<Double>) throws(URLFailure) -> Double? {
        guard let text = text(index) else { return nil }
        guard let value = Double(text), range.contains(value) else {
            throw invalid("\(text) is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Returns true for `1`, `t` and `true`. All else is false, as in imgproxy.
    func flag(_ index: Int) -> Bool? { text(index).map { ["1", "t", "true"].contains($0.lowercased()) } }

    func invalid(_ reason: String) -> URLFailure { .invalidArguments(name, reason) }

    /// Throws if there are more arguments than the option has.
    func limit(to count: Int) throws(URLFailure) {
        guard values.count <= count else { throw invalid("there are \(values.count), at most \(count) are allowed") }
    }
}

extension OptionArguments {
    /// Returns the gravity in the arguments from an index on.
    ///
    /// - Parameter allowsSmart: Whether the most interesting part is a position.
    func gravity(from index: Int, allowsSmart: Bool = true) throws(URLFailure) -> Gravity? {
        guard let text = text(index) else { return nil }
        guard let anchor = Gravity.Anchor(rawValue: String(text)), allowsSmart || anchor != .smart else {
            throw invalid("unknown gravity: \(text)")
        }
        try limit(to: index + (anchor == .smart ? 1 : 3))
        let range = anchor == .focusPoint ? 0.0...1.0 : -1_000_000.0...1_000_000.0
        let standard = anchor == .focusPoint ? 0.5 : 0
        return Gravity(
            anchor, x: try number(index + 1, in: range) ?? standard, y: try number(index + 2, in: range) ?? standard)
    }

    /// Returns a color of three or six hexadecimal digits, or of three numbers from 0 to 255; nil without arguments.
    func color() throws(URLFailure) -> PixelColor? {
        try limit(to: 3)
        if count == 3, let red = try integer(0, in: 0...255), let green = try integer(1, in: 0...255),
            let blue = try integer(2, in: 0...255)
        {
            return PixelColor(red: UInt8(red), green: UInt8(green), blue: UInt8(blue))
        }
        guard count <= 1 else { throw invalid("a color has one or three parts") }
        return try hexadecimalColor(0)
    }

    /// Returns a color of three or six hexadecimal digits.
    func hexadecimalColor(_ index: Int) throws(URLFailure) -> PixelColor? {
        guard let text = text(index) else { return nil }
        let digits = text.count == 3 ? text.map { "\($0)\($0)" }.joined() : String(text)
        guard digits.count == 6, let bytes = Hexadecimal.decode(digits) else { throw invalid("\(text) is not a color") }
        return PixelColor(red: bytes[0], green: bytes[1], blue: bytes[2])
    }
}
