import ImageLoaderKit
import NIOCore

/// The environment variables of imgproxy that give settings their values.
///
/// They are read in place of variables of this server that are missing, so that imgproxy can be replaced in a compose
/// file.
package enum ImgproxyVariables {
    static let prefix = "IMGPROXY_"

    /// Variables that are read together with others.
    private static let companions = ["USE_ABS", "NETWORK"]

    /// Variables that change the meaning of URLs or of other variables, or protect the server, and have no counterpart:
    /// their only possible value, and why there is no other.
    private static let fixed = [
        ("SECRET", "", "this server has no such token; let a proxy check it"),
        ("SOURCE_URL_ENCRYPTION_KEY", "", "this server doesn't decrypt sources"),
        ("ARGUMENTS_SEPARATOR", ":", "arguments are separated by colons"),
        ("PRESETS_SEPARATOR", ",", "presets are separated by commas"),
        ("CUSTOM_HEADERS_SEPARATOR", "\\;", "header fields are separated by \\;"),
        ("SOURCE_URL_QUERY_SEPARATOR", "?", "the query of a source begins with a question mark"),
        ("BASE64_URL_INCLUDES_FILENAME", "false", "a source in Base64 is followed by nothing but an extension"),
        ("COOKIE_PASSTHROUGH_ALL", "false", "name the sources in COOKIE_BASE_URL"),
    ]

    /// Returns an environment with the variables of this server that those of imgproxy stand for.
    ///
    /// - Throws: `.invalid` for a value that this server can't have, or of a variable that it can't do without.
    static func translated(_ environment: [String: String]) throws(SettingsFailure) -> [String: String] {
        for (name, only, reason) in fixed {
            guard let text = environment.value(of: prefix + name), text != only else { continue }
            if only == "false", try !ImgproxyVariable.flag(text, prefix + name) { continue }
            throw .invalid(prefix + name, reason)
        }
        var found: [String: String] = [:]
        for setting in Settings.all {
            var values: [String] = []
            for variable in setting.imgproxy {
                guard let text = environment.value(of: variable.name) else { continue }
                let value = setting.isFlag ? "\(try ImgproxyVariable.flag(text, variable.name))" : text
                if let value = try variable.convert(value, environment) { values.append(value) }
            }
            guard let first = values.first else { continue }
            found[setting.variable] = setting.isList ? values.joined(separator: ",") : first
        }
        return environment.merging(found) { own, _ in own }
    }

    /// Returns the name of the variable that gives a setting its value; nil if there is none.
    static func name(ofValueFor setting: NamedSetting, in environment: [String: String]) -> String? {
        guard environment[setting.variable] == nil else { return nil }
        return setting.imgproxy.first { environment.value(of: $0.name) != nil }?.name
    }

    /// Returns the variables of imgproxy in an environment that have no counterpart, in alphabetical order.
    package static func unknown(in environment: [String: String]) -> [String] {
        let known = Set(
            Settings.all.flatMap(\.imgproxy).map(\.name) + (companions + fixed.map(\.0)).map { prefix + $0 })
        return environment.keys.filter {
            $0.hasPrefix(prefix) && !known.contains($0) && environment.value(of: $0) != nil
        }
        .sorted()
    }
}

/// A variable of imgproxy that gives a setting its value.
package struct ImgproxyVariable: Sendable, ExpressibleByStringLiteral {
    /// Returns a value as the setting has it, or nil for its default.
    typealias Conversion =
        @Sendable (_ text: String, _ environment: [String: String]) throws(SettingsFailure) -> String?

    package let name: String
    /// What is different; empty if nothing is.
    let note: String
    let convert: Conversion

    /// - Parameter name: The name without `IMGPROXY_`.
    init(_ name: String, _ note: String = "", convert: @escaping Conversion = { text, _ in text }) {
        self.name = ImgproxyVariables.prefix + name
        self.note = note
        self.convert = convert
    }

    package init(stringLiteral name: String) { self.init(name) }

    /// Returns the value of a boolean as Go reads it.
    static func flag(_ text: String, _ name: String) throws(SettingsFailure) -> Bool {
        if ["1", "t", "T", "TRUE", "true", "True"].contains(text) { return true }
        if ["0", "f", "F", "FALSE", "false", "False"].contains(text) { return false }
        throw .invalid(name, "\(text) is not true or false")
    }
}

extension ImgproxyVariable {
    static func unlessZero(_ name: String) -> Self {
        Self(name, "0 keeps the default") { text, _ in Int(text) == 0 ? nil : text }
    }

    static func megapixels(_ name: String) -> Self {
        Self(name, "in megapixels") { text, _ in
            Double(text).flatMap { Int(exactly: ($0 * 1e6).rounded()) }.map { "\($0)" } ?? text
        }
    }

    static func userAgent(_ name: String) -> Self {
        Self(name) { text, _ in text.replacing("%current_version", with: ImageLoader.version) }
    }

    static func ranges(_ name: String, _ ranges: String, _ note: String = "") -> Self {
        Self(name, note) { text, _ throws(SettingsFailure) in
            try flag(text, ImgproxyVariables.prefix + name) ? ranges : nil
        }
    }

