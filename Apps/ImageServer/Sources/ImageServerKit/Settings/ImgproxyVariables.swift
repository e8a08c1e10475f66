/// The environment variables of imgproxy that have a counterpart among the settings.
///
/// They are read in place of variables of this server that are missing, so that imgproxy can be replaced in a compose
/// file.
public enum ImgproxyVariables {
    /// A variable of imgproxy and its counterpart.
    public struct Entry: Sendable {
        /// The name without `IMGPROXY_`.
        public let name: String
        /// The settings that have its value.
        public let settings: [String]
        /// What is different; empty if nothing is.
        public let note: String
        /// Returns the values of the settings; nil for those that it leaves at their defaults.
        let convert: @Sendable (String) -> [String?]
    }

    /// All variables with a counterpart, in the order of imgproxy's documentation.
    public static let all: [Entry] = [
        Entry("BIND", ["host", "port"], "without a host: all addresses", convert: address),
        Entry("PATH_PREFIX", "pathPrefix"), Entry("TIMEOUT", "requestSeconds"),
        Entry("KEEP_ALIVE_TIMEOUT", "idleSeconds"), Entry("GRACEFUL_STOP_TIMEOUT", "shutdownSeconds"),
        Entry("WORKERS", "maxDecodes"), Entry("CONCURRENCY", "maxDecodes"),
        Entry("MAX_CLIENTS", "maxConnections", "0 keeps the default", unlessZero),
        Entry("REQUESTS_QUEUE_SIZE", "maxWaiting", "0 keeps the default", unlessZero),
        Entry("PROMETHEUS_BIND", ["metricsPort"], "the host is that of `BIND`") { [address($0).last ?? nil] },
        Entry("TTL", "standardLifetime", "an origin's own lifetime comes first"),
        Entry("USER_AGENT", "userAgent"), Entry("ALLOW_ORIGIN", "allowOrigin"),
        Entry("CUSTOM_REQUEST_HEADERS", "requestHeaders", "only to `forwardOrigins`"),
        Entry("CUSTOM_RESPONSE_HEADERS", "responseHeaders"),
        Entry("REQUEST_HEADERS_PASSTHROUGH", "forwardHeaders", "only to `forwardOrigins`"),
        Entry("COOKIE_PASSTHROUGH", "forwardCookies", "without a base URL: to `allowedOrigins`"),
        Entry("COOKIE_BASE_URL", "forwardOrigins"),
        Entry("KEY", "key"), Entry("SALT", "salt"), Entry("SIGNATURE_SIZE", "signatureSize"),
        Entry("MAX_SRC_RESOLUTION", "maxSourcePixels", "in megapixels", megapixels),
        Entry("MAX_SRC_FILE_SIZE", "maxSourceBytes", "0 keeps the default", unlessZero),
        Entry("MAX_ANIMATION_FRAMES", "maxFrames"),
        Entry("MAX_RESULT_DIMENSION", "maxResultSide", "0 keeps the default", unlessZero),
        Entry(
            "ALLOWED_SOURCES", "allowedOrigins",
            "without wildcards in paths; buckets are named; `local://` is left out beside others", origins),
        Entry("LOCAL_FILESYSTEM_ROOT", "fileRoots"),
        Entry("ALLOWED_PROCESSING_OPTIONS", "allowedOptions"),
        Entry("ALLOW_LOOPBACK_SOURCE_ADDRESSES", "allowedAddresses", "", ranges("127.0.0.0/8,::1")),
        Entry("ALLOW_LINK_LOCAL_SOURCE_ADDRESSES", "allowedAddresses", "", ranges("169.254.0.0/16,fe80::/10")),
        Entry(
            "ALLOW_PRIVATE_SOURCE_ADDRESSES", "allowedAddresses", "must be set: imgproxy's default is true",
            ranges("10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,fc00::/7")),
        Entry("QUALITY", "quality"),
        Entry("FORMAT_QUALITY", "formatQuality", "formats that aren't built are left out", formatQuality),
        Entry("ENABLE_WEBP_DETECTION", "autoWebp", "the old name"),
        Entry("ENABLE_AVIF_DETECTION", "autoAvif", "the old name"),
        Entry("AUTO_WEBP", "autoWebp"), Entry("ENFORCE_WEBP", "enforceWebp"), Entry("AUTO_AVIF", "autoAvif"),
        Entry("ENFORCE_AVIF", "enforceAvif"), Entry("AUTO_JXL", "autoJxl"), Entry("ENFORCE_JXL", "enforceJxl"),
        Entry("PREFERRED_FORMATS", "preferredFormats"), Entry("JPEG_PROGRESSIVE", "jpegProgressive"),
        Entry("PNG_INTERLACED", "pngInterlaced"), Entry("PNG_QUANTIZE", "pngQuantize"),
        Entry("PNG_QUANTIZATION_COLORS", "pngQuantizationColors"), Entry("WEBP_EFFORT", "webpEffort"),
        Entry("AVIF_SPEED", "avifSpeed"), Entry("JXL_EFFORT", "jxlEffort"), Entry("STRIP_METADATA", "stripMetadata"),
        Entry("KEEP_COPYRIGHT", "keepCopyright"), Entry("ENABLE_CLIENT_HINTS", "clientHints"),
        Entry("WATERMARK_PATH", "watermarkPath"), Entry("WATERMARK_URL", "watermarkUrl"),
        Entry("WATERMARK_DATA", "watermarkData"),
        Entry("WATERMARK_OPACITY", "watermarkOpacity"),
        Entry("STRIP_COLOR_PROFILE", "stripColorProfile"), Entry("PRESETS", "presets"),
        Entry("PRESETS_PATH", "presetsFile"), Entry("ONLY_PRESETS", "onlyPresets"),
        Entry("FALLBACK_IMAGE_PATH", "fallbackImage"), Entry("FALLBACK_IMAGE_URL", "fallbackImage"),
        Entry("FALLBACK_IMAGE_HTTP_CODE", "fallbackStatus"),
        Entry("FALLBACK_IMAGE_TTL", "fallbackLifetime", "0 keeps the default", unlessZero),
        Entry("S3_REGION", "bucketRegion"), Entry("S3_ENDPOINT", "bucketEndpoint"),
        Entry("BASE_URL", "baseUrl", "with a slash at its end"), Entry("ETAG_BUSTER", "cacheBuster"),
        Entry("LOG_LEVEL", "logLevel", "", logLevel),
        Entry("LOG_FORMAT", "logFormat", "`json` and `gcp` are `json`, others `text`") {
            ["json", "gcp"].contains($0) ? "json" : "text"
        },
    ]

