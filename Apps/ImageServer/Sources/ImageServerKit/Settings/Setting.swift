package import Configuration
package import Logging

/// A setting: its default, and what it does.
package final class Setting<Value: SettingValue>: AnySetting {
    /// The value in place of a missing one.
    let standard: Value
    let summary: String
    let changesResults: Bool
    let imgproxy: [ImgproxyVariable]
    /// The values that a number can have; nil for all from 0.
    private let range: ClosedRange<Value.Bound>?

    private init(
        _ standard: Value, _ summary: String, _ range: ClosedRange<Value.Bound>?, _ imgproxy: [ImgproxyVariable],
        changesResults: Bool
    ) {
        self.standard = standard
        self.summary = summary
        self.changesResults = changesResults
        self.range = range
        self.imgproxy = imgproxy
    }

    /// Returns a setting that decides whether, how fast and to whom results are served.
    static func serving(
        _ standard: Value, _ summary: String, in range: ClosedRange<Value.Bound>? = nil, imgproxy: ImgproxyVariable...
    ) -> Setting {
        Setting(standard, summary, range, imgproxy, changesResults: false)
    }

    /// Returns a setting that changes the bytes of results for the same URL. Its value is part of the keys of results,
    /// so that a server never serves a result of other settings.
    ///
    /// Presets, skipped formats and the base URL are in the options and in the source of a URL, which are in its key,
    /// and so are the hints of clients, the watermark and a digest of the header fields that are sent to the source.
    static func shaping(
        _ standard: Value, _ summary: String, in range: ClosedRange<Value.Bound>? = nil, imgproxy: ImgproxyVariable...
    ) -> Setting {
        Setting(standard, summary, range, imgproxy, changesResults: true)
    }

    var standardText: String { standard.text }

    var isFlag: Bool { Value.self == Bool.self }

    var isList: Bool { Value.self == [String].self }

    func value(of name: String, in reader: SettingsReader) throws(SettingsFailure) -> (any SettingValue)? {
        guard let value: Value = try reader.value(name) else { return nil }
        if let problem = value.problem(outside: range) { throw .invalid(name, problem) }
        return value
    }
}

/// What is known about a setting, whatever the type of its value.
protocol AnySetting: AnyObject, Sendable {
    /// What it does, in one line.
    var summary: String { get }
    /// Whether it changes the bytes of results for the same URL.
    var changesResults: Bool { get }
    /// The variables of imgproxy that give it a value, the one that counts first.
    var imgproxy: [ImgproxyVariable] { get }
    /// The default as text; empty for none.
    var standardText: String { get }
    /// Whether the value is true or false.
    var isFlag: Bool { get }
    var isList: Bool { get }

    /// Returns the checked value; nil if there is none.
    func value(of name: String, in reader: SettingsReader) throws(SettingsFailure) -> (any SettingValue)?
}

/// A setting with its name, for example `maxSourceBytes`.
@dynamicMemberLookup
struct NamedSetting: Sendable {
    let name: String
    let setting: any AnySetting

    subscript<Value>(dynamicMember path: KeyPath<any AnySetting, Value>) -> Value { setting[keyPath: path] }

    /// The flag, for example `--max-source-bytes`.
    var flag: String { "--" + words.joined(separator: "-") }

    /// The environment variable, for example `IMAGE_SERVER_MAX_SOURCE_BYTES`.
    var variable: String { SettingsReader.variablePrefix + words.joined(separator: "_").uppercased() }

    private var words: [String] {
        name.reduce(into: [""]) { words, character in
            if character.isUppercase { words.append("") }
            words[words.count - 1] += character.lowercased()
        }
    }
}

