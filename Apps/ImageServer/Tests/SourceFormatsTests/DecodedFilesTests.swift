import Foundation
import ImageCodecPNG
import ImageColorManagement
import ImageCore
import ImageDecoding
import SourceFormats
import Synchronization
import Testing

/// Each file has its pixels beside it as PNG, from another library. make-files.py makes both.
@Suite struct DecodedFilesTests {
    private static let decoder = DownsamplingDecoder(
        decoders: .sources + [PNGDecoder()], colorConverter: LittleCMSColorConverter())

    private static let folder = Bundle.module.bundleURL.appending(path: "Files")

    private static let names: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
        var endings: [String] = []
        #if TIFF
            endings.append(".tiff")
        #endif
        return names.filter { name in endings.contains { name.hasSuffix($0) } }.sorted()
    }()

    private static func bitmap(_ name: String) throws -> Bitmap {
        try decoder.decode(data(name), request: DecodingRequest(color: .sRGB)).bitmap
    }

    private static func data(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }

    @Test("the pixels are those of other libraries", arguments: names)
    func pixels(name: String) throws {
        let bitmap = try Self.bitmap(name)
        let expected = try Self.bitmap(name + ".png")
        #expect(bitmap.size == expected.size)
        let (pixels, others) = (bitmap.pixels, expected.pixels)
        let worst = zip(pixels.indices, others).map { index, other -> Int in
            // Invisible pixels can have any color.
            if index % 4 != 3, pixels[index | 3] == 0, others[index | 3] == 0 { return 0 }
            return abs(Int(pixels[index]) - Int(other))
        }.max()
        #expect(try #require(worst) <= 1)
    }

    @Test("a file that ends early is a typed error or an image, at each length", arguments: names)
    func truncations(name: String) throws {
        let data = try Self.data(name)
        for length in stride(from: 0, to: data.count, by: max(1, data.count / 400)) {
            Self.decodeOrFail(data.prefix(length))
        }
    }

    @Test("a damaged file is a typed error or an image", arguments: names)
    func damage(name: String) throws {
        let data = try Self.data(name)
        var random = SplitMix(state: 1)
        for _ in 0..<200 {
            var damaged = data
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let offset = Bool.random(using: &random) ? damaged.count : min(200, damaged.count)
                damaged[Int.random(in: 0..<offset, using: &random)] = .random(in: 0...255, using: &random)
            }
            Self.decodeOrFail(damaged)
        }
    }

    private static func decodeOrFail(_ data: Data) {
        var limits = DecodingLimits.default
        limits.maxPixels = 1_000_000
        limits.decodedByteLimit = 16 << 20
        let decoder = DownsamplingDecoder(decoders: .sources, limits: limits)
        do throws(ImageDecodingError) {
            _ = try decoder.decode(data)
        } catch {
            #expect(error != .cancelled)
        }
    }
}

/// Random numbers that are the same in each run (Steele, Lea and Flood 2014).
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
