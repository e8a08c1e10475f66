import Foundation
import GeneratedImages
import ImageCore
import Testing

@testable import ImageContractTesting

/// Decodes each generated image after it was truncated at each byte, and after each byte was changed.
@Suite("Damaged images")
struct DamageTests {
    @Test(
        "an image that is truncated at any byte is decoded or throws a typed error", arguments: try GeneratedImage.all()
    )
    func cut(image: GeneratedImage) throws {
        let damaged = try Damaged(image)
        for count in 0..<image.data.count {
            try damaged.examine(image.data.prefix(count), "truncated to \(count) bytes", thoroughly: count % 5 == 0)
        }
    }

    @Test("an image with any byte changed is decoded or throws a typed error", arguments: try GeneratedImage.all())
    func flipped(image: GeneratedImage) throws {
        let damaged = try Damaged(image)
        for index in image.data.indices {
            let mask: UInt8 = [0xFF, 0x01, 0x80][index % 3]
            var data = image.data
            data[index] ^= mask
            try damaged.examine(data, "byte \(index) changed by \(mask)", thoroughly: index % 10 == 0)
        }
    }
}

/// Checks damaged versions of an image. Decoding them must take at most ten times the work of the valid image.
private struct Damaged {
    private let image: GeneratedImage
    private let check: HostileInputCheck
    private let brief: HostileInputCheck.Work
    private let thorough: HostileInputCheck.Work

    init(_ image: GeneratedImage) throws {
        let decoder = try #require(Decoders.decoder(of: image.format))
        let header = try decoder.open(image.data, limits: .default).header
        // Otherwise a damaged size or frame count would make the work larger without an error of the decoder.
        var limits = HostileInputCheck.smallLimits
        limits.maxPixels = min(limits.maxPixels, 10 * header.storedSize.area)
        limits.maxFrames = min(limits.maxFrames, 10 * header.frameCount)
        self.image = image
        check = HostileInputCheck(decoder, limits: limits)
        brief = try check.briefWork(on: image.data)
        thorough = try check.work(on: image.data)
    }

    /// Counts decoded pixels instead of time, because they don't depend on the machine.
    func examine(_ data: Data, _ damage: String, thoroughly: Bool) throws {
        do {
            let work = try thoroughly ? check.work(on: data) : check.briefWork(on: data)
            let valid = thoroughly ? thorough : brief
            #expect(work.pixels <= 10 * valid.pixels, "\(image), \(damage): \(work) instead of \(valid)")
        } catch {
            Issue.record("\(image), \(damage): \(error)")
        }
    }
}
