/// A setting: its name in files, its default and its description. Flags and variables are derived from the name.
public struct Setting: Hashable, Sendable {
    /// The name in a file, for example `maxSourceBytes`.
    public let name: String
    /// The value in place of a missing one, as text. Empty for none.
    public let standard: String
    /// What it does, in one line.
    public let summary: String

    init(_ name: String, _ standard: String, _ summary: String) {
        self.name = name
        self.standard = standard
        self.summary = summary
    }

    /// The flag, for example `--max-source-bytes`.
    public var flag: String { "--" + words.joined(separator: "-") }

    /// The environment variable, for example `IMAGE_SERVER_MAX_SOURCE_BYTES`.
    public var variable: String { Self.variablePrefix + words.joined(separator: "_").uppercased() }

    static let variablePrefix = "IMAGE_SERVER_"

    private var words: [String] {
        name.reduce(into: [""]) { words, character in
            if character.isUppercase { words.append("") }
            words[words.count - 1] += character.lowercased()
        }
    }
}

extension Setting {
    /// All settings, in the order of the help text.
    public static let all: [Setting] = [
        Setting("config", "", "A JSON file with settings. Flags and variables replace its values"),
        Setting("host", "127.0.0.1", "The address to listen at"),
        Setting("port", "8080", "The port to listen at; 0 for a free one"),
        Setting("socket", "", "The path of a Unix socket to listen at, in place of host and port"),
        Setting("pathPrefix", "", "What precedes all paths, for example /images"),
        Setting("key", "", "The hexadecimal key of signatures; several separated by commas"),
        Setting("salt", "", "The hexadecimal salt of signatures, one for each key"),
        Setting("signatureSize", "32", "The number of bytes of a signature, from 1 to 32"),
        Setting("allowUnsigned", "false", "Accepts URLs without a signature"),
        Setting("baseUrl", "", "A prefix for every source, with a slash at its end"),
        Setting("presets", "", "Presets, for example small=rs:fit:300:300"),
        Setting("presetsFile", "", "A file with a preset in each line, read again on SIGHUP"),
        Setting("onlyPresets", "false", "URLs have names of presets, such as small:sharp, in place of options"),
        Setting("allowedOptions", "", "The options of URLs, such as w,h,rs; empty for all, as in presets"),
        Setting("allowedOrigins", "", "The allowed sources: *.example.com, https://example.com/images/; empty for all"),
        Setting("allowedPorts", "80,443", "The allowed ports of sources"),
        Setting("allowedAddresses", "", "Address ranges that are allowed although they aren't public: 10.1.0.0/16"),
        Setting("refusedSources", "", "Formats that are no sources, such as svg,tiff"),
        Setting("userAgent", "image-server", "The User-Agent of requests to origins"),
        Setting("forwardHeaders", "", "The header fields of clients that are sent to origins: Authorization,X-Tenant"),
        Setting("forwardCookies", "false", "Sends the cookies of clients to origins"),
        Setting(
            "requestHeaders", "", "Header fields of all requests to these origins: Name: value, with \\; between them"),
        Setting("forwardOrigins", "", "The origins that get these fields; empty for all of allowedOrigins"),
        Setting("rootsFile", "", "A PEM file of certificates to trust in place of the system's"),
        Setting("fileRoots", "", "Folders whose files can be sources, as file: URLs, or local: in the first"),
        Setting("bucketAccessKey", "", "The access key of sources such as s3://bucket/key; empty for none"),
        Setting("bucketSecretKey", "", "The secret key of these sources"),
        Setting("bucketRegion", "us-east-1", "The region of these sources"),
        Setting("bucketEndpoint", "", "The address of another server than Amazon's, such as http://minio:9000"),
        Setting("cacheDirectory", "", "The folder of the disk caches; empty for none"),
        Setting("redisUrl", "", "A Redis server that several servers share: redis://host, rediss://, redis+unix://"),
        Setting("redisNamespace", "images", "The first part of the keys on the Redis server"),
        Setting("memoryCacheBytes", "134217728", "The limit of results in memory"),
        Setting("resultCacheBytes", "2000000000", "The limit of results on disk"),
        Setting("sourceCacheBytes", "2000000000", "The limit of originals on disk"),
        Setting("maxSourceBytes", "33554432", "The largest source in bytes"),
        Setting("maxSourcePixels", "50000000", "The largest source in pixels"),
        Setting("maxFrames", "100", "The most frames of an animation; further ones are left out"),
        Setting("maxAnimationPixels", "250000000", "The most decoded pixels of all frames; further ones are left out"),
        Setting("maxResultPixels", "50000000", "The most pixels of all frames of a result"),
        Setting("maxResultSide", "8192", "The longest side of a result in pixels"),
        Setting("maxResultBytes", "33554432", "The largest result in bytes"),
        Setting("maxRenderings", "64", "The most renderings in progress; further requests wait"),
        Setting("maxWaiting", "1024", "The most requests that wait; further ones get status 503"),
        Setting("queueSeconds", "10", "The longest time for which a request waits before it gets status 503"),
        Setting("maxDecodes", "0", "The most decodes at a time; 0 for the number of processor cores"),
        Setting("maxDownloads", "32", "The most downloads at a time"),
        Setting("maxDownloadsPerServer", "8", "The most downloads from one server (scheme, host, port) at a time"),
        Setting("maxConnections", "16384", "The most connections of clients"),
        Setting("requestSeconds", "30", "The longest time for a result"),
        Setting("connectSeconds", "5", "The longest time to connect to an origin"),
        Setting("stallSeconds", "10", "The longest time without a byte from an origin"),
        Setting("breakerFailures", "10", "Failures to connect after which an origin gets no requests; 0 for never"),
        Setting("breakerSeconds", "5", "The time for which an origin that can't be reached gets none"),
        Setting(
            "idleSeconds", "60", "The time after which an idle connection of a client is closed; 0 after each response"),
        Setting("writeSeconds", "30", "The longest time in which a client reads nothing of a response"),
        Setting(
            "unreadBytes", "268435456", "The memory of unread responses, beyond which the slowest client must leave"),
        Setting("shutdownSeconds", "30", "The longest time for requests in progress after SIGTERM"),
        Setting("shortestLifetime", "0", "The shortest lifetime of results in seconds"),
        Setting("longestLifetime", "31536000", "The longest lifetime of results in seconds"),
        Setting("standardLifetime", "3600", "The lifetime of results in seconds if the origin doesn't say"),
        Setting("missingLifetime", "5", "The longest time in seconds for which an origin's 404 or other error is kept"),
        Setting("fallbackImage", "", "A file or a URL in place of sources that can't be loaded"),
        Setting("fallbackStatus", "200", "The status of responses with it; 0 for that of the failure"),
        Setting("fallbackLifetime", "60", "The lifetime of responses with it in seconds"),
        Setting("allowOrigin", "", "The origin whose scripts may read responses, or *: Access-Control-Allow-Origin"),
        Setting("responseHeaders", "", "Header fields of all responses: Name: value, with \\; between them"),
        Setting("purgeSecret", "", "The bearer token of DELETE requests that purge results; empty for no purges"),
        Setting("cacheBuster", "", "A text in the keys of results: with another one, no stored result is used"),
        Setting("quality", "80", "The quality of lossy results, from 1 to 100"),
        Setting("formatQuality", "", "The quality by format, for example webp:75"),
        Setting("autoWebp", "true", "Results are WebP if the client accepts it and the URL has no format"),
        Setting("autoAvif", "false", "The same for AVIF, which takes far longer to encode"),
        Setting("autoJxl", "false", "The same for JPEG XL"),
        Setting("enforceWebp", "false", "Results are WebP if the client accepts it, whatever the URL says"),
        Setting("enforceAvif", "false", "The same for AVIF"),
        Setting("enforceJxl", "false", "The same for JPEG XL"),
        Setting("preferredFormats", "jpeg,png,gif", "Formats that results keep; the first suitable one for others"),
        Setting("stripMetadata", "true", "Results have no metadata; false keeps Exif, XMP and IPTC"),
        Setting("keepCopyright", "true", "Results without metadata keep artist, copyright and rights"),
        Setting("clientHints", "false", "DPR, Width and Save-Data of clients are defaults of options"),
        Setting("saveDataQuality", "50", "The quality for clients with Save-Data, if it is lower"),
        Setting("jpegProgressive", "false", "JPEG is progressive: smaller, and slower to encode"),
        Setting("pngInterlaced", "false", "PNG is interlaced: larger"),
        Setting("pngQuantize", "false", "PNG has a palette: smaller, with fewer colors"),
        Setting("pngQuantizationColors", "256", "The most colors of such PNG, from 2 to 256"),
        Setting("webpEffort", "4", "The effort for WebP, from 0, fastest, to 6, smallest"),
        Setting("avifSpeed", "8", "The speed for AVIF, from 0, smallest, to 10, fastest"),
        Setting("jxlEffort", "4", "The effort for JPEG XL, from 1, fastest, to 9, smallest"),
        Setting("watermarkPath", "", "The file of the image that the option watermark draws"),
        Setting("watermarkData", "", "The same image in Base64, in place of a file"),
        Setting("watermarkUrl", "", "The URL of the image, in place of a file. The rules for sources apply"),
        Setting("watermarkOpacity", "1", "The opacity of the watermark, from 0 to 1"),
        Setting("stripColorProfile", "true", "Results are in sRGB; false keeps larger gamuts, in Display P3"),
        Setting("logLevel", "info", "trace, debug, info, notice, warning, error or critical"),
        Setting("logFormat", "text", "text, or json for an object in each line"),
        Setting("accessLog", "true", "Logs a line for each request, at the level info"),
        Setting("trustedProxies", "0", "The number of proxies whose X-Forwarded-For is trusted, for the access log"),
        Setting("metricsPort", "", "A port of its own for /metrics; empty for none"),
        Setting("pages", "", "Further pages at the port of the images: form at /, metrics at /metrics"),
        Setting(
            "otlpEndpoint", "", "The collector of spans and metrics, such as http://localhost:4318; empty for none"),
        Setting(
            "otlpMetricsEndpoint", "", "The address of metrics, such as http://h:4318/v1/metrics, in place of that"),
        Setting("otlpMetricsSeconds", "60", "The time between exports of metrics; 0 for none"),
        Setting("otlpHeaders", "", "Header fields for the collector, such as api-key=abc,team=images"),
        Setting("otlpService", "image-server", "The name of this service at the collector"),
        Setting("traceRatio", "1", "The share of traces to record, from 0 to 1"),
        Setting("trustTraceParent", "false", "The traceparent of a client decides whether its trace is recorded"),
    ]

    /// A text that lists the settings.
    public static var help: String {
        let lines = all.map { setting in
            let standard = setting.standard.isEmpty ? "" : " (\(setting.standard))"
            let padding = String(repeating: " ", count: max(1, 29 - setting.flag.count))
            return "  \(setting.flag)\(padding)\(setting.summary)\(standard)"
        }
        return """
            Usage: image-server [--name value]... | --help | --version

            Serves images of other servers in other sizes and formats, by URLs in imgproxy's format.

            \(lines.joined(separator: "\n"))

            Each setting can also be an environment variable, for example IMAGE_SERVER_MAX_SOURCE_BYTES, or a
            value of the JSON file, for example "maxSourceBytes".

            """
    }
}
