package import Foundation
import HTTPTypes
package import ImageCore
package import Logging

/// The checked settings of a server. See `Setting` for their meaning.
package struct ServerSettings: Sendable {
    package var host: String
    package var port: Int
    /// Verifies signatures; nil to accept unsigned URLs.
    package var signature: URLSignature?
    package var baseURL: String
    package var presets: [String]
    package var presetsFile: String?
    /// The formats of sources that are not decoded.
    package var refusedSources: Set<ImageFormat>
    package var originRules: OriginRules
    package var addressRules: AddressRules
    package var cacheDirectory: URL?
    package var redisURL: URL?
    package var redisNamespace: String
    /// The longest time to connect to the Redis server, and for each reply. Not a setting.
    package var redisTimeout = Duration.milliseconds(500)
    package var memoryCacheBytes: Int
    package var resultCacheBytes: Int
    package var sourceCacheBytes: Int
    package var limits: RenderingLimits
    package var admission: AdmissionGate.Limits
    /// The number of decodes at a time.
    package var decoders: Int
    package var maxDownloads: Int
    package var maxDownloadsPerServer: Int
    package var maxConnections: Int
    package var requestTime: Duration
    package var connectTime: Duration
    package var stallTime: Duration
    /// Failures to connect, after which an origin gets no requests for a time.
    package var breakerFailures: Int
    package var breakerTime: Duration
    package var idleTime: Duration
    package var writeTime: Duration
    /// The limit of the memory of responses that clients have not read.
    package var unreadBytes: Int
    package var shutdownTime: Duration
    package var bounds: LifetimeBounds
    /// The longest time for which an error of an origin is kept.
    package var missingLifetime: Duration
    package var responseRules: ResponseRules
    /// The path of a Unix socket in place of host and port.
    package var socket: String?
    /// The server of `s3:` sources; nil if there are none.
    package var s3Server: S3Server?
    package var optionRules: OptionRules
    package var userAgent: String
    package var forwarding: ForwardedFields
    /// A PEM file of certificates; nil for those of the system.
    package var rootsFile: String?
    /// The file or URL of the fallback image; nil for none.
    package var fallbackImage: String?
    /// The status of responses with it; nil for that of the failure.
    package var fallbackStatus: Int?
    package var fallbackLifetime: Duration
    /// A digest of the settings that change the bytes of results.
    package var resultKey: String
    /// The quality by format, from 1 to 100.
    package var quality: [ImageFormat: Int]
    package var results: ResultSettings
    package var stripsColorProfile: Bool
    package var logLevel: Logger.Level
    package var logFormat: LineLogHandler.Format
    package var accessLog: AccessLog.Settings
    /// The port of `/metrics`; nil for none of its own.
    package var metricsPort: Int?
    /// The pages at the port of the images.
    package var pages: Set<Page>
    /// Where spans and metrics are sent; nil for nowhere.
    package var collector: Collector?

    /// Reads settings.
    ///
    /// - Parameters:
    ///   - arguments: The flags, without the name of the program.
    ///   - environment: The environment variables.
    ///   - coreCount: The number of decodes at a time, unless it is set.
    package init(
        arguments: [String], environment: [String: String], coreCount: Int
    ) async throws(SettingsFailure) {
        let reader = try await SettingsReader(arguments: arguments, environment: environment)
        do throws(SettingsFailure) {
            try self.init(reader, coreCount: coreCount)
        } catch {
            throw error.named(by: environment, arguments)
        }
    }

    private init(_ reader: SettingsReader, coreCount: Int) throws(SettingsFailure) {
        host = try reader.text("host")
        port = try reader.integer("port", in: 0...65_535)
        signature = try reader.signature()
        baseURL = try reader.baseURL()
        presets = try reader.list("presets")
        presetsFile = try reader.path("presetsFile")
        refusedSources = Set(try reader.formats("refusedSources"))
        originRules = try reader.originRules()
        addressRules = try reader.addressRules()
        cacheDirectory = try reader.path("cacheDirectory").map { URL(filePath: $0) }
        redisURL = try reader.redisURL()
        redisNamespace = try reader.text("redisNamespace")
        memoryCacheBytes = try reader.integer("memoryCacheBytes")
        resultCacheBytes = try reader.integer("resultCacheBytes")
        sourceCacheBytes = try reader.integer("sourceCacheBytes")
        limits = try reader.limits()
        admission = try reader.admission()
        let maxDecodes = try reader.integer("maxDecodes", in: 0...1_024)
        decoders = maxDecodes > 0 ? maxDecodes : max(1, coreCount)
        maxDownloads = try reader.integer("maxDownloads", in: 1...10_000)
        maxDownloadsPerServer = try reader.integer("maxDownloadsPerServer", in: 1...10_000)
        maxConnections = try reader.integer("maxConnections", in: 1...1_000_000)
        requestTime = try reader.seconds("requestSeconds")
        guard requestTime > .zero else { throw .invalid("requestSeconds", "it must be above 0") }
        connectTime = try reader.seconds("connectSeconds")
        stallTime = try reader.seconds("stallSeconds")
        let failures = try reader.integer("breakerFailures", in: 0...1_000_000)
        breakerFailures = failures > 0 ? failures : .max
        breakerTime = try reader.seconds("breakerSeconds")
        idleTime = try reader.seconds("idleSeconds")
        writeTime = try reader.seconds("writeSeconds")
        unreadBytes = try reader.integer("unreadBytes")
        shutdownTime = try reader.seconds("shutdownSeconds")
        let (shortest, longest) = (try reader.seconds("shortestLifetime"), try reader.seconds("longestLifetime"))
        guard shortest <= longest else { throw .invalid("shortestLifetime", "it is above longestLifetime") }
        bounds = LifetimeBounds(shortest: shortest, longest: longest, standard: try reader.seconds("standardLifetime"))
        missingLifetime = try reader.seconds("missingLifetime")
        responseRules = try reader.responseRules()
        socket = try reader.path("socket")
        s3Server = try reader.s3Server()
        originRules.allowsBuckets = s3Server != nil
        optionRules = try reader.optionRules()
        userAgent = try reader.text("userAgent")
        guard HTTPField.isValidValue(userAgent) else { throw .invalid("userAgent", "it is no value of a header field") }
        forwarding = try reader.forwardedFields(originRules)
        rootsFile = try reader.rootsFile()
        fallbackImage = try reader.path("fallbackImage")
        let status = try reader.integer("fallbackStatus", in: 0...599)
        guard status == 0 || status >= 200 else { throw .invalid("fallbackStatus", "\(status) is not a final status") }
        fallbackStatus = status == 0 ? nil : status
        fallbackLifetime = try reader.seconds("fallbackLifetime")
        resultKey = reader.resultKey()
        quality = try reader.quality()
        results = try reader.results(limits.makeDecoder(refusing: refusedSources))
        do throws(OriginRefusal) {
            if let url = results.watermarkURL { try originRules.check(url) }
        } catch {
            throw .invalid("watermarkUrl", "\(error)")
        }
        stripsColorProfile = try reader.flag("stripColorProfile")
        logLevel = try reader.logLevel()
        logFormat = try reader.logFormat()
        accessLog = try reader.accessLog()
        metricsPort = try reader.metricsPort()
        pages = try reader.pages()
        collector = try reader.collector()
    }

    /// Returns the parser of URLs, with the presets that the file has now.
    package func makeParser() throws(SettingsFailure) -> ImageURLParser {
        var lines = presets
        if let presetsFile {
            lines += try SettingsFile.text(of: presetsFile).split(whereSeparator: \.isNewline).map(String.init)
        }
        var options = ProcessingOptions()
        options.stripsColorProfile = stripsColorProfile
        options.stripsMetadata = results.stripsMetadata
        options.keepsCopyright = results.keepsCopyright
        options.watermark.source = results.watermarkURL
        do throws(Presets.Failure) {
            return ImageURLParser(
                signature: signature, presets: try Presets(lines),
                base: SourceBase(prefix: baseURL, folder: originRules.fileRoots.first), options: options,
                rules: optionRules)
        } catch {
            throw .invalid("presets", "\(error)")
        }
    }
}

