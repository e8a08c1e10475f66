import Foundation
import HTTPTypes
import ImageCore

/// The checked settings of a server: the values of `Settings`, and what is made of several of them.
@dynamicMemberLookup
package struct ServerSettings: Sendable {
    private var values: SettingValues
    /// Verifies signatures; nil to accept unsigned URLs.
    var signature: URLSignature?
    /// The formats of sources that are not decoded.
    var refusedSources: Set<ImageFormat>
    var originRules: OriginRules
    var addressRules: AddressRules
    var redisURL: URL?
    /// The longest time to connect to the Redis server, and for each reply. Not a setting.
    package var redisTimeout = Duration.milliseconds(500)
    var limits: RenderingLimits
    var admission: AdmissionGate.Limits
    /// The program of workers; nil for this one. Not a setting.
    package var workerProgram: String?
    /// The number of decodes at a time.
    var decoders: Int
    var bounds: LifetimeBounds
    var responseRules: ResponseRules
    /// The servers of sources in buckets.
    var bucketServers: [BucketServer]
    var forwarding: ForwardedFields
    /// The quality by format, from 1 to 100.
    var quality: [ImageFormat: Int]
    var formats: FormatRules
    var encoders: EncoderSettings
    /// The image of the settings; nil if there is none, or only its URL.
    var watermark: Watermark?
    var accessLog: AccessLog.Settings
    /// The pages at the port of the images.
    var pages: Set<Page>
    /// Where spans and metrics are sent; nil for nowhere.
    var collector: Collector?
    /// What URLs may have in place of the options that they ask for.
    var optionRules: OptionRules
    /// What makes sources complete URLs.
    private let sourceBase: SourceBase
    /// The options that presets and URLs change.
    private let options: ProcessingOptions

    /// Reads settings.
    ///
    /// - Parameters:
    ///   - arguments: The flags, without the name of the program.
    ///   - coreCount: The number of decodes at a time, unless it is set.
    package init(
        arguments: [String], environment: [String: String], coreCount: Int
    ) async throws(SettingsFailure) {
        do throws(SettingsFailure) {
            let reader = try await SettingsReader(arguments: arguments, environment: environment)
            try self.init(try SettingValues(reader), environment, coreCount: coreCount)
        } catch {
            throw error.named(by: environment, arguments)
        }
    }

    private init(
        _ values: SettingValues, _ environment: [String: String], coreCount: Int
    ) throws(SettingsFailure) {
        self.values = values
        signature = try values.signature()
        refusedSources = Set(try values.formats(values.refusedSources, "refusedSources"))
        addressRules = try values.addressRules()
        redisURL = try values.checkedRedisURL()
        limits = values.limits
        admission = values.admission
        decoders = values.maxDecodes > 0 ? values.maxDecodes : max(1, coreCount)
        bounds = try values.bounds()
        responseRules = try values.responseRules()
        bucketServers = try values.bucketServers(environment)
        originRules = try values.originRules()
        originRules.bucketSchemes = Set(bucketServers.map(\.scheme))
        originRules.allowedBuckets = try values.origins(values.allowedBuckets, "allowedBuckets") ?? []
        optionRules = try values.optionRules()
        forwarding = try values.forwardedFields(originRules)
        quality = try values.qualities()
        formats = try values.formatRules()
        encoders = values.encoders
        watermark = try values.watermark(limits.makeDecoder(refusing: refusedSources))
        accessLog = AccessLog.Settings(isEnabled: values.accessLog, trustedProxies: values.trustedProxies)
        pages = try values.checkedPages()
        collector = try values.collector()
        sourceBase = try values.sourceBase(originRules)
        let watermarkURL = try values.checkedWatermarkURL()
        options = try values.standardOptions(watermarkURL)
        try values.check(originRules, watermark: watermarkURL)
    }

    package subscript<Value>(dynamicMember setting: KeyPath<Settings, Setting<Value>>) -> Value {
        get { values[dynamicMember: setting] }
        set { values[dynamicMember: setting] = newValue }
    }

    /// A digest of the settings that change the bytes of results.
    var resultKey: String { values.resultKey }

    /// Returns the parser of URLs, with the presets that the file has now.
    func makeParser() throws(SettingsFailure) -> ImageURLParser {
        var lines = values.presets
        if let path = values.presetsFile {
            lines += try SettingsFile.text(of: path).split(whereSeparator: \.isNewline).map(String.init)
        }
        do throws(Presets.Failure) {
            return ImageURLParser(
                signature: signature, presets: try Presets(lines, options: options), base: sourceBase,
                options: options, rules: optionRules)
        } catch {
            throw .invalid("presets", "\(error)")
        }
    }
}