    static func formatQuality(_ name: String) -> Self {
        Self(name, "formats that aren't built are left out") { text, _ in
            let pairs = text.split(separator: ",").map { $0.split(separator: "=").map(\.trimmed) }
            let known = pairs.filter { ($0.first.flatMap { try? OutputFormats.format(named: $0[...]) }) != nil }
            return known.isEmpty ? nil : known.map { $0.joined(separator: ":") }.joined(separator: ",")
        }
    }

    static func logLevel(_ name: String) -> Self {
        Self(name) { text, _ in
            ["warn": "warning", "fatal": "critical", "panic": "critical"][text.lowercased()] ?? text.lowercased()
        }
    }

    static func logFormat(_ name: String) -> Self {
        Self(name, "`json` and `gcp` are `json`, others `text`") { text, _ in
            ["json", "gcp"].contains(text) ? "json" : "text"
        }
    }

    /// The names of buckets.
    static func buckets(_ name: String, _ scheme: BucketScheme) -> Self {
        Self(name) { text, _ in
            text.split(separator: ",").map { "\(scheme.rawValue)://\($0.trimmed)" }.joined(separator: ",")
        }
    }
}

/// Addresses to listen at.
extension ImgproxyVariable {
    static func host(_ name: String) -> Self {
        Self(name, "without a host: all addresses") { text, environment throws(SettingsFailure) in
            guard let network = try network(of: name, environment) else { return nil }
            let host = try address(text, name).host
            if !host.isEmpty { return host }
            return network != "tcp4" && hasIPv6 ? "::" : "0.0.0.0"
        }
    }

    static func port(_ name: String) -> Self {
        Self(name) { text, environment throws(SettingsFailure) in
            try network(of: name, environment) == nil ? nil : address(text, name).port
        }
    }

    static func socket(_ name: String) -> Self {
        Self(name, "with `IMGPROXY_NETWORK=unix`") { text, environment throws(SettingsFailure) in
            try network(of: name, environment) == nil ? text : nil
        }
    }

    /// Whether this machine can listen at `::`, which is all addresses.
    private static var hasIPv6: Bool {
        // Without a list, IPv4 is what every machine has.
        ((try? System.enumerateDevices()) ?? []).contains { $0.address?.protocol == .inet6 }
    }

    /// Returns the network of an address, or nil if it is the path of a Unix socket. Only `BIND` can be one.
    private static func network(
        of variable: String, _ environment: [String: String]
    ) throws(SettingsFailure) -> String? {
        let name = ImgproxyVariables.prefix + "NETWORK"
        guard variable == "BIND", let network = environment.value(of: name) else { return "tcp" }
        if network == "unix" { return nil }
        guard ["tcp", "tcp4", "tcp6"].contains(network) else {
            throw .invalid(name, "\(network) is not tcp, tcp4, tcp6 or unix")
        }
        return network
    }

    /// Returns the parts of `host:port`, in which an IPv6 address has brackets, and the host may be missing.
    private static func address(_ text: String, _ name: String) throws(SettingsFailure) -> (host: String, port: String)
    {
        guard let colon = text.lastIndex(of: ":") else {
            throw .invalid(ImgproxyVariables.prefix + name, "\(text) has no port")
        }
        let host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard isBracketed || !host.contains(where: { ":[]".contains($0) }) else {
            throw .invalid(ImgproxyVariables.prefix + name, "\(text) is not such as [::1]:8080")
        }
        return (String(isBracketed ? host.dropFirst().dropLast() : host), String(text[text.index(after: colon)...]))
    }
}

/// Sources.
extension ImgproxyVariable {
    /// Prefixes of URLs. Ours end at a slash or a wildcard, and a list with `*` allows all.
    static func sources(_ name: String) -> Self {
        Self(name, "a host without a slash after it is a whole host") { text, _ throws(SettingsFailure) in
            let entries = text.split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
            if entries.contains("*") { return nil }
            for entry in entries where entry.hasPrefix("local:") && entry != "local://" && entry != "local:///" {
                throw .invalid(ImgproxyVariables.prefix + name, "\(entry): name the folder in LOCAL_FILESYSTEM_ROOT")
            }
            return entries.map { entry in
                let path = entry.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }
                return path.isEmpty || path.hasSuffix("/") || path.hasSuffix("*") ? entry : entry + "*"
            }.joined(separator: ",")
        }
    }

    /// The folder of local files, unless the allowed sources leave them out.
    static func folder(_ name: String) -> Self {
        Self(name, "unless `IMGPROXY_ALLOWED_SOURCES` leaves `local://` out") { text, environment in
            let sources = environment.value(of: ImgproxyVariables.prefix + "ALLOWED_SOURCES")?.split(separator: ",")
            return sources?.contains { ["*", "local://", "local:///"].contains($0.trimmed) } ?? true ? text : nil
        }
    }
}

extension [String: String] {
    /// Returns the value of a variable; nil if it is blank, as in imgproxy.
    fileprivate func value(of name: String) -> String? {
        self[name].map(\.trimmed).flatMap { $0.isEmpty ? nil : $0 }
    }
}