    /// Returns an environment with the variables of this server that those of imgproxy stand for.
    ///
    /// - Throws: `.invalid` for a variable that protects the server, and has no counterpart.
    static func translated(_ environment: [String: String]) throws(SettingsFailure) -> [String: String] {
        if environment["\(prefix)SECRET"]?.isEmpty == false {
            throw .invalid("\(prefix)SECRET", "this server has no such token; let a proxy check it")
        }
        var found: [String: String] = [:]
        for entry in all {
            guard let text = environment[entry.variable], !text.isEmpty else { continue }
            for (name, value) in zip(entry.settings, entry.convert(text)) {
                guard let value, let setting = Setting.all.first(where: { $0.name == name }) else { continue }
                // Several variables add to one list of address ranges.
                let isList = name == "allowedAddresses"
                found[setting.variable] = [isList ? found[setting.variable] : nil, value].compactMap(\.self)
                    .joined(separator: ",")
            }
        }
        // The names of Amazon's own tools, which imgproxy reads, too.
        for (name, setting) in [("AWS_ACCESS_KEY_ID", "bucketAccessKey"), ("AWS_SECRET_ACCESS_KEY", "bucketSecretKey")]
        where environment["\(prefix)USE_S3"] != nil {
            if let setting = Setting.all.first(where: { $0.name == setting }) {
                found[setting.variable] = environment[name]
            }
        }
        return environment.merging(found) { own, _ in own }
    }

    /// Returns the name of the variable that gives a setting its value; nil if there is none.
    static func name(ofValueFor setting: String, in environment: [String: String]) -> String? {
        guard let own = Setting.all.first(where: { $0.name == setting })?.variable, environment[own] == nil else {
            return nil
        }
        return all.last { $0.settings.contains(setting) && environment[$0.variable]?.isEmpty == false }?.variable
    }

    /// Returns the variables of imgproxy in an environment that have no counterpart, in alphabetical order.
    public static func unknown(in environment: [String: String]) -> [String] {
        let known = Set(all.map(\.variable) + ["\(prefix)USE_S3"])
        return environment.keys.filter { $0.hasPrefix(prefix) && !known.contains($0) }.sorted()
    }

    fileprivate static let prefix = "IMGPROXY_"
}

extension ImgproxyVariables.Entry {
    /// The name of the variable.
    var variable: String { ImgproxyVariables.prefix + name }

    fileprivate init(
        _ name: String, _ setting: String, _ note: String = "",
        _ convert: @escaping @Sendable (String) -> String? = { $0 }
    ) {
        self.init(name, [setting], note) { [convert($0)] }
    }

    fileprivate init(
        _ name: String, _ settings: [String], _ note: String, convert: @escaping @Sendable (String) -> [String?]
    ) {
        self.name = name
        self.settings = settings
        self.note = note
        self.convert = convert
    }
}

extension ImgproxyVariables {
    @Sendable private static func address(_ text: String) -> [String?] {
        guard let colon = text.lastIndex(of: ":") else { return [text, nil] }
        let host = text[..<colon].filter { $0 != "[" && $0 != "]" }
        return [host.isEmpty ? "0.0.0.0" : host, String(text[text.index(after: colon)...])]
    }

    @Sendable private static func megapixels(_ text: String) -> String? {
        Double(text).flatMap { Int(exactly: ($0 * 1e6).rounded()) }.map { "\($0)" } ?? text
    }

    /// Without `local://`: the folders of files are a setting of their own. Alone, it is an error.
    @Sendable private static func origins(_ text: String) -> String? {
        let others = text.split(separator: ",").filter { !$0.hasPrefix("local:") }
        return others.isEmpty ? text : others.joined(separator: ",")
    }

    @Sendable private static func unlessZero(_ text: String) -> String? { Int(text) == 0 ? nil : text }

    private static func ranges(_ ranges: String) -> @Sendable (String) -> String? {
        { ["1", "true", "t"].contains($0.lowercased()) ? ranges : nil }
    }

    @Sendable private static func formatQuality(_ text: String) -> String? {
        let pairs = text.split(separator: ",").map { $0.split(separator: "=") }
        let known = pairs.filter { ($0.first.flatMap { try? OutputFormats.format(named: $0) }) != nil }
        return known.isEmpty ? nil : known.map { $0.joined(separator: ":") }.joined(separator: ",")
    }

    @Sendable private static func logLevel(_ text: String) -> String? {
        ["warn": "warning", "fatal": "critical", "panic": "critical"][text.lowercased()] ?? text.lowercased()
    }
}
