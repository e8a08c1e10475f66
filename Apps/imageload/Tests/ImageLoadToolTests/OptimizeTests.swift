import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit
import Testing

@testable import ImageLoadTool
@testable import ImageMetadata

/// Runs `optimize` as a process.
@Suite("imageload optimize", .timeLimit(.minutes(3)))
struct OptimizeTests {
    private let tool: BuiltTool
    private var folder: URL { tool.folder }
    private let decoder = DownsamplingDecoder(decoders: .standard)

    init() throws { tool = try BuiltTool() }

    private func bytes(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }

    private func pixels(_ data: Data) throws -> [Bitmap] {
        let reader = try decoder.makeFrameReader(of: data)
        return try (0..<reader.header.frameCount).map { try reader.frame(at: $0) }
    }

    /// Makes a JPEG file larger than needed. The encoder's own files can't be smaller.
    private func addMetadata(to file: URL) throws {
        let metadata = EmbeddedMetadata(xmp: Data("<x:xmpmeta/>".utf8))
        try metadata.embedded(in: Data(contentsOf: file)).write(to: file)
    }

    /// Writes a PNG with poor compression.
    private func writePNG(_ bitmap: Bitmap, to name: String) throws {
        let data = try #require([any ImageEncoder].standard.encoder(for: .png)).encode(
            bitmap, options: EncodingOptions())
        try data.write(to: folder.appending(path: name))
    }

    private func bitmap(_ color: (Int, Int) -> [UInt8]) -> Bitmap {
        let pixels = (0..<64).flatMap { y in (0..<64).flatMap { x in color(x, y) } }
        let isOpaque = stride(from: 3, to: pixels.count, by: 4).allSatisfy { pixels[$0] == 255 }
        return Bitmap(size: PixelSize(width: 64, height: 64), pixels: pixels, isOpaque: isOpaque)
    }

    private func bitmap(brightness: Int) -> Bitmap { bitmap { x, y in [UInt8(x), UInt8(y), UInt8(brightness), 255] } }

    @Test("a GIF keeps delays that programs round, and the color of transparent pixels")
    func details() async throws {
        // Two frames without delays, and one with a transparent color that is not black.
        let first = bitmap(brightness: 10), second = bitmap(brightness: 200)
        let encoder = try #require([any ImageEncoder].standard.encoder(for: .gif))
        let frames = [first, second].map { AnimationFrame(bitmap: $0, delay: .milliseconds(100)) }
        var animation = try encoder.encode(frames, loopCount: 0, options: EncodingOptions(isLossless: true))
        let delay = Data([0x21, 0xF9, 4])
        var start = animation.startIndex
        while let control = animation.range(of: delay, in: start..<animation.endIndex) {
            animation.replaceSubrange(control.upperBound + 1..<control.upperBound + 3, with: [0, 0])
            start = control.upperBound
        }
        let layout = try #require(GIFLayout(animation))
        #expect(layout.isUnambiguous(frameCount: 2))
        let loops = try #require(animation.firstRange(of: Data("NETSCAPE2.0".utf8)))
        let block = animation[loops.lowerBound - 3..<loops.upperBound + 5]
        let twice = animation[..<block.startIndex] + block + animation[block.startIndex...]
        #expect(GIFLayout(twice)?.isUnambiguous(frameCount: 2) == false, "which of two loop counts?")
        let other = try encoder.encode(frames, loopCount: 0, options: EncodingOptions(isLossless: true))
        #expect(GIFLayout(other)?.keepingDetails(of: layout) == animation)
        let still = try encoder.encode(
            bitmap { x, _ in x < 32 ? [200, 0, 0, 255] : [0, 0, 0, 0] }, options: EncodingOptions(isLossless: true))
        var colored = still
        let control = try #require(still.range(of: delay))
        // The encoder's palettes follow the descriptor of 10 bytes, which follows the control block of 8 bytes.
        let color = control.lowerBound + 18 + 3 * Int(still[control.lowerBound + 6])
        colored.replaceSubrange(color..<color + 3, with: [1, 2, 3])
        #expect(GIFLayout(still)?.keepingDetails(of: try #require(GIFLayout(colored))) == colored)
    }

    @Test(
        "files become smaller with equal pixels, and the second run changes nothing", arguments: ["png", "jpg", "gif"])
    func smaller(suffix: String) async throws {
        let file = try tool.write(suffix == "gif" ? .animation : .gradient, to: "a.\(suffix)")
        if suffix == "jpg" { try addMetadata(to: file) }
        let before = try bytes("a.\(suffix)")
        let first = try await tool.run(["optimize", folder.path, "--json"])
        #expect(first.status == 0 && first.errors.isEmpty)
        let after = try bytes("a.\(suffix)")
        #expect(after.count <= before.count && (suffix == "gif" || after.count < before.count))
        #expect(try pixels(after) == pixels(before))
        let second = try await tool.run(["optimize", folder.path, "--json"])
        #expect(second.output.contains(#""status":"unchanged""#))
        #expect(try bytes("a.\(suffix)") == after)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.\(suffix)"])
    }

    @Test("PNG gets the smallest layout that has its pixels")
    func layouts() async throws {
        let images: [(bitmap: Bitmap, depth: UInt8, colorType: UInt8)] = [
            (bitmap { x, y in (x / 8 + y / 8) % 2 == 0 ? [0, 0, 0, 255] : [255, 255, 255, 255] }, 1, 0),
            (bitmap { x, _ in Array(repeating: UInt8(x / 4 * 17), count: 3) + [255] }, 4, 0),
            (bitmap { x, _ in x < 32 ? [200, 0, 0, 255] : [0, 9, 0, 0] }, 1, 3),
            (bitmap { x, y in [UInt8(x * 4), UInt8(y * 4), UInt8(x ^ y), 255] }, 8, 2),
            (bitmap { x, y in [UInt8(x * 4), UInt8(x * 4), UInt8(x * 4), UInt8(y * 4)] }, 8, 4),
        ]
        for (index, image) in images.enumerated() { try writePNG(image.bitmap, to: "\(index).png") }
        #expect(try await tool.run(["optimize", folder.path]).status == 0)
        for (index, image) in images.enumerated() {
            let data = try bytes("\(index).png")
            #expect(data[24] == image.depth && data[25] == image.colorType, "image \(index)")
            #expect(try pixels(data) == [image.bitmap])
        }
    }

    @Test("PNG keeps its density, and a file that is given twice is optimized once")
    func density() async throws {
        try writePNG(bitmap { x, _ in x < 32 ? [200, 0, 0, 255] : [0, 9, 0, 255] }, to: "a.png")
        var file = try PNGFile(bytes("a.png"))
        let density = PNGFile.Chunk(type: "pHYs", body: Data([0, 0, 11, 19, 0, 0, 11, 19, 1]))
        file.chunks.insert(density, at: 1)
        let path = folder.appending(path: "a.png")
        try file.data.write(to: path)
        let run = try await tool.run(["optimize", path.path, path.path, "--json"])
        let report = try object(run.output)
        #expect(report["status"] as? String == "written")
        #expect(try PNGFile(bytes("a.png")).chunks.first { $0.type == "pHYs" }?.body == density.body)
    }

    @Test("a replaced file keeps its owner and its permissions, except setuid and setgid")
    func attributes() async throws {
        let file = try tool.write(.gradient, to: "a.jpg")
        try addMetadata(to: file)
        // Only root can give files away.
        let owner = geteuid() == 0 ? 1_234 : Int(geteuid())
        let attributes: [FileAttributeKey: Int] = [.posixPermissions: 0o6640, .ownerAccountID: owner]
        try FileManager.default.setAttributes(attributes, ofItemAtPath: file.path)
        #expect(try await tool.run(["optimize", file.path]).output.contains("->"))
        let after = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(after[.posixPermissions] as? Int == 0o640 && after[.ownerAccountID] as? Int == owner)
    }

    @Test("an animation whose frames need more memory than --max-memory is left as it is, and says what helps")
    func memory() async throws {
        let frames = (0..<20).map { AnimationFrame(bitmap: bitmap(brightness: $0), delay: .seconds(1)) }
        let encoder = try #require([any ImageEncoder].standard.encoder(for: .gif))
        let before = try encoder.encode(frames, loopCount: 0, options: EncodingOptions(isLossless: true))
        let file = folder.appending(path: "a.gif")
        try before.write(to: file)
        let needed = 20 * 64 * 64 * 4
        let run = try await tool.run(["optimize", file.path, "--max-memory", "\(needed - 1)"])
        #expect(run.status == 100 && run.errors.first?.hasSuffix("raise --max-memory.") == true)
        #expect(try bytes("a.gif") == before)
        #expect(try await tool.run(["optimize", file.path, "--max-memory", "\(needed)"]).status == 0)
    }

    @Test("the coefficients and the scans of a JPEG are within the limits")
    func jpegLimits() throws {
        let options = EncodingOptions(isProgressive: true)
        let file = try #require([any ImageEncoder].standard.encoder(for: .jpeg)).encode(
            bitmap(brightness: 9), options: options)
        let data = try EmbeddedMetadata(xmp: Data("<x:xmpmeta/>".utf8)).embedded(in: file)
        var limits = DecodingLimits.default
        limits.maxScans = 3
        #expect(throws: ImageDecodingError.limitExceeded(.scans, value: 4, allowed: 3)) {
            try ImageOptimizer(kept: [], limits: limits).optimize(data)
        }
        limits = .default
        // The coefficients of 64 by 64 pixels need 12,288 bytes, and the pixels of both files 32,768.
        for (allowed, needed) in [(12_287, 12_288), (32_767, 32_768)] {
            limits.decodedByteLimit = allowed
            #expect(throws: ImageDecodingError.limitExceeded(.decodedBytes, value: needed, allowed: allowed)) {
                try ImageOptimizer(kept: [], limits: limits).optimize(data)
            }
        }
        limits.decodedByteLimit = 32_768
        guard case .smaller = try ImageOptimizer(kept: [], limits: limits).optimize(data) else {
            Issue.record("within the limits, it becomes smaller")
            return
        }
    }

    @Test("a file that another program has changed meanwhile is not replaced")
    func changed() throws {
        let file = folder.appending(path: "a.jpg")
        try Data("new".utf8).write(to: file)
        let failure = #expect(throws: ToolFailure.self) {
            try OptimizeCommand.replace(file.path, Data("old".utf8), Data("o".utf8))
        }
        #expect(failure?.status == .inputOutput)
        #expect(try bytes("a.jpg") == Data("new".utf8))
        try OptimizeCommand.replace(file.path, Data("new".utf8), Data("n".utf8))
        #expect(try bytes("a.jpg") == Data("n".utf8))
    }

    @Test("--dry-run reports what would be saved, and writes nothing")
    func dryRun() async throws {
        try addMetadata(to: tool.write(.gradient, to: "a.jpg"))
        let before = try bytes("a.jpg")
        let run = try await tool.run(["optimize", folder.path + "/a.jpg", "--dry-run", "--json"])
        #expect(run.output.contains(#""status":"possible""#))
        #expect(try bytes("a.jpg") == before)
    }

    @Test("metadata goes unless it is kept; orientation and profile stay")
    func metadata() async throws {
        let file = try tool.write(.gradient, to: "a.jpg")
        let profile = Data(repeating: 7, count: 200)
        let metadata = EmbeddedMetadata(
            exif: ExifBlock.orientation(.left) + Data(count: 500), xmp: Data("<x:xmpmeta/>".utf8), icc: profile)
        let original = try metadata.embedded(in: Data(contentsOf: file))
        for keep in ["all", "none"] {
            try original.write(to: file)
            #expect(try await tool.run(["optimize", file.path, "--keep", keep]).status == 0)
            let after = try bytes("a.jpg")
            let header = try decoder.header(of: after)
            #expect(header.orientation == .left && header.colorProfile == profile)
            #expect((EmbeddedMetadata(of: after).xmp != nil) == (keep == "all"))
            #expect(try pixels(after) == pixels(original))
        }
    }

    @Test("files are left as they are if they have more than the decoder shows, or programs show them differently")
    func more() async throws {
        let gif = try tool.write(.animation, to: "a.gif")
        var wider = try Data(contentsOf: gif)
        wider[6] = 50
        try wider.write(to: gif)
        let photo = try tool.write(.gradient, to: "a.jpg")
        try addMetadata(to: photo)
        let film = try Data(contentsOf: photo) + Data("film".utf8)
        try film.write(to: photo)
        let gainMap = try tool.write(.gradient, to: "b.jpg")
        try addMetadata(to: gainMap)
        var file = try JPEGFile(Data(contentsOf: gainMap))
        file.segments.append(JPEGFile.Segment(marker: 0xE2, body: Data("MPF".utf8) + [0]))
        try file.data.write(to: gainMap)
        let run = try await tool.run(["optimize", folder.path])
        #expect(run.status == 0 && run.output.contains("3 unchanged"))
        #expect(try bytes("a.gif") == wider && bytes("a.jpg") == film && bytes("b.jpg") == file.data)
    }

    @Test("damaged and foreign files are left as they are, and links stay links")
    func untouched() async throws {
        try tool.write(.gradient, to: "real/a.png")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link.png", withDestinationPath: folder.path + "/real/a.png")
        let cut = try bytes("real/a.png").prefix(80)
        try cut.write(to: folder.appending(path: "cut.png"))
        try Data("text".utf8).write(to: folder.appending(path: "text.jpg"))
        let photo = try tool.write(.gradient, to: "cut.jpg")
        try Data(contentsOf: photo).dropLast(60).write(to: photo)
        let run = try await tool.run(["optimize", folder.path, "--json"])
        #expect(run.status == 65 && run.errors.count == 3, "\(run.errors)")
        #expect(run.output.components(separatedBy: #""status":"failed""#).count == 4)
        #expect(try bytes("cut.png") == cut && bytes("text.jpg") == Data("text".utf8))
        let kind = try FileManager.default.attributesOfItem(atPath: folder.path + "/link.png")[.type]
        #expect(kind as? FileAttributeType == .typeSymbolicLink)
    }
}
