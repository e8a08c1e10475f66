import CImageLoadTool
import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit
import ImageMetadata

#if !canImport(ImageIO)
    import ImageCodecWebP
#endif

/// Makes files smaller without changing a pixel.
struct ImageOptimizer: Sendable {
    enum Outcome: Sendable {
        /// A smaller file, whose pixels are proven to be equal.
        case smaller(Data)
        case unchanged
        /// The file stays as it is on purpose. The text says why.
        case left(String)
    }

    /// Reads pixels as they are stored. Color conversion could hide a difference.
    private let decoder: DownsamplingDecoder
    private let kept: Set<EmbeddedMetadata.Block>
    private let limits: DecodingLimits

    /// - Parameter kept: The metadata to keep. Profiles and orientations always are, because images look different
    ///   without.
    init(kept: Set<EmbeddedMetadata.Block>, limits: DecodingLimits) {
        decoder = DownsamplingDecoder(decoders: .all, limits: limits)
        self.limits = limits
        self.kept = kept.union([.icc])
    }

    /// Returns the memory in bytes that a file needs, roughly.
    func byteCount(of data: Data) -> Int {
        guard let header = try? decoder.header(of: data) else { return 0 }
        let frames = header.format == .gif || header.format == .webP ? header.frameCount : 1
        return header.size.area.multipliedReportingOverflow(by: 12 * frames).partialValue + 3 * data.count
    }

    func optimize(_ data: Data) throws -> Outcome {
        let header = try decoder.header(of: data)
        // The decoder has no 8-bit pixels of HDR to compare.
        if header.color.isHDR { return .left("left as it is: HDR") }
        guard [.jpeg, .png, .gif, .webP].contains(header.format) else {
            return .left("left as it is: \(header.format) can't be compressed again without loss")
        }
        let gainMap = header.hasGainMap ? EmbeddedGainMap(of: data, isAlone: true) : nil
        let reason = Self.reasonToLeave(data, header, gainMap)
        var metadata = EmbeddedMetadata(of: data, header: header).keeping(kept)
        // What declares the map is written anew.
        if gainMap != nil { metadata.xmp = metadata.forUprightImage.xmp }
        if metadata.exif == nil, header.orientation != .up {
            metadata.exif = ExifBlock.orientation(header.orientation)
        }
        let candidates = try reason == nil ? candidates(data, header, metadata, gainMap) : []
        let smaller = candidates.filter { $0.count < data.count }.sorted { $0.count < $1.count }
        for candidate in smaller where try isEqual(candidate, data, header) { return .smaller(candidate) }
        // A damaged file is a failure, not one that can't be smaller.
        if candidates.isEmpty { _ = try decoder.decode(data) }
        return reason.map { .left("left as it is: \($0)") } ?? .unchanged
    }

    /// Returns what a smaller file no longer has. Its pixels are equal, in whatever bits.
    func removedMetadata(of data: Data, in smaller: Data) throws(ImageDecodingError) -> Set<ConversionLoss> {
        try decoder.losses(from: data, decoder.header(of: data), to: smaller).intersection([
            .exif, .iptc, .xmp, .otherMetadata, .contentCredentials,
        ])
    }

    /// Returns why a file isn't optimized. Nil if it is.
    private static func reasonToLeave(
        _ data: Data, _ header: ImageHeader, _ gainMap: EmbeddedGainMap?
    ) -> String? {
        if header.hasGainMap, gainMap == nil { return "a gain map" }
        switch header.format {
        case .jpeg:
            guard let file = try? JPEGFile(data), gainMap != nil || file.isOnlyImage else {
                return "more than an image"
            }
            return file.hasProfile && header.colorProfile == nil ? "a damaged profile" : nil
        case .png:
            if (try? PNGFile(data))?.isAnimated == true { return "an animated PNG" }
            // The decoder turns the pixels.
            if header.orientation != .up { return "a PNG that is turned by its orientation" }
            return PNGOptimizer(data) == nil ? "a PNG that programs show differently" : nil
        case .gif:
            let isPlain = GIFLayout(data)?.isUnambiguous(frameCount: header.frameCount) ?? false
            return isPlain ? nil : "a GIF that programs show differently"
        default:
            guard let file = try? WebPFile(data) else { return "damaged parts" }
            let hasProfile = file.chunks.contains { $0.type == "ICCP" }
            return hasProfile && header.colorProfile == nil ? "a damaged profile" : nil
        }
    }

