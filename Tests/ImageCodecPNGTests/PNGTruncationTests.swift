import Foundation
import ImageCodecPNG
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

@Suite("Truncated PNG")
struct PNGTruncationTests {
    /// Returns the rows that were delivered, to the last one or until `.truncated` was thrown.
    private func rows(of data: Data) throws -> [[UInt8]] {
        let image = try PNGDecoder().open(data, limits: .default)
        let sink = CollectingRowSink()
        do throws(ImageDecodingError) {
            try image.decode(frame: 0, size: image.header.storedSize, layout: .rgba8, into: sink)
        } catch .truncated(.png) {
            return sink.rows
        }
        return sink.rows
    }

    /// The offset of the first deflated byte: after the signature, the header and the starts of the chunk, stream and
    /// block.
    private static let start = 8 + 25 + 8 + 2 + 5

    @Test("the available rows are delivered, and no others", arguments: [(2, 8), (3, 4), (6, 8), (0, 16)])
    func plain(colorType: Int, depth: Int) throws {
        let source = SyntheticPNG(width: 13, height: 9, colorType: UInt8(colorType), depth: depth)
        let file = source.raw
        let stride = source.width * 4
        let before = file.before.reduce(0) { $0 + $1.file.count }
        for count in 0...file.scanlines.joined().count {
            let cut = file.data.prefix(Self.start + before + count)
            let rows = try rows(of: cut)
            #expect(rows.count == count / file.scanlines[0].count)
            #expect(Array(rows.joined()) == Array(source.pixels.prefix(rows.count * stride)))
        }
    }

    @Test("all rows of an interlaced image are delivered, with missing pixels from earlier passes")
    func interlaced() throws {
        let source = SyntheticPNG(width: 21, height: 19, colorType: 6, depth: 8, isInterlaced: true)
        let file = source.raw
        let lengths = file.scanlines.map(\.count)
        for (passes, rowsInPass) in [(0, 0), (0, 1), (0, 3), (1, 0), (2, 0), (2, 1), (4, 3), (6, 0), (6, 9)] {
            let whole = (0..<passes).reduce(0) { $0 + source.rowCount(ofPass: $1) } + rowsInPass
            let bytes = lengths.prefix(whole).reduce(0, +)
            let rows = try rows(of: file.data.prefix(Self.start + bytes))
            let expected = source.shown(passes: passes, rowsInPass: rowsInPass)
            #expect(rows.count == expected.count, "\(passes) passes and \(rowsInPass) rows")
            #expect(rows == expected, "\(passes) passes and \(rowsInPass) rows")
        }
    }

    @Test("a file that ends after its last row is complete", arguments: [false, true])
    func endless(isInterlaced: Bool) throws {
        let source = SyntheticPNG(width: 21, height: 19, colorType: 2, depth: 8, isInterlaced: isInterlaced)
        // IEND has 12 bytes. Before it are the checksums of the chunk and of the stream.
        for missing in 1...20 {
            let data = source.raw.data.dropLast(missing)
            #expect(try png.pixels(data) == source.pixels, "\(missing) bytes are missing")
            let image = PNGDecoder().makeIncrementalImage(limits: .default)
            try image.append(data)
            try image.start(size: PixelSize(width: 21, height: 19), layout: .rgba8)
            #expect(image.extent == PreviewExtent(passes: isInterlaced ? 7 : 1, rows: 19))
        }
        #expect(png.failure(source.raw.data.dropLast(21)) == .truncated(.png))
    }

    /// What follows the pixels in files that Chromium, Pillow and libvips show.
    private static let trailers: [(name: String, bytes: [UInt8])] = [
        ("nothing", []), ("text", Array("not a chunk, but some text".utf8)),
        ("zeros", [UInt8](repeating: 0, count: 40)), ("ones", [UInt8](repeating: 255, count: 40)),
        ("IEND with a wrong checksum", RawPNG.Chunk("IEND", [], hasWrongChecksum: true).file),
        ("IEND with data", RawPNG.Chunk("IEND", [1, 2, 3]).file),
        ("an unknown critical chunk", RawPNG.Chunk("XYZW", [1]).file),
        ("a critical chunk with a wrong checksum", RawPNG.Chunk("PLTE", [1, 2, 3], hasWrongChecksum: true).file),
        ("a second header", RawPNG.Chunk("IHDR", [UInt8](repeating: 0, count: 13)).file),
        ("a chunk that is cut", Array(RawPNG.Chunk("tEXt", Array("a".utf8) + [0, 65]).file.dropLast(5))),
        ("another image", Array(RawPNG(scanlines: [[0, 1, 2, 3]]).data)),
    ]

    @Test("nothing after the last row matters", arguments: trailers.indices)
    func endings(index: Int) throws {
        for isInterlaced in [false, true] {
            let source = SyntheticPNG(width: 21, height: 19, colorType: 6, depth: 8, isInterlaced: isInterlaced)
            var file = source.raw
            file.hasEnd = false
            let data = file.data + Data(Self.trailers[index].bytes)
            #expect(try png.pixels(data) == source.pixels, "\(Self.trailers[index].name)")
            let image = PNGDecoder().makeIncrementalImage(limits: .default)
            for byte in data { try image.append(Data([byte])) }
        }
    }

    @Test("cancellation is checked between the rows of passes")
    func cancellation() throws {
        let source = SyntheticPNG(width: 8, height: 300, colorType: 0, depth: 8, isInterlaced: true)
        let image = try PNGDecoder().open(source.raw.data, limits: .default)
        let sink = CancellingSink(atCheck: 1)
        #expect(throws: ImageDecodingError.cancelled) {
            try image.decode(frame: 0, size: image.header.storedSize, layout: .rgba8, into: sink)
        }
        #expect(sink.rows == 0)
    }
}

extension SyntheticPNG {
    func rowCount(ofPass pass: Int) -> Int {
        let (x, y, _, step) = Self.passes[pass]
        return x >= width ? 0 : Array(stride(from: y, to: height, by: step)).count
    }

    /// Returns the expected rows after complete passes and some rows of the next. Each pixel is the last decoded one
    /// whose block contains it. The grid is refined from pass to pass, first in width, then in height (PNG 3rd edition,
    /// 8.1).
    func shown(passes: Int, rowsInPass: Int) -> [[UInt8]] {
        let pixels = pixels
        let grids = [(8, 8), (4, 8), (4, 4), (2, 4), (2, 2), (1, 2), (1, 1)]
        let known = passes > 0 ? height : min(height, rowsInPass * 8)
        return (0..<known).map { y in
            (0..<width).flatMap { x -> ArraySlice<UInt8> in
                var (sourceX, sourceY) = (x, y)
                if passes > 0 {
                    let grid = grids[passes - 1]
                    (sourceX, sourceY) = (x / grid.0 * grid.0, y / grid.1 * grid.1)
                }
                if rowsInPass > 0 {
                    // The first rows of the next pass are available, at the pixels of its grid.
                    let (finer, pass) = (grids[passes], Self.passes[passes])
                    let (fineX, fineY) = (x / finer.0 * finer.0, y / finer.1 * finer.1)
                    let isOfPass =
                        fineX >= pass.0 && (fineX - pass.0) % pass.2 == 0 && fineY >= pass.1
                        && (fineY - pass.1) % pass.3 == 0
                    if isOfPass, (fineY - pass.1) / pass.3 < rowsInPass { (sourceX, sourceY) = (fineX, fineY) }
                }
                return pixels[(sourceY * width + sourceX) * 4..<(sourceY * width + sourceX) * 4 + 4]
            }
        }
    }
}