extension SettingValues {
    /// Throws if values can't be used that no function below reads.
    fileprivate func check(_ rules: OriginRules, watermark: URL?) throws(SettingsFailure) {
        guard HTTPField.isValidValue(self.userAgent) else {
            throw .invalid("userAgent", "it is no value of a header field")
        }
        let status = self.fallbackStatus
        guard status == 0 || status >= 200, ![204, 205, 304].contains(status) else {
            throw .invalid("fallbackStatus", "\(status) is not the status of a response with a body")
        }
        if self.fallbackImage != nil, self.fallbackData != nil {
            throw .invalid("fallbackData", "there is a fallbackImage, too")
        }
        if let path = self.rootsFile, try !SettingsFile.text(of: path).contains("-----BEGIN ") {
            throw .file(path, "it has no certificates in PEM format")
        }
        do throws(OriginRefusal) {
            if let watermark { try rules.check(watermark) }
        } catch {
            throw .invalid("watermarkUrl", "\(error)")
        }
    }

    /// A prefix without a slash at its end could be continued: `https://images.example.com` by `.evil.com/`.
    fileprivate func sourceBase(_ rules: OriginRules) throws(SettingsFailure) -> SourceBase {
        let text = self.baseUrl
        let path = URL(webAddress: text)?.path(percentEncoded: true) ?? ""
        guard text.isEmpty || text.hasSuffix("/") && !path.isEmpty else {
            throw .invalid("baseUrl", "it must be a URL with a slash at its end")
        }
        var base = SourceBase(prefix: text, folder: rules.fileRoots.first)
        for text in self.urlReplacements.split(separator: ";") {
            guard let replacement = SourceReplacement(text) else {
                throw .invalid("urlReplacements", "\(text) is not a prefix, = and its replacement")
            }
            base.replacements.append(replacement)
        }
        return base
    }

    fileprivate func standardOptions(_ watermark: URL?) throws(SettingsFailure) -> ProcessingOptions {
        var options = ProcessingOptions()
        options.usesLinearLight = self.linearLight
        options.stripsColorProfile = self.stripColorProfile
        options.stripsMetadata = self.stripMetadata
        options.keepsCopyright = self.keepCopyright
        options.watermark.source = watermark
        options.unprocessedFormats = Set(try formats(self.skippedFormats, "skippedFormats"))
        options.limits = self.allowLimitOptions ? ProcessingOptions.Limits() : nil
        return options
    }

    fileprivate func optionRules() throws(SettingsFailure) -> OptionRules {
        let known = Array(OptionTable.entries.keys) + ["preset", "pr"]
        for name in self.allowedOptions where !known.contains(name) {
            throw .invalid(
                "allowedOptions", "unknown option: \(name); is it \(known.sorted().nearest(to: name) ?? "")?")
        }
        return OptionRules(
            onlyPresets: self.onlyPresets, allowed: self.allowedOptions.isEmpty ? nil : Set(self.allowedOptions))
    }

    fileprivate func checkedRedisURL() throws(SettingsFailure) -> URL? {
        guard let text = self.redisUrl else { return nil }
        guard let url = URL(string: text), url.scheme != nil else { throw .invalid("redisUrl", "not a URL") }
        return url
    }

