import Configuration
import Foundation
import ImageCore
import SystemPackage

/// Why the settings can't be used.
package enum SettingsFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no setting with this name. The second name is that of the most similar setting.
    case unknown(String, nearest: String?)
    /// The value of a setting is not valid. The text is for humans.
    case invalid(String, String)
    /// A file can't be read or parsed. The text is for humans.
    case file(String, String)

    package var description: String {
        switch self {
        case .unknown(let name, nil): "unknown setting: \(name)"
        case .unknown(let name, let nearest?): "unknown setting: \(name); is it \(nearest)?"
        case .invalid(let name, let reason): "invalid value of \(name): \(reason)"
        case .file(let path, let reason): "can't use \(path): \(reason)"
        }
    }
}

/// Reads settings from flags, environment variables and a JSON file, in this order of precedence.
struct SettingsReader: Sendable {
    static let variablePrefix = "IMAGE_SERVER_"
    private let reader: ConfigReader
    private let given: Set<String>

    init(arguments: [String], environment: [String: String]) async throws(SettingsFailure) {
        let environment = OpenTelemetryVariables.translated(
            try ImgproxyVariables.translated(KubernetesVariables.removed(from: environment)))
        try Self.check(arguments, environment)
        let flags = CommandLineArgumentsProvider(arguments: ["image-server"] + arguments)
        let variables = EnvironmentVariablesProvider(environmentVariables: environment)
            .prefixKeys(with: ["image", "server"])
        let first = ConfigReader(providers: [flags, variables])
        var names = Set(
            Settings.all.filter { setting in
                environment[setting.variable] != nil || arguments.contains { $0.isFlag(setting.flag) }
            }.map(\.name))
        if let path = first.string(forKey: "config") {
            let file = try await Self.file(path)
            reader = ConfigReader(providers: [flags, variables, file.provider])
            names.formUnion(file.names)
        } else {
            reader = first
        }
        given = names
    }

    /// Returns a value; nil if it is missing. Throws if it has another type.
    func value<Value: SettingValue>(_ name: String) throws(SettingsFailure) -> Value? {
        let key = ConfigKey([name])
        if let value = Value.read(key, from: reader) { return value }
        guard given.contains(name) else { return nil }
        let text = reader.string(forKey: key)
        throw .invalid(
            name, text.map { "\($0) is not \(Value.kind)" } ?? "the value is missing or has the wrong type")
    }

    private static func check(_ arguments: [String], _ environment: [String: String]) throws(SettingsFailure) {
        var known: Set<String> = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard let setting = Settings.all.first(where: { argument.isFlag($0.flag) }) else {
                throw .unknownName(argument, of: Settings.all.map(\.flag))
            }
            guard known.insert(setting.name).inserted else { throw .invalid(setting.name, "it is set twice") }
            if argument == setting.flag, rest.first?.hasPrefix("--") == false { rest.removeFirst() }
        }
        let variables = Settings.all.map(\.variable)
        for name in environment.keys.sorted() where name.hasPrefix(Self.variablePrefix) {
            guard variables.contains(name) else { throw .unknownName(name, of: variables) }
        }
    }

    private static func file(
        _ path: String
    ) async throws(SettingsFailure) -> (names: Set<String>, provider: FileProvider<JSONSnapshot>) {
        let content = try SettingsFile.content(of: path)
        guard let values = try? JSONDecoder().decode([String: AnyValue].self, from: content),
            let provider = try? await FileProvider<JSONSnapshot>(filePath: FilePath(path))
        else { throw .file(path, "it is not a JSON object such as {\"port\": 8080}") }
        let known = Settings.all.map(\.name)
        for name in values.keys.sorted() where !known.contains(name) { throw .unknownName(name, of: known) }
        return (Set(values.keys), provider)
    }

    /// A value of any type, of which only the presence counts.
    private struct AnyValue: Decodable {
        init(from decoder: any Decoder) {}
    }
}

extension String {
    /// Whether an argument is a flag, with or without a value after `=`.
    fileprivate func isFlag(_ flag: String) -> Bool { self == flag || hasPrefix(flag + "=") }
}

extension SettingsFailure {
    /// The failure with the name of imgproxy's variable, if that has the value.
    func named(by environment: [String: String], _ arguments: [String]) -> SettingsFailure {
        guard case .invalid(let name, let reason) = self,
            let setting = Settings.named(name),
            !arguments.contains(where: { $0.isFlag(setting.flag) }),
            let variable = ImgproxyVariables.name(ofValueFor: setting, in: environment)
        else { return self }
        return .invalid(variable, reason)
    }

    fileprivate static func unknownName(_ name: String, of known: [String]) -> SettingsFailure {
        .unknown(name, nearest: known.nearest(to: String(name.prefix { $0 != "=" })))
    }
}

extension Sequence<String> {
    /// Returns the name that needs the fewest changes to become another one; nil if there is no name.
    func nearest(to name: String) -> String? {
        let wanted = name.lowercased()
        return self.min {
            wanted.difference(from: $0.lowercased()).count < wanted.difference(from: $1.lowercased()).count
        }
    }
}

/// Reads the files that settings name, and tells in plain words why one can't be used.
enum SettingsFile {
    /// Returns the bytes of a file. Throws `.file`.
    static func content(of path: String) throws(SettingsFailure) -> Data {
        do {
            return try Data(contentsOf: URL(filePath: path))
        } catch {
            throw .file(path, reason(path))
        }
    }

    /// Returns the text of a file. Throws `.file`.
    static func text(of path: String) throws(SettingsFailure) -> String {
        guard let text = String(bytes: try content(of: path), encoding: .utf8) else {
            throw .file(path, "it is not UTF-8")
        }
        return text
    }

    /// Throws `.invalid` if the image of a setting can't be decoded.
    static func checkImage(
        _ content: Data, _ setting: String, _ decoder: any SizedImageDecoder
    ) throws(SettingsFailure) {
        do {
            _ = try decoder.decode(content)
        } catch {
            throw .invalid(setting, "it can't be decoded: \(error)")
        }
    }

    /// Throws `.file` if there is no such folder.
    static func checkFolder(_ folder: URL) throws(SettingsFailure) {
        do {
            _ = try folder.checkResourceIsReachable()
        } catch {
            throw .file(folder.path(percentEncoded: false), "there is no such folder")
        }
    }

    /// Creates a folder unless there is one. Throws `.file`.
    static func createFolder(_ folder: URL) throws(SettingsFailure) {
        let path = folder.path(percentEncoded: false)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw .file(path, "the folder can't be created")
        }
        guard FileManager.default.isWritableFile(atPath: path) else { throw .file(path, "the folder is not writable") }
    }

    private static func reason(_ path: String) -> String {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return "there is none" }
        return attributes[.type] as? FileAttributeType == .typeDirectory ? "it is a folder" : "it can't be read"
    }
}
