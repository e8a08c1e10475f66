import Foundation

/// The values of all settings: those that are given, and the defaults of others.
@dynamicMemberLookup
package struct SettingValues: Sendable {
    private var given: [String: any SettingValue] = [:]

    /// Reads and checks the value of each setting.
    init(_ reader: SettingsReader) throws(SettingsFailure) {
        for setting in Settings.all { given[setting.name] = try setting.value(in: reader) }
    }

    package subscript<Value>(dynamicMember setting: KeyPath<Settings, Setting<Value>>) -> Value {
        get {
            let setting = Settings.declared[keyPath: setting]
            return given[setting.name] as? Value ?? setting.standard
        }
        set { given[Settings.declared[keyPath: setting].name] = newValue }
    }

    /// A digest of the settings that change the bytes of results.
    var resultKey: String {
        let lines = Settings.all.filter(\.changesResults)
            .map { "\($0.name)=\(given[$0.name]?.text ?? $0.standardText)" }
        return Digest.text(of: Data(lines.joined(separator: "\n").utf8))
    }
}
