import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit
import ImageMetadata
import ImageProcessing

/// How files are converted.
struct ConversionSettings: Sendable {
    /// The format to write; nil for that of the source.
    var format: OutputFormat?
    var size: OutputSize?
    var mode = ImageTarget.Mode.fit
    var upscales = false
    /// Whether pixels are averaged as light.
    var usesLinearLight = false
    var crop: CropArea?
    /// The part that `mode` or `crop` keeps.
    var gravity = Gravity.center
    /// What is put under transparent pixels; nil to keep them if the format can.
    var background: PixelColor?
    var quality = QualitySetting.fixed(80)
    var bounds = FileBounds()
    var isLossless = false
    var isProgressive = false
    var kept: Set<EmbeddedMetadata.Block> = []
    var color = OutputColor.sRGB
    var limits = DecodingLimits.default

    /// Everything that changes a file, on one line.
    var text: String {
        let values: [Any?] = [
            format, size, mode, upscales, crop, background, quality, isLossless, isProgressive, color,
            kept.map(\.rawValue).sorted(), gravity, bounds, usesLinearLight,
        ]
        return values.map { $0.map { "\($0)" } ?? "-" }.joined(separator: " ")
    }
}

/// A converted file.
struct ConvertedImage: Sendable {
    var data: Data
    var format: ImageFormat
    var size: PixelSize
    var frames: Int
    var quality: Int?
    var ssim: Double?
    var encodes: Int?
    /// What the source has and the result hasn't, in the order of `ConversionLoss`.
    var losses: [ConversionLoss] = []
    var notes: [String]
}

/// Decodes, resizes and encodes files, without their names.
struct ImageConverter: Sendable {
    private(set) var settings: ConversionSettings
    /// Converts colors.
    let decoder: DownsamplingDecoder
    /// Keeps the colors of embedded profiles.
    let plainDecoder: DownsamplingDecoder

    init(_ settings: ConversionSettings) {
        self.settings = settings
        decoder = DownsamplingDecoder.standard(.all, limits: settings.limits)
        plainDecoder = DownsamplingDecoder(decoders: .all, limits: settings.limits)
    }

    /// Returns the converter of one of the results.
    func `for`(_ variant: Variant) -> ImageConverter {
        var copy = self
        copy.settings.format = variant.format
        copy.settings.size = variant.size
        return copy
    }

    func header(of data: Data) throws -> ImageHeader { try decoder.header(of: data) }

    /// Returns the size of the result for an image of a size.
    func outputSize(for image: PixelSize) -> PixelSize {
        let part = settings.crop?.size(in: image, for: settings.size) ?? image
        return target(for: part)?.outputSize(for: part) ?? part
    }

    /// Returns the memory in bytes that a conversion needs at most, roughly: pixels, and the state of an encoder.
    func byteCount(of data: Data) -> Int {
        guard let header = try? decoder.header(of: data) else { return 0 }
        let output = target(for: header.size)?.outputSize(for: header.size) ?? header.size
        let frames = keepsFrames(header) ? header.frameCount : 1
        return header.size.area * 4 + output.area * (28 + 4 * frames) + data.count
    }

