import CImageLoadTool
import Foundation
import ImageCore
import ImageDecoding
import ImageMetadata

/// Makes PNG files smaller: fewer bits per pixel, better filters and libdeflate's strongest compression.
struct PNGOptimizer {
    private static let fastLevel = 6
    private static let strongestLevel = 12
    /// The chunks that change how pixels are shown.
    private static let colorChunks: Set = ["iCCP", "sRGB", "gAMA", "cHRM", "cICP", "pHYs"]

    private let file: PNGFile
    private let size: PixelSize
    private let depth: Int
    private let colorType: Int

    /// Returns nil for files that stay as they are: animations (APNG), and gray of less than 8 bits with a transparent
    /// value, which programs show differently.
    init?(_ data: Data) {
        guard let file = try? PNGFile(data), let header = file.chunks.first, header.type == "IHDR",
            header.body.count == 13,
            !file.chunks.contains(where: { ["acTL", "fcTL", "fdAT"].contains($0.type) }),
            let width = header.body.bigEndian(at: 0, 4), let height = header.body.bigEndian(at: 4, 4)
        else { return nil }
        self.file = file
        size = PixelSize(width: width, height: height)
        depth = Int(header.body[header.body.startIndex + 8])
        colorType = Int(header.body[header.body.startIndex + 9])
        if depth < 8, colorType == 0, file.chunks.contains(where: { $0.type == "tRNS" }) { return nil }
    }

    private var isInterlaced: Bool { file.chunks[0].body.last != 0 }

    /// Returns a smaller file, or nil if there is none.
    ///
    /// - Parameter bitmap: The pixels without color conversion. Not used if the file has 16 bits per channel.
    func optimized(_ bitmap: Bitmap, metadata: EmbeddedMetadata) throws -> Data? {
        let candidates: [PNGRows]
        if depth == 16 {
            candidates = sixteenBitRows.map { [$0] } ?? []
        } else {
            let palette = PNGPalette(bitmap)
            let hasProfile = file.chunks.contains { $0.type == "iCCP" }
            // A profile for gray fits no colors, and the reverse.
            let isGray = hasProfile ? colorType & 2 == 0 : bitmap.isGray
            candidates =
                [PNGRows(bitmap, isGray: isGray)] + (isGray && hasProfile ? [] : [palette?.rows].compactMap(\.self))
        }
        let files = try candidates.compactMap { rows in try compressed(rows).map { try file(rows, $0, metadata) } }
        return files.min { $0.count < $1.count }
    }

    /// Compresses with each filter, and with the best one again with the strongest level.
    private func compressed(_ rows: PNGRows) -> Data? {
        var best: (filtered: [UInt8], byteCount: Int)?
        for strategy in 0..<Int(tool_filter_count) {
            guard let filtered = rows.filtered(strategy), let trial = Deflate.compress(filtered, level: Self.fastLevel)
            else { return nil }
            if trial.count < best?.byteCount ?? .max { best = (filtered, trial.count) }
        }
        return best.flatMap { Deflate.compress($0.filtered, level: Self.strongestLevel) }
    }

    private func file(_ rows: PNGRows, _ stream: Data, _ metadata: EmbeddedMetadata) throws -> Data {
        var header = Data()
        header.append(bigEndian: UInt32(size.width))
        header.append(bigEndian: UInt32(size.height))
        header += [UInt8(rows.depth), UInt8(rows.colorType), 0, 0, 0]
        var chunks = [PNGFile.Chunk(type: "IHDR", body: header)]
        chunks += file.chunks.filter { Self.colorChunks.contains($0.type) }
        if !rows.palette.isEmpty { chunks.append(PNGFile.Chunk(type: "PLTE", body: rows.palette)) }
        // Sixteen-bit rows keep their color type, and with it the transparent color.
        let transparency = depth == 16 ? file.chunks.first { $0.type == "tRNS" }?.body ?? Data() : rows.transparency
        if !transparency.isEmpty { chunks.append(PNGFile.Chunk(type: "tRNS", body: transparency)) }
        chunks += [PNGFile.Chunk(type: "IDAT", body: stream), PNGFile.Chunk(type: "IEND", body: Data())]
        return try metadata.keeping([.exif, .xmp]).embedded(in: PNGFile(chunks: chunks).data)
    }

    /// The rows of a file with 16 bits per channel, with 8 if that is exact. Nil if the file is interlaced or damaged.
    private var sixteenBitRows: PNGRows? {
        let channels = [0: 1, 2: 3, 4: 2, 6: 4][colorType] ?? 0
        let row = size.width * channels * 2
        let stream = file.chunks.filter { $0.type == "IDAT" }.reduce(into: Data()) { $0.append($1.body) }
        guard !isInterlaced, channels > 0,
            var filtered = Deflate.decompress(stream, byteCount: (row + 1) * size.height),
            unsafe tool_unfilter(&filtered, row, size.height, channels * 2) != 0
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(row * size.height)
        for y in 0..<size.height { bytes += filtered[y * (row + 1) + 1..<(y + 1) * (row + 1)] }
        var rows = PNGRows(
            depth: 16, colorType: colorType, byteCount: row, pixelByteCount: channels * 2, height: size.height,
            bytes: bytes)
        let hasColorKey = file.chunks.contains { $0.type == "tRNS" }
        let isExact = !hasColorKey && stride(from: 0, to: bytes.count, by: 2).allSatisfy { bytes[$0] == bytes[$0 + 1] }
        if isExact {
            rows = PNGRows(
                depth: 8, colorType: colorType, byteCount: row / 2, pixelByteCount: channels, height: size.height,
                bytes: stride(from: 0, to: bytes.count, by: 2).map { bytes[$0] })
        }
        return rows
    }
}
