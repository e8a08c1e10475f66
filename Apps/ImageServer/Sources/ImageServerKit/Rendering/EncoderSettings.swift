import ImageCodecAVIF
import ImageCodecJXL
import ImageCodecPNG
import ImageCodecWebP
import ImageCore

/// How results are encoded, apart from their quality. By default, all formats but AVIF take about as long.
struct EncoderSettings: Hashable, Sendable {
    /// Whether JPEG is progressive.
    var isProgressiveJPEG = false
    /// Whether PNG is interlaced.
    var isInterlacedPNG = false
    /// The most colors of PNG; nil to keep all.
    var pngColorCount: Int?
    /// The effort for WebP, from 0 (fastest) to 6 (smallest files).
    var webpEffort = 4
    /// The speed for AVIF, from 0 (smallest files) to 10 (fastest).
    var avifSpeed = 8
    /// The effort for JPEG XL, from 1 (fastest) to 9 (smallest files).
    var jxlEffort = 4

    /// Returns the name by which a worker makes the encoder of a format, or nil if the encoder can be interrupted here.
    func workerName(of format: ImageFormat) -> String? {
        switch format {
        case .avif: "avif \(avifSpeed)"
        case .jpegXL: "jxl \(jxlEffort)"
        default: nil
        }
    }

    /// Returns the encoder with a name of `workerName(of:)`, or nil.
    static func encoder(named name: String) -> (any ImageEncoder)? {
        let parts = name.split(separator: " ")
        guard parts.count == 2, let effort = Int(parts[1]) else { return nil }
        var settings = EncoderSettings()
        settings.avifSpeed = effort
        settings.jxlEffort = effort
        let output = OutputFormats.output(for: ImageFormat(rawValue: String(parts[0])))
        return output.map { settings.configured($0).encoder }
    }

    /// Returns a format with an encoder of these settings.
    func configured(_ output: OutputFormat) -> OutputFormat {
        var output = output
        switch output.format {
        case .jpeg: output.isProgressive = isProgressiveJPEG
        case .png:
            output.isProgressive = isInterlacedPNG
            output.encoder = PNGEncoder(colorCount: pngColorCount)
        case .webP: output.encoder = WebPEncoder(effort: webpEffort)
        case .avif:
            #if AVIF
                output.encoder = AVIFEncoder(effort: 10 - avifSpeed)
            #else
                break
            #endif
        case .jpegXL:
            #if JXL
                output.encoder = JXLEncoder(effort: jxlEffort)
            #else
                break
            #endif
        default: break
        }
        return output
    }
}