    func convert(_ data: Data) throws -> ConvertedImage {
        let header = try decoder.header(of: data)
        var notes: [String] = []
        let metadata = keptMetadata(of: data, header, &notes)
        let decoder = metadata.icc == nil ? decoder : plainDecoder
        func decoded() throws -> (frames: [AnimationFrame], part: UnitRegion) {
            try self.frames(of: data, header, decoder)
        }
        // The crop is in pixels of the source, so a smaller size needs no less memory.
        let (frames, part) = try settings.crop == nil ? decoder.tellingSize(of: data, decoded) : decoded()
        guard let first = frames.first else { throw ImageEncodingError.inconsistentFrames }
        let encoder = try encoder(for: header, first.bitmap, profile: metadata.icc)
        let isSameColor = metadata.icc != nil || self.decoder.gamut(of: header) == first.bitmap.colorSpace
        let gainMap =
            try encoder.format == .jpeg && header.hasGainMap
            ? EmbeddedGainMap(of: data)?.applying(
                [.resized(part, to: first.bitmap.size)], of: header, keepsPrimaries: isSameColor,
                decoder: self.decoder, limits: settings.limits) : nil
        let profile = encoder.format == .png ? metadata.icc.flatMap { Deflate.compress($0, level: 9) } : nil
        var converted = try Encoding(
            encoder: encoder, frames: frames, loopCount: header.loopCount, settings, decoder
        ) { file in
            let file = metadata.blocks.isEmpty ? file : try metadata.embedded(in: file, compressedProfile: profile)
            return try gainMap?.embeddedIfPossible(in: file) ?? file
        }.run()
        var losses = try self.decoder.losses(from: data, header, to: converted.data)
        if frames.allSatisfy(\.bitmap.isOpaque) { losses.remove(.alpha) }
        converted.losses = losses.inOrder
        notes += Self.notes(on: converted.losses)
        if header.format == .png, header.frameCount == 1, (try? PNGFile(data))?.isAnimated == true {
            notes.append("the animation of a PNG is damaged: kept its still image")
        }
        if converted.losses.contains(.animation) {
            let reason = settings.format == .auto ? "auto is for still images" : "\(encoder.format) can't be animated"
            notes.append("\(reason): kept the first frame")
        }
        converted.notes += notes
        return converted
    }

    /// Notes the losses that options don't ask for.
    static func notes(on losses: [ConversionLoss]) -> [String] {
        losses.compactMap { loss in
            switch loss {
            case .gainMap, .depthMap: "\(loss) is left out"
            case .contentCredentials: "\(loss) are left out, because they are for other bytes"
            case .gamut: "colors outside of sRGB are left out: --color auto keeps them"
            case .hdr: "HDR is converted to the brightness of ordinary displays"
            case .bitDepth: "samples of more than 8 bits are rounded to 8"
            default: nil
            }
        }
    }

    /// Returns the frames of the result, and the part of the upright source that they show.
    private func frames(
        of data: Data, _ header: ImageHeader, _ decoder: DownsamplingDecoder
    ) throws -> (frames: [AnimationFrame], part: UnitRegion) {
        // The crop is in pixels of the source, so the source is decoded whole.
        var target = settings.crop == nil ? target(for: header.size) : nil
        let area = target.flatMap { gravityCrop(of: header.size, to: $0) }
        target = area?.covering ?? target
        let reader = try decoder.makeFrameReader(
            of: data, request: DecodingRequest(target: target, color: settings.color))
        let count = keepsFrames(header) ? header.frameCount : 1
        let output = target?.outputSize(for: header.size) ?? header.size
        try settings.limits.check(count, framesOf: output)
        var crop: CropProcessor?
        let frames = try (0..<count).map { index in
            var bitmap = try reader.frame(at: index)
            // All frames are cut like the first one.
            crop =
                try crop ?? area?.crop
                ?? settings.crop?.processor(for: bitmap, size: settings.size, gravity: settings.gravity)
            if let crop { bitmap = try cropped(bitmap, crop) }
            if let background = settings.background { bitmap = bitmap.over(background) }
            return AnimationFrame(bitmap: bitmap, delay: count > 1 ? header.frameDelays[index] : .zero)
        }
        return (frames, part(of: header.size, cutBy: crop, after: area?.covering.size))
    }

    private func keepsFrames(_ header: ImageHeader) -> Bool {
        header.frameCount > 1 && settings.format != .auto
            && [.webP, .gif, .png, .avif, .jpegXL].contains(format(for: header))
    }

    /// Returns the format of the result. For `auto`, PNG: JPEG keeps the same metadata.
    private func format(for header: ImageHeader) -> ImageFormat {
        guard let format = settings.format else { return header.format }
        return format == .auto ? .png : ImageFormat(rawValue: format.rawValue)
    }

    private func encoder(
        for header: ImageHeader, _ bitmap: Bitmap, profile: Data?
    ) throws(ImageEncodingError) -> any ImageEncoder {
        let encoders = [any ImageEncoder].all(colorProfile: profile, effort: settings.bounds.effort)
        if settings.format == .auto {
            let choice = AdaptiveEncoderChoice.standard().encoder(for: bitmap)
            return encoders.encoder(for: choice.format) ?? choice
        }
        let format = format(for: header)
        if let encoder = encoders.encoder(for: format) { return encoder }
        throw .failed(format, "there is no encoder for it")
    }

