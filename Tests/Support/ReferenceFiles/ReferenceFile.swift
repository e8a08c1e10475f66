public import Foundation
import ImageCodecPNG
import ImageColorManagement
import ImageContractTesting
public import ImageCore
import ImageDecoding
import ImageTesting

/// An image of another program, with its pixels beside it as PNG (`NAME.png`). make-files.py makes both.
public struct ReferenceFile: Sendable, CustomStringConvertible {
    /// The name of the file.
    public let name: String
    /// The file.
    public let data: Data
    private let png: Data

    public var description: String { name }

    /// Returns the images of a folder that are no PNG, by name.
    public static func all(in folder: URL) throws -> [ReferenceFile] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
            .filter { !$0.hasSuffix(".png") }
            .map { name in
                let file = folder.appending(path: name)
                let png = try Data(contentsOf: file.appendingPathExtension("png"))
                return ReferenceFile(name: name, data: try Data(contentsOf: file), png: png)
            }
    }

    /// Returns the largest difference of a channel to the pixels of the other program. Nil for another size.
    ///
    /// - Parameter decoder: The decoder under test.
    public func difference(by decoder: any ImageDecoder) throws -> Int? {
        let decoder = DownsamplingDecoder(
            decoders: [decoder, PNGDecoder()], colorConverter: LittleCMSColorConverter())
        let bitmap = try decoder.decode(data, request: DecodingRequest(color: .sRGB)).bitmap
        let expected = try decoder.decode(png, request: DecodingRequest(color: .sRGB)).bitmap
        guard bitmap.size == expected.size else { return nil }
        let (pixels, others) = (bitmap.pixels, expected.pixels)
        return pixels.indices.map { index in
            // Invisible pixels can have any color.
            if index % 4 != 3, pixels[index | 3] == 0, others[index | 3] == 0 { return 0 }
            return abs(Int(pixels[index]) - Int(others[index]))
        }.max()
    }

    /// Checks a decoder with the file cut at about 100 lengths, and with a few of its bytes changed in 100 ways.
    ///
    /// - Throws: `ContractViolation` if the decoder breaks a promise.
    public func checkDamage(by decoder: any ImageDecoder) throws {
        let check = HostileInputCheck(decoder)
        for length in stride(from: 0, to: data.count, by: max(1, data.count / 100)) {
            try check.checkBriefly(data.prefix(length))
        }
        var random = SeededRandom(seed: 1)
        for _ in 0..<100 {
            var damaged = data
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                // Half of the changes are in the header.
                let end = Bool.random(using: &random) ? damaged.count : min(200, damaged.count)
                damaged[Int.random(in: 0..<end, using: &random)] = .random(in: 0...255, using: &random)
            }
            try check.checkBriefly(damaged)
        }
    }
}
