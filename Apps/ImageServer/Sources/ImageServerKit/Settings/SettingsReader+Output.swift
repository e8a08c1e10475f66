package import Foundation
import ImageCore

/// How results are made.
package struct ResultSettings: Sendable {
    package var formats: FormatRules
    package var encoders: EncoderSettings
    /// The quality for clients that want to load less data.
    package var saveDataQuality: Int
    package var usesClientHints: Bool
    package var stripsMetadata: Bool
    package var keepsCopyright: Bool
    package var watermark: Watermark?
    /// The URL of the watermark, if it has one.
    package var watermarkURL: URL?
    package var watermarkOpacity: Double
}

/// Reads the settings of results and of the log.
extension SettingsReader {
    /// - Parameter decoder: Decodes sources.
    func results(_ decoder: any SizedImageDecoder) throws(SettingsFailure) -> ResultSettings {
        ResultSettings(
            formats: try formatRules(), encoders: try encoders(),
            saveDataQuality: try integer("saveDataQuality", in: 1...100), usesClientHints: try flag("clientHints"),
            stripsMetadata: try flag("stripMetadata"), keepsCopyright: try flag("keepCopyright"),
            watermark: try watermark(decoder), watermarkURL: try watermarkURL(),
            watermarkOpacity: try number("watermarkOpacity"))
    }

    /// Returns a list of formats that this server may have or not.
    func formats(_ name: String) throws(SettingsFailure) -> [ImageFormat] {
        var formats: [ImageFormat] = []
        for text in try list(name) {
            guard let format = try? OutputFormats.knownFormat(named: text[...]) else {
                throw .invalid(name, "\(text) is not a format")
            }
            formats.append(format)
        }
        return formats
    }

    private func formatRules() throws(SettingsFailure) -> FormatRules {
        var rules = FormatRules(automatic: [], preferred: [])
        for (name, format) in [("Webp", ImageFormat.webP), ("Avif", .avif), ("Jxl", .jpegXL)] {
            if try isChosen("auto" + name, format) { rules.automatic.insert(format) }
            if try isChosen("enforce" + name, format) { rules.enforced.insert(format) }
        }
        for name in try list("preferredFormats") {
            guard let format = try? OutputFormats.format(named: name[...]) else {
                throw .invalid("preferredFormats", "\(name) is not a format of results")
            }
            rules.preferred.append(format)
        }
        guard !rules.preferred.isEmpty else { throw .invalid("preferredFormats", "there must be one") }
        return rules
    }

    private func isChosen(_ name: String, _ format: ImageFormat) throws(SettingsFailure) -> Bool {
        guard try flag(name) else { return false }
        guard OutputFormats.output(for: format) != nil else {
            throw .invalid(name, "the server was built without the format")
        }
        return true
    }

    private func encoders() throws(SettingsFailure) -> EncoderSettings {
        var encoders = EncoderSettings()
        encoders.isProgressiveJPEG = try flag("jpegProgressive")
        encoders.isInterlacedPNG = try flag("pngInterlaced")
        let colorCount = try integer("pngQuantizationColors", in: 2...256)
        encoders.pngColorCount = try flag("pngQuantize") ? colorCount : nil
        encoders.webpEffort = try integer("webpEffort", in: 0...6)
        encoders.avifSpeed = try integer("avifSpeed", in: 0...10)
        encoders.jxlEffort = try integer("jxlEffort", in: 1...9)
        return encoders
    }

    /// Reads the watermark, and decodes it once to see whether that is possible.
    private func watermark(_ decoder: any SizedImageDecoder) throws(SettingsFailure) -> Watermark? {
        let opacity = try number("watermarkOpacity")
        guard opacity <= 1 else { throw .invalid("watermarkOpacity", "\(opacity) is above 1") }
        let file = try text("watermarkPath")
        let encoded = try text("watermarkData")
        guard !file.isEmpty || !encoded.isEmpty else { return nil }
        guard file.isEmpty || encoded.isEmpty else { throw .invalid("watermarkData", "there is a watermarkPath, too") }
        let name = file.isEmpty ? "watermarkData" : "watermarkPath"
        let content = file.isEmpty ? Data(base64Encoded: encoded) : FileManager.default.contents(atPath: file)
        guard let content else { throw .invalid(name, "it can't be read") }
        try SettingsFile.checkImage(content, name, decoder)
        return Watermark(file: content, opacity: opacity)
    }

    /// Returns the address of the watermark, which is loaded when it is needed.
    private func watermarkURL() throws(SettingsFailure) -> URL? {
        guard let address = try optionalText("watermarkUrl") else { return nil }
        guard try text("watermarkPath").isEmpty, try text("watermarkData").isEmpty else {
            throw .invalid("watermarkUrl", "there is another watermark, too")
        }
        guard let url = URL(webAddress: address) else { throw .invalid("watermarkUrl", "not a URL") }
        return url
    }

    func logFormat() throws(SettingsFailure) -> LineLogHandler.Format {
        let name = try text("logFormat")
        guard let format = LineLogHandler.Format(rawValue: name) else {
            throw .invalid("logFormat", "\(name) is neither text nor json")
        }
        return format
    }

    func accessLog() throws(SettingsFailure) -> AccessLog.Settings {
        var settings = AccessLog.Settings()
        settings.isEnabled = try flag("accessLog")
        settings.trustedProxies = try integer("trustedProxies", in: 0...100)
        return settings
    }

    func pages() throws(SettingsFailure) -> Set<Page> {
        var pages: Set<Page> = []
        for name in try list("pages") {
            guard let page = Page(rawValue: name) else {
                throw .invalid("pages", "\(name) is neither form nor metrics")
            }
            pages.insert(page)
        }
        return pages
    }

    /// Returns the port of `/metrics`; nil for none of its own.
    func metricsPort() throws(SettingsFailure) -> Int? {
        try text("metricsPort").isEmpty ? nil : integer("metricsPort", in: 0...65_535)
    }
}