    /// Returns files that might be smaller.
    private func candidates(
        _ data: Data, _ header: ImageHeader, _ metadata: EmbeddedMetadata, _ gainMap: EmbeddedGainMap?
    ) throws -> [Data] {
        switch header.format {
        case .jpeg:
            return try [false, true].compactMap { try recoded(data, isProgressive: $0) }.map {
                let file = try metadata.embedded(in: $0)
                // Without its map, a file is not equal.
                return try gainMap?.embeddedIfPossible(in: file) ?? file
            }
        case .png:
            let bitmap = try decoder.decode(data).bitmap
            return [try PNGOptimizer(data)?.optimized(bitmap, metadata: metadata)].compactMap(\.self)
        case .gif:
            guard let layout = GIFLayout(data) else { return [] }
            return [try reencoded(data, header).flatMap(GIFLayout.init)?.keepingDetails(of: layout)].compactMap(\.self)
        default: return try webPCandidates(data, header, metadata)
        }
    }

    /// Returns nil if the file is damaged.
    private func recoded(_ data: Data, isProgressive: Bool) throws(ImageDecodingError) -> Data? {
        let allowed = tool_limits(bytes: max(0, limits.decodedByteLimit), scans: CInt(clamping: limits.maxScans))
        var result = unsafe tool_bytes()
        let recoding = unsafe data.withUnsafeBytes { bytes in
            let start = unsafe bytes.assumingMemoryBound(to: UInt8.self).baseAddress
            return unsafe tool_recode_jpeg(start, bytes.count, isProgressive ? 1 : 0, allowed, &result)
        }
        switch recoding {
        case tool_recoded: return unsafe result.takeData()
        case tool_above_bytes:
            throw unsafe .limitExceeded(.decodedBytes, value: result.length, allowed: limits.decodedByteLimit)
        case tool_above_scans: throw .limitExceeded(.scans, value: limits.maxScans + 1, allowed: limits.maxScans)
        default: return nil
        }
    }

    /// The file without other metadata, and compressed again if it is lossless.
    private func webPCandidates(
        _ data: Data, _ header: ImageHeader, _ metadata: EmbeddedMetadata
    ) throws -> [Data] {
        let file = try WebPFile(data)
        var candidates = [try metadata.embedded(in: data)]
        let isStill = !file.chunks.contains { $0.type == "ANIM" }
        if file.isLossless, isStill || header.frameCount > 1, header.orientation == .up,
            let smaller = try reencoded(data, header)
        {
            candidates.append(try metadata.embedded(in: smaller))
        }
        return candidates
    }

    private func reencoded(_ data: Data, _ header: ImageHeader) throws -> Data? {
        guard let encoder = smallestEncoder(for: header.format) else { return nil }
        let options = EncodingOptions(isLossless: true)
        if header.frameCount == 1 {
            let bitmap = try decoder.decode(data).bitmap
            return try encoder.encode(bitmap, options: options)
        }
        try limits.check(header.frameCount, framesOf: header.size)
        let reader = try decoder.makeFrameReader(of: data)
        let frames = try (0..<header.frameCount).map { index in
            AnimationFrame(bitmap: try reader.frame(at: index), delay: header.frameDelays[index])
        }
        return try encoder.encode(frames, loopCount: header.loopCount, options: options)
    }

    /// Returns the encoder of the smallest lossless files of a format, or nil if there is none.
    private func smallestEncoder(for format: ImageFormat) -> (any ImageEncoder)? {
        #if !canImport(ImageIO)
            if format == .webP { return WebPEncoder(effort: 6) }
        #endif
        return [any ImageEncoder].all.encoder(for: format)
    }

    /// Decodes both files, and compares everything that is shown.
    private func isEqual(_ candidate: Data, _ data: Data, _ header: ImageHeader) throws -> Bool {
        let other = try decoder.header(of: candidate)
        var left = header
        // These describe how pixels are stored.
        left.hasAlpha = other.hasAlpha
        left.nativeLayout = other.nativeLayout
        guard left == other else { return false }
        try limits.check(2, framesOf: header.size)
        let (first, second) = (try decoder.makeFrameReader(of: data), try decoder.makeFrameReader(of: candidate))
        for index in 0..<header.frameCount {
            guard try first.frame(at: index) == second.frame(at: index)
            else { return false }
        }
        return true
    }
}

extension WebPFile {
    /// Whether all images are compressed losslessly.
    var isLossless: Bool {
        chunks.allSatisfy { chunk in
            switch chunk.type {
            case "VP8 ": false
            // Size and position, then the chunks of the frame.
            case "ANMF": chunk.body.dropFirst(16).starts(with: "VP8L".utf8)
            default: true
            }
        }
    }
}
