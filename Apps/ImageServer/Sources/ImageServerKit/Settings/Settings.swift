package import Logging

/// All settings, in the order of the help text. A setting is declared here, and nowhere else: the name of the property is
/// that in files, and flags and variables are derived from it.
package struct Settings: Sendable {
    let config = Setting<String?>.serving(nil, "A JSON file with settings. Flags and variables replace its values")
    package let host = Setting.serving("127.0.0.1", "The address to listen at", imgproxy: .host("BIND"))
    package let port = Setting.serving(
        8_080, "The port to listen at; 0 for a free one", in: 0...65_535, imgproxy: .port("BIND"))
    package let socket = Setting<String?>.serving(
        nil, "The path of a Unix socket to listen at, in place of host and port", imgproxy: .socket("BIND"))
    let pathPrefix = Setting.serving("", "What precedes all paths, for example /images", imgproxy: "PATH_PREFIX")
    let healthPath = Setting<String?>.serving(
        nil, "A further path of the health check, such as /healthz", imgproxy: "HEALTH_CHECK_PATH")
    let key = Setting<[String]>.serving(
        [], "The hexadecimal key of signatures; several separated by commas", imgproxy: "KEY")
    let salt = Setting<[String]>.serving([], "The hexadecimal salt of signatures, one for each key", imgproxy: "SALT")
    let signatureSize = Setting.serving(
        32, "The number of bytes of a signature, from 1 to 32", in: 1...32, imgproxy: "SIGNATURE_SIZE")
    let trustedSignatures = Setting<[String]>.serving(
        [], "Texts that are accepted in place of a signature", imgproxy: "TRUSTED_SIGNATURES")
    let allowUnsigned = Setting.serving(false, "Accepts URLs without a signature")
    let baseUrl = Setting.serving(
        "", "A prefix for every source, with a slash at its end",
        imgproxy: .init("BASE_URL", "with a slash at its end"))
    let urlReplacements = Setting.serving(
        "", "Prefixes of sources and what replaces them: a://*/=https://${1}.org/;b://=s3://c/",
        imgproxy: "URL_REPLACEMENTS")
    let presets = Setting<[String]>.serving([], "Presets, for example small=rs:fit:300:300", imgproxy: "PRESETS")
    let presetsFile = Setting<String?>.serving(
        nil, "A file with a preset in each line, read again on SIGHUP", imgproxy: "PRESETS_PATH")
    let onlyPresets = Setting.serving(
        false, "URLs have names of presets, such as small:sharp, in place of options", imgproxy: "ONLY_PRESETS")
    let allowedOptions = Setting<[String]>.serving(
        [], "The options of URLs, such as w,h,rs; empty for all, as in presets", imgproxy: "ALLOWED_PROCESSING_OPTIONS")
    let allowLimitOptions = Setting.serving(
        false, "URLs may have options such as max_src_resolution, also above these settings",
        imgproxy: "ALLOW_SECURITY_OPTIONS")
    let allowedSources = Setting<[String]>.serving(
        [], "The allowed sources: *.example.com, https://example.com/images/, s3://; empty for all",
        imgproxy: .sources("ALLOWED_SOURCES"))
    let allowedPorts = Setting.serving(["80", "443"], "The allowed ports of sources")
    let allowedAddresses = Setting<[String]>.serving(
        [], "Address ranges that are allowed although they aren't public: 10.1.0.0/16",
        imgproxy: .ranges("ALLOW_LOOPBACK_SOURCE_ADDRESSES", "127.0.0.0/8,::1"),
        .ranges("ALLOW_LINK_LOCAL_SOURCE_ADDRESSES", "169.254.0.0/16,fe80::/10"),
        .ranges(
            "ALLOW_PRIVATE_SOURCE_ADDRESSES", "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,fc00::/7",
            "must be set: imgproxy's default is true"))
    let refusedSources = Setting<[String]>.serving([], "Formats that are no sources, such as svg,tiff")
    let userAgent = Setting.serving(
        "image-server", "The User-Agent of requests to sources", imgproxy: .userAgent("USER_AGENT"))
    let forwardHeaders = Setting<[String]>.serving(
        [], "The header fields of clients that are sent to sources: Authorization,X-Tenant",
        imgproxy: .init("REQUEST_HEADERS_PASSTHROUGH", "only to `forwardSources`"))
    let forwardCookies = Setting.serving(
        false, "Sends the cookies of clients to sources",
        imgproxy: .init("COOKIE_PASSTHROUGH", "without a base URL: to `allowedSources`"))
    let requestHeaders = Setting.serving(
        "", "Header fields of all requests to these sources: Name: value, with \\; between them",
        imgproxy: .init("CUSTOM_REQUEST_HEADERS", "only to `forwardSources`"))
    let forwardSources = Setting<[String]>.serving(
        [], "The sources that get these fields; empty for all of allowedSources", imgproxy: "COOKIE_BASE_URL")
    let rootsFile = Setting<String?>.serving(nil, "A PEM file of certificates to trust in place of the system's")
    let fileRoots = Setting<[String]>.serving(
        [], "Folders whose files can be sources, as file: URLs, or local: in the first",
        imgproxy: .folder("LOCAL_FILESYSTEM_ROOT"))
    let s3 = Setting.serving(
        false, "Allows s3://bucket/key with the keys or the role of the environment",
        imgproxy: .init("USE_S3", "with the variables of Amazon's own tools"))
    let bucketAccessKey = Setting<String?>.serving(
        nil, "The access key of these sources, in place of the environment's")
    let bucketSecretKey = Setting<String?>.serving(nil, "The secret key of these sources")
    let bucketSessionToken = Setting<String?>.serving(
        nil, "The session token of these keys, if they are temporary")
    let bucketRole = Setting<String?>.serving(
        nil, "The ARN of a role that these keys assume for these sources", imgproxy: "S3_ASSUME_ROLE_ARN")
    let bucketRoleExternalId = Setting<String?>.serving(
        nil, "The external ID with which they assume it",
        imgproxy: "S3_ASSUME_ROLE_EXTERNAL_ID")
    let bucketRegion = Setting<String?>.serving(
        nil, "The region of these sources; empty for AWS_REGION, or us-east-1", imgproxy: "S3_REGION")
    let bucketEndpoint = Setting<String?>.serving(
        nil, "The address of another server than Amazon's, such as http://minio:9000",
        imgproxy: "S3_ENDPOINT")
    let gs = Setting.serving(
        false, "Allows gs://bucket/key with the key file of GOOGLE_APPLICATION_CREDENTIALS", imgproxy: "USE_GCS")
    let googleKey = Setting<String?>.serving(
        nil, "The key of a service account for these sources: JSON, or the path of its file",
        imgproxy: "GCS_KEY")
    let googleEndpoint = Setting<String?>.serving(
        nil, "The address of another server than Google's", imgproxy: "GCS_ENDPOINT")
    let azureAccount = Setting<String?>.serving(
        nil, "The account of sources such as abs://container/key; empty for none",
        imgproxy: .init("ABS_NAME", "without `IMGPROXY_USE_ABS`, too"))
    let azureKey = Setting<String?>.serving(nil, "The key of this account", imgproxy: "ABS_KEY")
    let azureSas = Setting<String?>.serving(
        nil, "A shared access signature of this account, in place of its key",
        imgproxy: .init("ABS_SAS", "not a variable of imgproxy"))
    let azureEndpoint = Setting<String?>.serving(
        nil, "The address of another server than Azure's", imgproxy: "ABS_ENDPOINT")
    let allowedBuckets = Setting<[String]>.serving(
        [], "The buckets of a scheme, such as s3://photos; all of schemes without entries",
        imgproxy: .buckets("S3_ALLOWED_BUCKETS", .amazon), .buckets("GCS_ALLOWED_BUCKETS", .google),
        .buckets("ABS_ALLOWED_BUCKETS", .azure))
    let cacheDirectory = Setting<String?>.serving(nil, "The folder of the disk caches; empty for none")
    let redisUrl = Setting<String?>.serving(
        nil, "A Redis server that several servers share: redis://host, rediss://, redis+unix://")
    let redisNamespace = Setting.serving("images", "The first part of the keys on the Redis server")
    let memoryCacheBytes = Setting.serving(134_217_728, "The limit of results in memory")
    let resultCacheBytes = Setting.serving(2_000_000_000, "The limit of results on disk")
    let sourceCacheBytes = Setting.serving(2_000_000_000, "The limit of originals on disk")
    let maxSourceBytes = Setting.serving(
        33_554_432, "The largest source in bytes", in: 1...Int(Int32.max), imgproxy: .unlessZero("MAX_SRC_FILE_SIZE"))
    let maxSourcePixels = Setting.serving(
        50_000_000, "The largest source in pixels", in: 1...Int(Int32.max), imgproxy: .megapixels("MAX_SRC_RESOLUTION"))
    let maxFrames = Setting.shaping(
        100, "The most frames of an animation; further ones are left out", in: 1...100_000,
        imgproxy: "MAX_ANIMATION_FRAMES")
    let maxFramePixels = Setting.serving(
        0, "The largest frame of an animation in pixels; 0 for maxSourcePixels",
        imgproxy: .megapixels("MAX_ANIMATION_FRAME_RESOLUTION"))
    let maxAnimationPixels = Setting.shaping(
        250_000_000, "The most decoded pixels of all frames; further ones are left out")
    let maxResultPixels = Setting.shaping(
        50_000_000, "The most pixels of all frames of a result", in: 1...Int(Int32.max))
    let maxComparedPixels = Setting.shaping(
        10_000_000, "The most pixels of all frames of an animation for autoAvif; WebP if there are more",
        in: 0...Int(Int32.max))
    let maxResultSide = Setting.shaping(
        8192, "The longest side of a result in pixels", in: 1...65_535, imgproxy: .unlessZero("MAX_RESULT_DIMENSION"))
    let maxResultBytes = Setting.shaping(33_554_432, "The largest result in bytes", in: 1...Int(Int32.max))
    let maxRenderings = Setting.serving(64, "The most renderings in progress; further requests wait", in: 1...100_000)
    let maxWaiting = Setting.serving(
        1_024, "The most requests that wait; further ones get status 503", in: 0...1_000_000,
        imgproxy: .unlessZero("REQUESTS_QUEUE_SIZE"))
    let queueSeconds = Setting.serving(10.0, "The longest time for which a request waits before it gets status 503")
    let maxDecodes = Setting.serving(
        0, "The most decodes at a time; 0 for the number of processor cores", in: 0...1_024,
        imgproxy: "WORKERS", "CONCURRENCY")
    let isolation = Setting<CodecIsolation>.serving(
        .preferred, "Whether codecs run in processes that can reach nothing: required, preferred or off")
    let maxDownloads = Setting.serving(32, "The most downloads at a time", in: 1...10_000)
    let maxDownloadsPerServer = Setting.serving(
        8, "The most downloads from one server (scheme, host, port) at a time", in: 1...10_000)
    package let maxConnections = Setting.serving(
        16_384, "The most connections of clients", in: 1...1_000_000, imgproxy: .unlessZero("MAX_CLIENTS"))
    let requestSeconds = Setting.serving(
        30.0, "The longest time for a result", in: 0.001...1e9, imgproxy: "TIMEOUT", "WRITE_TIMEOUT")
    let connectSeconds = Setting.serving(5.0, "The longest time to connect to the server of a source")
    let downloadSeconds = Setting.serving(
        0.0, "The longest time of a download; 0 for that of the request", imgproxy: "DOWNLOAD_TIMEOUT")
    let stallSeconds = Setting.serving(10.0, "The longest time without a byte from the server of a source")
    let breakerFailures = Setting.serving(
        10, "Failures to connect after which a source's server gets no requests; 0 for never", in: 0...1_000_000)
    let breakerSeconds = Setting.serving(5.0, "The time for which a server that can't be reached gets none")
    package let idleSeconds = Setting.serving(
        60.0, "The time after which an idle connection of a client is closed; 0 after each response",
        imgproxy: "KEEP_ALIVE_TIMEOUT")
    package let writeSeconds = Setting.serving(
        30.0, "The longest time in which a client reads nothing of a response", imgproxy: "WRITE_RESPONSE_TIMEOUT")
    package let unreadBytes = Setting.serving(
        268_435_456, "The memory of unread responses, beyond which the slowest client must leave")
    package let shutdownSeconds = Setting.serving(
        30.0, "The longest time for requests in progress after SIGTERM", imgproxy: "GRACEFUL_STOP_TIMEOUT")
    let shortestLifetime = Setting.serving(0.0, "The shortest lifetime of results in seconds")
    let longestLifetime = Setting.serving(31_536_000.0, "The longest lifetime of results in seconds")
    let standardLifetime = Setting.serving(
        3_600.0, "The lifetime of results in seconds if the source doesn't say",
        imgproxy: .init("TTL", "a source's own lifetime comes first"))
    let missingLifetime = Setting.serving(
        5.0, "The longest time in seconds for which a source's 404 or other error is kept")
    let fallbackImage = Setting<String?>.serving(
        nil, "A file or a URL in place of sources that can't be loaded",
        imgproxy: "FALLBACK_IMAGE_PATH", "FALLBACK_IMAGE_URL")
    let fallbackData = Setting<String?>.serving(
        nil, "The same image in Base64, in place of a file", imgproxy: "FALLBACK_IMAGE_DATA")
    let fallbackStatus = Setting.serving(
        200, "The status of responses with it; 0 for that of the failure", in: 0...599,
        imgproxy: "FALLBACK_IMAGE_HTTP_CODE")
    let fallbackLifetime = Setting.serving(
        60.0, "The lifetime of responses with it in seconds", imgproxy: .unlessZero("FALLBACK_IMAGE_TTL"))
    let allowOrigin = Setting<String?>.serving(
        nil, "The origin whose scripts may read responses, or *: Access-Control-Allow-Origin", imgproxy: "ALLOW_ORIGIN")
    let responseHeaders = Setting.serving(
        "", "Header fields of all responses: Name: value, with \\; between them", imgproxy: "CUSTOM_RESPONSE_HEADERS")
    let purgeSecret = Setting<String?>.serving(
        nil, "The bearer token of DELETE requests that purge results; empty for no purges")
    let cacheBuster = Setting.shaping(
        "", "A text in the keys of results: with another one, no stored result is used", imgproxy: "ETAG_BUSTER")
    let quality = Setting.shaping(80, "The quality of lossy results, from 1 to 100", in: 1...100, imgproxy: "QUALITY")
    let formatQuality = Setting<[String]>.shaping(
        [], "The quality by format, for example webp:75", imgproxy: .formatQuality("FORMAT_QUALITY"))
    let autoWebp = Setting.serving(
        true, "Results are WebP if the client accepts it and the URL has no format",
        imgproxy: "AUTO_WEBP", .init("ENABLE_WEBP_DETECTION", "the old name"))
    let autoAvif = Setting.serving(
        false, "The same for AVIF, which takes far longer to encode",
        imgproxy: "AUTO_AVIF", .init("ENABLE_AVIF_DETECTION", "the old name"))
    let autoJxl = Setting.serving(false, "The same for JPEG XL", imgproxy: "AUTO_JXL")
    let enforceWebp = Setting.serving(
        false, "Results are WebP if the client accepts it, whatever the URL says", imgproxy: "ENFORCE_WEBP")
    let enforceAvif = Setting.serving(false, "The same for AVIF", imgproxy: "ENFORCE_AVIF")
    let enforceJxl = Setting.serving(false, "The same for JPEG XL", imgproxy: "ENFORCE_JXL")
    let preferredFormats = Setting.shaping(
        ["jpeg", "png", "gif"], "Formats that results keep; the first suitable one for others",
        imgproxy: "PREFERRED_FORMATS")
    let skippedFormats = Setting<[String]>.serving(
        [], "Formats that are not processed if the result has the same, such as gif,svg",
        imgproxy: "SKIP_PROCESSING_FORMATS")
    let stripMetadata = Setting.shaping(
        true, "Results have no metadata; false keeps Exif, XMP and IPTC", imgproxy: "STRIP_METADATA")
    let keepCopyright = Setting.shaping(
        true, "Results without metadata keep artist, copyright and rights", imgproxy: "KEEP_COPYRIGHT")
    let clientHints = Setting.serving(
        false, "DPR, Width and Save-Data of clients are defaults of options", imgproxy: "ENABLE_CLIENT_HINTS")
    let saveDataQuality = Setting.shaping(50, "The quality for clients with Save-Data, if it is lower", in: 1...100)
    let autoProgressive = Setting.serving(
        false, "JPEG and JPEG XL are progressive for clients whose Priority has i, and Vary names it")
    let jpegProgressive = Setting.shaping(
        false, "JPEG is progressive: smaller, and slower to encode", imgproxy: "JPEG_PROGRESSIVE")
    let pngInterlaced = Setting.shaping(false, "PNG is interlaced: larger", imgproxy: "PNG_INTERLACED")
    let pngQuantize = Setting.shaping(false, "PNG has a palette: smaller, with fewer colors", imgproxy: "PNG_QUANTIZE")
    let pngQuantizationColors = Setting.shaping(
        256, "The most colors of such PNG, from 2 to 256", in: 2...256, imgproxy: "PNG_QUANTIZATION_COLORS")
    let webpEffort = Setting.shaping(
        4, "The effort for WebP, from 0, fastest, to 6, smallest", in: 0...6, imgproxy: "WEBP_EFFORT")
    let avifSpeed = Setting.shaping(
        8, "The speed for AVIF, from 0, smallest, to 10, fastest", in: 0...10, imgproxy: "AVIF_SPEED")
    let jxlEffort = Setting.shaping(
        4, "The effort for JPEG XL, from 1, fastest, to 9, smallest", in: 1...9, imgproxy: "JXL_EFFORT")
    let watermarkPath = Setting<String?>.serving(
        nil, "The file of the image that the option watermark draws", imgproxy: "WATERMARK_PATH")
    let watermarkData = Setting<String?>.serving(
        nil, "The same image in Base64, in place of a file", imgproxy: "WATERMARK_DATA")
    let watermarkUrl = Setting<String?>.serving(
        nil, "The URL of the image, in place of a file. The rules for sources apply", imgproxy: "WATERMARK_URL")
    let watermarkOpacity = Setting.shaping(
        1.0, "The opacity of the watermark, from 0 to 1", in: 0...1, imgproxy: "WATERMARK_OPACITY")
    let linearLight = Setting.shaping(
        false, "Results are resized in linear light", imgproxy: "USE_LINEAR_COLORSPACE")
    let stripColorProfile = Setting.shaping(
        true, "Results are in sRGB; false keeps larger gamuts, in Display P3", imgproxy: "STRIP_COLOR_PROFILE")
    package let logLevel = Setting<Logger.Level>.serving(
        .info, "trace, debug, info, notice, warning, error or critical", imgproxy: .logLevel("LOG_LEVEL"))
    package let logFormat = Setting<LineLogHandler.Format>.serving(
        .text, "text, or json for an object in each line", imgproxy: .logFormat("LOG_FORMAT"))
    let accessLog = Setting.serving(true, "Logs a line for each request, at the level info")
    let trustedProxies = Setting.serving(
        0, "The number of proxies whose X-Forwarded-For is trusted, for the access log", in: 0...100)
    package let metricsPort = Setting<Int?>.serving(
        nil, "A port of its own for /metrics; empty for none", imgproxy: .port("PROMETHEUS_BIND"))
    package let metricsHost = Setting<String?>.serving(
        nil, "The address for it; empty for that of the images", imgproxy: .host("PROMETHEUS_BIND"))
    let pages = Setting<[String]>.serving([], "Further pages at the port of the images: form at /, metrics at /metrics")
    let otlpEndpoint = Setting<String?>.serving(
        nil, "The collector of spans and metrics, such as http://localhost:4318; empty for none")
    let otlpMetricsEndpoint = Setting<String?>.serving(
        nil, "The address of metrics, such as http://h:4318/v1/metrics, in place of that")
    let otlpMetricsSeconds = Setting.serving(60.0, "The time between exports of metrics; 0 for none")
    let otlpHeaders = Setting<[String]>.serving([], "Header fields for the collector, such as api-key=abc,team=images")
    let otlpService = Setting.serving("image-server", "The name of this service at the collector")
    let traceRatio = Setting.serving(1.0, "The share of traces to record, from 0 to 1", in: 0...1)
    let trustTraceParent = Setting.serving(false, "The traceparent of a client decides whether its trace is recorded")
}

extension Settings {
    static let declared = Settings()

    /// All settings, in the order of their declarations. Their names are those of the properties.
    static let all = Mirror(reflecting: declared).children.compactMap { child in
        (child.value as? any AnySetting).flatMap { setting in
            child.label.map { NamedSetting(name: $0, setting: setting) }
        }
    }

    static func named(_ name: String) -> NamedSetting? { all.first { $0.name == name } }

    /// A text that lists the settings.
    package static var help: String {
        let lines = all.map { setting in
            let standard = setting.standardText.isEmpty ? "" : " (\(setting.standardText))"
            let padding = String(repeating: " ", count: max(1, 29 - setting.flag.count))
            return "  \(setting.flag)\(padding)\(setting.summary)\(standard)"
        }
        return """
            Usage: image-server [--name value]... | health | --help | --version

            Serves images of other servers in other sizes and formats, by URLs in imgproxy's format.

            \(lines.joined(separator: "\n"))

            Each setting can also be an environment variable, for example IMAGE_SERVER_MAX_SOURCE_BYTES, or a
            value of the JSON file, for example "maxSourceBytes". With the same settings, `image-server health`
            succeeds if the server is ready.

            """
    }
}