    fileprivate func bounds() throws(SettingsFailure) -> LifetimeBounds {
        guard self.shortestLifetime <= self.longestLifetime else {
            throw .invalid("shortestLifetime", "it is above longestLifetime")
        }
        return LifetimeBounds(
            shortest: .seconds(self.shortestLifetime), longest: .seconds(self.longestLifetime),
            standard: .seconds(self.standardLifetime))
    }

    /// Throws if there is no key and unsigned URLs are not allowed explicitly.
    fileprivate func signature() throws(SettingsFailure) -> URLSignature? {
        if self.allowUnsigned {
            guard self.key.isEmpty else { throw .invalid("allowUnsigned", "there is a key, too") }
            return nil
        }
        guard !self.key.isEmpty else { throw .invalid("key", "set a key and a salt, or allowUnsigned") }
        guard self.key.count == self.salt.count else { throw .invalid("salt", "there must be one for each key") }
        var pairs: [URLSignature.Pair] = []
        for (key, salt) in zip(self.key, self.salt) {
            guard let pair = URLSignature.Pair(hexadecimalKey: key, salt: salt) else {
                throw .invalid("key", "key and salt must be hexadecimal")
            }
            pairs.append(pair)
        }
        return URLSignature(pairs, byteCount: self.signatureSize, trusted: self.trustedSignatures)
    }

    /// Returns a list of sources; nil if it is empty.
    func origins(_ list: [String], _ name: String) throws(SettingsFailure) -> [AllowedOrigin]? {
        var origins: [AllowedOrigin] = []
        for text in list {
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
        for text in self.allowedPorts {
            guard let port = Int(text), (1...65_535).contains(port) else {
                throw .invalid("allowedPorts", "\(text) is not a port")
            }
            ports.insert(port)
        }
        let roots = self.fileRoots.map { URL(filePath: $0, directoryHint: .isDirectory) }
        for root in roots { try SettingsFile.checkFolder(root) }
        return OriginRules(
            allowedOrigins: try origins(self.allowedSources, "allowedSources"), allowedPorts: ports, fileRoots: roots)
    }

    fileprivate func addressRules() throws(SettingsFailure) -> AddressRules {
        var ranges: [AddressRange] = []
        for text in self.allowedAddresses {
            guard let range = AddressRange(text) else { throw .invalid("allowedAddresses", "\(text) is not a range") }
            ranges.append(range)
        }
        return AddressRules(exceptions: ranges)
    }

    /// A request leaves the queue while there is time to tell the client that it was refused.
    fileprivate var admission: AdmissionGate.Limits {
        AdmissionGate.Limits(
            running: self.maxRenderings, waiting: self.maxWaiting,
            waitingTime: min(.seconds(self.queueSeconds), .seconds(self.requestSeconds) * 0.9))
    }

    fileprivate var limits: RenderingLimits {
        RenderingLimits(
            sourceBytes: self.maxSourceBytes, sourcePixels: self.maxSourcePixels,
            framePixels: self.maxFramePixels > 0 ? self.maxFramePixels : nil, frames: self.maxFrames,
            animationPixels: self.maxAnimationPixels, resultPixels: self.maxResultPixels,
            comparedPixels: self.maxComparedPixels, resultSide: self.maxResultSide, resultBytes: self.maxResultBytes)
    }

    fileprivate func qualities() throws(SettingsFailure) -> [ImageFormat: Int] {
        var quality = Dictionary(
            OutputFormats.all.map { ($0.format, self.quality) }, uniquingKeysWith: { first, _ in first })
        for text in self.formatQuality {
            let parts = text.split(separator: ":")
            guard parts.count == 2, let format = try? OutputFormats.knownFormat(named: parts[0]),
                let value = Int(parts[1]),
                (1...100).contains(value)
            else { throw .invalid("formatQuality", "\(text) is not a format and a quality") }
            quality[format] = value
        }
        return quality
    }
}