    /// Returns the metadata for the result, and notes what its format can't hold.
    private func keptMetadata(of data: Data, _ header: ImageHeader, _ notes: inout [String]) -> EmbeddedMetadata {
        guard !settings.kept.isEmpty else { return EmbeddedMetadata() }
        var metadata = EmbeddedMetadata(of: data, header: header).keeping(settings.kept).forUprightImage
        if let icc = metadata.icc, icc.dropFirst(16).prefix(4).elementsEqual("RGB ".utf8) == false {
            notes.append("a profile that isn't for RGB can't be kept: converted to sRGB")
            metadata.icc = nil
        }
        let format = format(for: header)
        let lost = metadata.blocks.subtracting(EmbeddedMetadata.writable(to: format, isAnimated: keepsFrames(header)))
        if !lost.isEmpty {
            notes.append("\(format) can't keep \(lost.map(\.rawValue).sorted().joined(separator: ", "))")
        }
        return metadata.keeping(metadata.blocks.subtracting(lost))
    }
}

extension DecodingLimits {
    /// Throws if all frames of an image don't fit into the memory, because encoders get them at once.
    func check(_ count: Int, framesOf size: PixelSize) throws(ImageDecodingError) {
        let (bytes, isOverflow) = size.area.multipliedReportingOverflow(by: 4 * count)
        guard isOverflow || bytes > decodedByteLimit else { return }
        throw .limitExceeded(.decodedBytes, value: isOverflow ? .max : bytes, allowed: decodedByteLimit)
    }
}

/// A file is larger than `--max-bytes` in any quality.
struct TooManyBytes: Error {
    /// The bytes of the smallest file.
    var bytes: Int
    var limit: Int
    var isLossy: Bool
}

/// Encodes frames with a fixed quality, or with the lowest that is similar enough.
private struct Encoding {
    /// The lowest quality of a search by default. Below, text in screenshots is hard to read.
    private static let lowestQuality = 40

    private let encoder: any ImageEncoder
    private let frames: [AnimationFrame]
    private let loopCount: Int
    private let settings: ConversionSettings
    private let decoder: DownsamplingDecoder
    /// Adds the metadata to a file.
    private let complete: (Data) throws -> Data

    private var highest: Int { settings.bounds.maxQuality ?? 100 }
    private var lowest: Int { settings.bounds.minQuality ?? min(Self.lowestQuality, highest) }

    /// Puts white under transparent pixels if the format can't keep them.
    init(
        encoder: any ImageEncoder, frames: [AnimationFrame], loopCount: Int, _ settings: ConversionSettings,
        _ decoder: DownsamplingDecoder, complete: @escaping (Data) throws -> Data
    ) {
        self.complete = complete
        self.encoder = encoder
        self.frames =
            encoder.format != .jpeg
            ? frames : frames.map { AnimationFrame(bitmap: $0.bitmap.over(.white), delay: $0.delay) }
        self.loopCount = loopCount
        self.settings = settings
        self.decoder = decoder
    }

    func run() throws -> ConvertedImage {
        let bitmap = frames[0].bitmap
        var result = ConvertedImage(
            data: Data(), format: encoder.format, size: bitmap.size, frames: frames.count, notes: [])
        let isLossy = !settings.isLossless && ![.png, .gif].contains(encoder.format)
        if case .automatic(let target) = settings.quality, isLossy {
            try search(target, &result)
        } else {
            if case .fixed(let quality) = settings.quality, isLossy { result.quality = quality }
            result.data = try encode(frames, quality: result.quality ?? 100, isLossless: settings.isLossless)
        }
        result.data = try complete(result.data)
        if let limit = settings.bounds.maxBytes, result.data.count > limit {
            try lowerQuality(to: limit, isLossy: isLossy, &result)
        }
        return result
    }

