import Foundation
import GeneratedImages
import ImageContractTesting
import ImageCore
import Testing

/// Every image that our own code makes, cut after each byte and with each byte changed.
@Suite("Images that were damaged")
struct DamageTests {
    @Test("cut anywhere, each is an image or a typed error", arguments: try GeneratedImage.all())
    func cut(image: GeneratedImage) throws {
        let damaged = try Damaged(image)
        for count in 0..<image.data.count {
            try damaged.examine(image.data.prefix(count), "cut to \(count) bytes", thoroughly: count % 5 == 0)
        }
    }

    @Test("with any byte wrong, each is an image or a typed error", arguments: try GeneratedImage.all())
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

/// What damage may make of an image: no more than ten times the work.
private struct Damaged {
    private let image: GeneratedImage
    private let check: HostileInputCheck
    private let brief: HostileInputCheck.Work
    private let thorough: HostileInputCheck.Work

    init(_ image: GeneratedImage) throws {
        let decoder = try #require(Decoders.decoder(of: image.format))
        let header = try decoder.open(image.data, limits: .default).header
        // Else damage in the size or in the number of frames asks for more, and rightly gets it.
        var limits = HostileInputCheck.smallLimits
        limits.pixels = min(limits.pixels, 10 * header.storedSize.area)
        limits.frames = min(limits.frames, 10 * header.frameCount)
        self.image = image
        check = HostileInputCheck(decoder, limits: limits)
        brief = try check.examineBriefly(image.data)
        thorough = try check.examine(image.data)
    }

    /// Rows handed over stand for time here: they don't depend on the machine.
    func examine(_ data: Data, _ damage: String, thoroughly: Bool) throws {
        do {
            let work = try thoroughly ? check.examine(data) : check.examineBriefly(data)
            let valid = thoroughly ? thorough : brief
            #expect(work.pixels <= 10 * valid.pixels, "\(image), \(damage): \(work) instead of \(valid)")
        } catch {
            Issue.record("\(image), \(damage): \(error)")
        }
    }
}
