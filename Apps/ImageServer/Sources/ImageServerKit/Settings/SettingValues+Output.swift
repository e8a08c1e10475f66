import Foundation
import ImageCore

/// Checks the settings of results and of the log.
extension SettingValues {
    /// Returns a list of formats that this server may have or not.
    func formats(_ list: [String], _ name: String) throws(SettingsFailure) -> [ImageFormat] {
        var formats: [ImageFormat] = []
        for text in list {
            guard let format = try? OutputFormats.knownFormat(named: text[...]) else {
                throw .invalid(name, "\(text) is not a format")
            }
            formats.append(format)
        }
        return formats
    }

    func formatRules() throws(SettingsFailure) -> FormatRules {
        var rules = FormatRules(automatic: [], preferred: [])
        rules.automatic = try chosen([
            ("autoWebp", self.autoWebp, .webP), ("autoAvif", self.autoAvif, .avif), ("autoJxl", self.autoJxl, .jpegXL),
        ])
        rules.enforced = try chosen([
            ("enforceWebp", self.enforceWebp, .webP), ("enforceAvif", self.enforceAvif, .avif),
            ("enforceJxl", self.enforceJxl, .jpegXL),
        ])
        for name in self.preferredFormats {
            guard let format = try? OutputFormats.format(named: name[...]) else {
                throw .invalid("preferredFormats", "\(name) is not a format of results")
            }
            rules.preferred.append(format)
        }
        guard !rules.preferred.isEmpty else { throw .invalid("preferredFormats", "there must be one") }
        return rules
    }

    /// Returns the formats of the flags that are on. Throws if this server can't write one.
    private func chosen(_ flags: [(String, Bool, ImageFormat)]) throws(SettingsFailure) -> Set<ImageFormat> {
        for (name, isOn, format) in flags where isOn && OutputFormats.output(for: format) == nil {
            throw .invalid(name, "the server was built without the format")
        }
        return Set(flags.filter(\.1).map(\.2))
    }

    var encoders: EncoderSettings {
        var encoders = EncoderSettings()
        encoders.isProgressiveJPEG = self.jpegProgressive
        encoders.isInterlacedPNG = self.pngInterlaced
        encoders.pngColorCount = self.pngQuantize ? self.pngQuantizationColors : nil
        encoders.webpEffort = self.webpEffort
        encoders.avifSpeed = self.avifSpeed
        encoders.jxlEffort = self.jxlEffort
        return encoders
    }

    /// Reads the watermark, and decodes it once to see whether that is possible.
    func watermark(_ decoder: any SizedImageDecoder) throws(SettingsFailure) -> Watermark? {
        let (file, encoded) = (self.watermarkPath, self.watermarkData)
        guard file == nil || encoded == nil else { throw .invalid("watermarkData", "there is a watermarkPath, too") }
        guard let name = file.map({ _ in "watermarkPath" }) ?? encoded.map({ _ in "watermarkData" }) else { return nil }
        let content = file.map(FileManager.default.contents) ?? encoded.flatMap { Data(base64Encoded: $0) }
        guard let content else { throw .invalid(name, "it can't be read") }
        try SettingsFile.checkImage(content, name, decoder)
        return Watermark(file: content, opacity: self.watermarkOpacity)
    }

    /// Returns the address of the watermark, which is loaded when it is needed.
    func checkedWatermarkURL() throws(SettingsFailure) -> URL? {
        guard let address = self.watermarkUrl else { return nil }
        guard self.watermarkPath == nil, self.watermarkData == nil else {
            throw .invalid("watermarkUrl", "there is another watermark, too")
        }
        guard let url = URL(webAddress: address) else { throw .invalid("watermarkUrl", "not a URL") }
        return url
    }

    func checkedPages() throws(SettingsFailure) -> Set<Page> {
        var pages: Set<Page> = []
        for name in self.pages {
            guard let page = Page(rawValue: name) else {
                throw .invalid("pages", "\(name) is neither form nor metrics")
            }
            pages.insert(page)
        }
        return pages
    }
}