extension SettingsReader {
    fileprivate func path(_ name: String) throws(SettingsFailure) -> String? {
        let path = try text(name)
        return path.isEmpty ? nil : path
    }

    /// A prefix without a slash at its end could be continued: `https://images.example.com` by `.evil.com/`.
    fileprivate func baseURL() throws(SettingsFailure) -> String {
        let text = try text("baseUrl")
        let path = URL(webAddress: text)?.path(percentEncoded: true) ?? ""
        guard text.isEmpty || text.hasSuffix("/") && !path.isEmpty else {
            throw .invalid("baseUrl", "it must be a URL with a slash at its end")
        }
        return text
    }

    fileprivate func optionRules() throws(SettingsFailure) -> OptionRules {
        let allowed = try list("allowedOptions")
        let known = Array(OptionTable.entries.keys) + ["preset", "pr"]
        for name in allowed where !known.contains(name) {
            throw .invalid(
                "allowedOptions", "unknown option: \(name); is it \(known.sorted().nearest(to: name) ?? "")?")
        }
        return OptionRules(onlyPresets: try flag("onlyPresets"), allowed: allowed.isEmpty ? nil : Set(allowed))
    }

    fileprivate func rootsFile() throws(SettingsFailure) -> String? {
        guard let path = try path("rootsFile") else { return nil }
        guard try SettingsFile.text(of: path).contains("-----BEGIN ") else {
            throw .file(path, "it has no certificates in PEM format")
        }
        return path
    }

