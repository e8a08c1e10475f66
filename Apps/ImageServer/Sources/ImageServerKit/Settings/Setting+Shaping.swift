import Foundation

extension Setting {
    /// The settings that decide whether, how fast and to whom results are served. The values of all others, which change
    /// the bytes of results for the same URL, are part of the keys of results, so that a server never serves a result of
    /// other settings.
    ///
    /// Presets and the base URL are in the options and in the source of a URL, which are in its key, and so are the hints of
    /// clients, the watermark and a digest of the header fields that are sent to the origin.
    static let notShaping: Set = [
        "config", "host", "port", "key", "salt", "signatureSize", "allowUnsigned", "baseUrl", "presets", "presetsFile",
        "allowedOrigins", "allowedPorts", "allowedAddresses", "fileRoots", "cacheDirectory", "redisUrl",
        "redisNamespace", "memoryCacheBytes", "resultCacheBytes", "sourceCacheBytes", "maxSourceBytes",
        "maxSourcePixels", "maxRenderings", "maxDecodes", "maxDownloads",
        "maxDownloadsPerServer", "maxConnections", "requestSeconds", "connectSeconds", "stallSeconds", "idleSeconds",
        "writeSeconds", "shutdownSeconds", "shortestLifetime", "longestLifetime", "standardLifetime",
        "missingLifetime", "purgeSecret", "logLevel", "socket", "pathPrefix", "onlyPresets", "allowedOptions",
        "userAgent", "rootsFile", "fallbackImage", "fallbackStatus", "fallbackLifetime", "allowOrigin",
        "responseHeaders", "bucketAccessKey", "bucketSecretKey", "bucketRegion", "bucketEndpoint",
        "maxWaiting", "queueSeconds", "breakerFailures", "breakerSeconds", "autoWebp", "autoAvif", "autoJxl",
        "enforceWebp", "enforceAvif", "enforceJxl", "logFormat", "accessLog", "trustedProxies", "metricsPort", "pages",
        "forwardHeaders", "forwardCookies", "requestHeaders", "forwardOrigins",
        "clientHints", "watermarkPath", "watermarkData", "watermarkUrl", "unreadBytes", "otlpEndpoint", "otlpHeaders",
        "otlpMetricsEndpoint", "otlpMetricsSeconds", "otlpService", "traceRatio", "trustTraceParent", "refusedSources",
    ]
}

extension SettingsReader {
    /// Returns a digest of the settings that change the bytes of results.
    func resultKey() -> String {
        let values = Setting.all.map(\.name).filter { !Setting.notShaping.contains($0) }.map { "\($0)=\(anyText($0))" }
        return Digest.text(of: Data(values.joined(separator: "\n").utf8))
    }
}
