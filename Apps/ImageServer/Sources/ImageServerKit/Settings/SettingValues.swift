import Foundation

/// The values of all settings: those that are given, and the defaults of others.
@dynamicMemberLookup
struct SettingValues: Sendable {
    private var given: [ObjectIdentifier: any SettingValue] = [:]

    /// Reads and checks the value of each setting.
    init(_ reader: SettingsReader) throws(SettingsFailure) {
        for item in Settings.all {
            given[ObjectIdentifier(item.setting)] = try item.setting.value(of: item.name, in: reader)
        }
    }

    subscript<Value>(dynamicMember setting: KeyPath<Settings, Setting<Value>>) -> Value {
        get {
            let setting = Settings.declared[keyPath: setting]
            return given[ObjectIdentifier(setting)] as? Value ?? setting.standard
        }
        set { given[ObjectIdentifier(Settings.declared[keyPath: setting])] = newValue }
    }

    /// A digest of the settings that change the bytes of results.
    var resultKey: String {
        let lines = Settings.all.filter(\.changesResults)
            .map { "\($0.name)=\(given[ObjectIdentifier($0.setting)]?.text ?? $0.standardText)" }
        return Digest.text(of: Data(lines.joined(separator: "\n").utf8))
    }
}