    fileprivate func redisURL() throws(SettingsFailure) -> URL? {
        guard let text = try path("redisUrl") else { return nil }
        guard let url = URL(string: text), url.scheme != nil else { throw .invalid("redisUrl", "not a URL") }
        return url
    }

    fileprivate func seconds(_ name: String) throws(SettingsFailure) -> Duration { .seconds(try number(name)) }

    /// Throws if there is no key and unsigned URLs are not allowed explicitly.
    fileprivate func signature() throws(SettingsFailure) -> URLSignature? {
        let (keys, salts) = (try list("key"), try list("salt"))
        let size = try integer("signatureSize", in: 1...32)
        if try flag("allowUnsigned") {
            guard keys.isEmpty else { throw .invalid("allowUnsigned", "there is a key, too") }
            return nil
        }
        guard !keys.isEmpty else { throw .invalid("key", "set a key and a salt, or allowUnsigned") }
        guard keys.count == salts.count else { throw .invalid("salt", "there must be one for each key") }
        var pairs: [URLSignature.Pair] = []
        for (key, salt) in zip(keys, salts) {
            guard let pair = URLSignature.Pair(hexadecimalKey: key, salt: salt) else {
                throw .invalid("key", "key and salt must be hexadecimal")
            }
            pairs.append(pair)
        }
        return URLSignature(pairs, byteCount: size)
    }

    /// Returns a list of origins; nil if it is empty.
    func allowedOrigins(_ name: String) throws(SettingsFailure) -> [AllowedOrigin]? {
        var origins: [AllowedOrigin] = []
        for text in try list(name) {
            do throws(AllowedOrigin.InvalidEntry) {
                origins.append(try AllowedOrigin(text))
            } catch {
                throw .invalid(name, "\(text): \(error)")
            }
        }
        return origins.isEmpty ? nil : origins
    }

    fileprivate func originRules() throws(SettingsFailure) -> OriginRules {
        var ports: Set<Int> = []
        for text in try list("allowedPorts") {
            guard let port = Int(text), (1...65_535).contains(port) else {
                throw .invalid("allowedPorts", "\(text) is not a port")
            }
            ports.insert(port)
        }
        let roots = try list("fileRoots").map { URL(filePath: $0, directoryHint: .isDirectory) }
        for root in roots { try SettingsFile.checkFolder(root) }
        return OriginRules(
            allowedOrigins: try allowedOrigins("allowedOrigins"), allowedPorts: ports, fileRoots: roots)
    }

    fileprivate func addressRules() throws(SettingsFailure) -> AddressRules {
        var ranges: [AddressRange] = []
        for text in try list("allowedAddresses") {
            guard let range = AddressRange(text) else { throw .invalid("allowedAddresses", "\(text) is not a range") }
            ranges.append(range)
        }
        return AddressRules(allowing: ranges)
    }

    /// A request leaves the queue while there is time to tell the client that it was refused.
    fileprivate func admission() throws(SettingsFailure) -> AdmissionGate.Limits {
        AdmissionGate.Limits(
            running: try integer("maxRenderings", in: 1...100_000),
            waiting: try integer("maxWaiting", in: 0...1_000_000),
            waitingTime: min(try seconds("queueSeconds"), try seconds("requestSeconds") * 0.9))
    }

    fileprivate func limits() throws(SettingsFailure) -> RenderingLimits {
        RenderingLimits(
            sourceBytes: try integer("maxSourceBytes", in: 1...Int(Int32.max)),
            sourcePixels: try integer("maxSourcePixels", in: 1...Int(Int32.max)),
            frames: try integer("maxFrames", in: 1...100_000), animationPixels: try integer("maxAnimationPixels"),
            resultPixels: try integer("maxResultPixels", in: 1...Int(Int32.max)),
            resultSide: try integer("maxResultSide", in: 1...65_535),
            resultBytes: try integer("maxResultBytes", in: 1...Int(Int32.max)))
    }

    fileprivate func quality() throws(SettingsFailure) -> [ImageFormat: Int] {
        let standard = try integer("quality", in: 1...100)
        var quality = Dictionary(
            OutputFormats.all.map { ($0.format, standard) }, uniquingKeysWith: { first, _ in first })
        for text in try list("formatQuality") {
            let parts = text.split(separator: ":")
            guard parts.count == 2, let format = try? OutputFormats.knownFormat(named: parts[0]),
                let value = Int(parts[1]),
                (1...100).contains(value)
            else { throw .invalid("formatQuality", "\(text) is not a format and a quality") }
            quality[format] = value
        }
        return quality
    }

    fileprivate func logLevel() throws(SettingsFailure) -> Logger.Level {
        let text = try text("logLevel")
        guard let level = Logger.Level(rawValue: text) else { throw .invalid("logLevel", "unknown level \(text)") }
        return level
    }
}