    /// Finds the highest quality, below that of a file that is too large, whose file is not.
    private func lowerQuality(to limit: Int, isLossy: Bool, _ result: inout ConvertedImage) throws {
        var (low, high) = ((settings.bounds.minQuality ?? 1) - 1, result.quality ?? highest + 1)
        var best: Data?
        var smallest = result.data.count
        while isLossy, high - low > 1 {
            let quality = (low + high) / 2
            let file = try complete(encode(frames, quality: quality, isLossless: false))
            result.encodes = (result.encodes ?? 1) + 1
            smallest = min(smallest, file.count)
            if file.count <= limit {
                (low, best) = (quality, file)
            } else {
                high = quality
            }
        }
        guard let best else { throw TooManyBytes(bytes: smallest, limit: limit, isLossy: isLossy) }
        result.data = best
        result.quality = low
        if result.ssim != nil {
            result.ssim = nil
            result.notes = ["--max-bytes needs a lower quality than --quality auto"]
        }
    }

    /// Finds the lowest quality for the frame with the most details, then that for all frames from there.
    private func search(_ target: Double, _ result: inout ConvertedImage) throws {
        let busiest = frames.map(\.bitmap.busyPixels).enumerated().max { $0.element < $1.element }?.offset ?? 0
        var (best, encodes) = try QualitySearch(target: target, lowest: lowest, highest: highest).run {
            try trial([frames[busiest]], quality: $0)
        }
        if frames.count > 1 {
            let all = try QualitySearch(
                target: target, lowest: best.quality, highest: highest, first: best.quality
            ).run { try trial(frames, quality: $0) }
            best = all.best
            encodes += all.encodes
        }
        result.data = best.file
        result.quality = best.quality
        result.ssim = best.ssim
        if best.ssim < target { result.notes.append("the similarity to reach is above that of quality \(highest)") }
        if best.quality == lowest, lowest > 1 {
            result.notes.append("\(lowest) is the lowest quality that auto chooses")
        }
        result.encodes = encodes
        // Photographs without loss are never smaller, and take long.
        guard encoder.format != .jpeg, frames[busiest].bitmap.busyPixels < result.size.area / 2 else { return }
        let lossless = try trial(frames, quality: 100, isLossless: true)
        result.encodes = encodes + 1
        guard lossless.file.count <= best.file.count, lossless.ssim >= best.ssim else { return }
        result.data = lossless.file
        result.quality = nil
        result.ssim = lossless.ssim
        result.notes = []
    }

    /// Encodes frames, and compares them with the decoded ones.
    private func trial(
        _ frames: [AnimationFrame], quality: Int, isLossless: Bool = false
    ) throws -> QualitySearch.Trial<Data> {
        let file = try encode(frames, quality: quality, isLossless: isLossless)
        let space = frames[0].bitmap.colorSpace
        let reader = try decoder.makeFrameReader(of: file, request: DecodingRequest(color: .space(space)))
        var ends = reader.header.frameDelays.reduce(into: [Duration]()) { $0.append(($0.last ?? .zero) + $1) }[...]
        var (lowest, time) = (1.0, Duration.zero)
        for frame in frames {
            // Encoders join equal frames.
            while ends.count > 1, let end = ends.first, end <= time { ends.removeFirst() }
            let decoded = try reader.frame(at: ends.startIndex)
            lowest = min(lowest, Similarity.ofWorstParts(frame.bitmap, decoded))
            time += frame.delay
        }
        return QualitySearch.Trial(quality: quality, file: file, ssim: lowest)
    }

    private func encode(_ frames: [AnimationFrame], quality: Int, isLossless: Bool) throws -> Data {
        let options = EncodingOptions(
            quality: Double(quality) / 100, isLossless: isLossless, isProgressive: settings.isProgressive)
        if frames.count == 1 { return try encoder.encode(frames[0].bitmap, options: options) }
        return try encoder.encode(frames, loopCount: loopCount, options: options)
    }
}

extension Bitmap {
    /// The number of pixels that differ from their left neighbors.
    fileprivate var busyPixels: Int {
        let pixels = pixels
        let bytes = pixels.span
        return stride(from: 4, to: bytes.count, by: 4).count { start in
            (start..<start + 4).contains { bytes[$0] != bytes[$0 - 4] }
        }
    }
}