/// A type that values of settings have.
package protocol SettingValue: Sendable {
    /// What bounds a number.
    associatedtype Bound: Comparable & Sendable = Never

    /// What a value is, for messages.
    static var kind: String { get }
    /// The value as in flags.
    var text: String { get }

    /// Returns the value of a key; nil if it is missing or has another type.
    static func read(_ key: ConfigKey, from reader: ConfigReader) -> Self?

    /// Returns why a value can't be used, as text for humans; nil if it can.
    func problem(outside range: ClosedRange<Bound>?) -> String?
}

extension SettingValue {
    package func problem(outside range: ClosedRange<Bound>?) -> String? { nil }
}

extension Int: SettingValue {
    package static let kind = "an integer"
    package var text: String { "\(self)" }

    package static func read(_ key: ConfigKey, from reader: ConfigReader) -> Int? { reader.int(forKey: key) }

    package func problem(outside range: ClosedRange<Int>?) -> String? {
        let range = range ?? 0...Int.max
        return range.contains(self) ? nil : "\(self) is not from \(range.lowerBound) to \(range.upperBound)"
    }
}

extension Double: SettingValue {
    package static let kind = "a number"
    package var text: String { Int(exactly: self).map { "\($0)" } ?? "\(self)" }

    package static func read(_ key: ConfigKey, from reader: ConfigReader) -> Double? { reader.double(forKey: key) }

    /// - Parameter range: By default that of times in seconds: up to 32 years, so that no sum overflows.
    package func problem(outside range: ClosedRange<Double>?) -> String? {
        let range = range ?? 0...1e9
        let (least, most) = (range.lowerBound.text, range.upperBound.text)
        return range.contains(self) ? nil : "\(text) is not a number from \(least) to \(most)"
    }
}

extension Bool: SettingValue {
    package static let kind = "true or false"
    package var text: String { "\(self)" }

    package static func read(_ key: ConfigKey, from reader: ConfigReader) -> Bool? { reader.bool(forKey: key) }
}

extension String: SettingValue {
    package static let kind = "a text"
    package var text: String { self }

    /// The value of a flag with commas is a list for the reader.
    package static func read(_ key: ConfigKey, from reader: ConfigReader) -> String? {
        let parts = reader.stringArray(forKey: key) ?? []
        return reader.string(forKey: key) ?? (parts.isEmpty ? nil : parts.joined(separator: ","))
    }
}

extension [String]: SettingValue {
    package static let kind = "a list"
    package var text: String { joined(separator: ",") }

    package static func read(_ key: ConfigKey, from reader: ConfigReader) -> [String]? {
        let texts = reader.stringArray(forKey: key) ?? reader.intArray(forKey: key)?.map { "\($0)" }
        guard let texts else { return nil }
        let entries = texts.map(\.trimmed).filter { !$0.isEmpty }
        return entries.isEmpty && texts.count > 1 ? texts : entries
    }

    package func problem(outside range: ClosedRange<Never>?) -> String? {
        allSatisfy(\.trimmed.isEmpty) && !isEmpty ? "it has commas, and no entries" : nil
    }
}

/// One of several words.
extension SettingValue where Self: RawRepresentable<String> & CaseIterable {
    package static var kind: String { "one of \(allCases.map(\.rawValue).joined(separator: ", "))" }
    package var text: String { rawValue }

    package static func read(_ key: ConfigKey, from reader: ConfigReader) -> Self? {
        reader.string(forKey: key).flatMap(Self.init)
    }
}

extension CodecIsolation: SettingValue {}
extension LineLogHandler.Format: SettingValue {}
extension Logger.Level: SettingValue {}

/// An empty text is no value.
extension Optional: SettingValue where Wrapped: SettingValue {
    package static var kind: String { Wrapped.kind }
    package var text: String { self?.text ?? "" }

    package static func read(_ key: ConfigKey, from reader: ConfigReader) -> Wrapped?? {
        reader.string(forKey: key)?.isEmpty == true ? .some(nil) : Wrapped.read(key, from: reader).map { $0 }
    }

    package func problem(outside range: ClosedRange<Wrapped.Bound>?) -> String? { self?.problem(outside: range) }
}
