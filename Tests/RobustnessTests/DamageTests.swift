import Foundation
import GeneratedPictures
import ImageContractTesting
import ImageCore
import Testing

/// Every picture that our own code makes, cut after each byte and with each byte changed.
@Suite("Pictures that were damaged")
struct DamageTests {
    @Test("cut anywhere, each is a picture or a typed error", arguments: try GeneratedPicture.all())
    func cut(picture: GeneratedPicture) throws {
        let damaged = try Damaged(picture)
        for count in 0..<picture.data.count {
            try damaged.examine(picture.data.prefix(count), "cut to \(count) bytes", thoroughly: count % 5 == 0)
        }
    }

    @Test("with any byte wrong, each is a picture or a typed error", arguments: try GeneratedPicture.all())
    func flipped(picture: GeneratedPicture) throws {
        let damaged = try Damaged(picture)
        for index in picture.data.indices {
            let mask: UInt8 = [0xFF, 0x01, 0x80][index % 3]
            var data = picture.data
            data[index] ^= mask
            try damaged.examine(data, "byte \(index) changed by \(mask)", thoroughly: index % 10 == 0)
        }
    }
}

/// What damage may make of a picture: no more than ten times the work.
private struct Damaged {
    private let picture: GeneratedPicture
    private let examination: HostileInputExamination
    private let brief: HostileInputExamination.Work
    private let thorough: HostileInputExamination.Work

    init(_ picture: GeneratedPicture) throws {
        let decoder = try #require(Decoders.decoder(of: picture.format))
        let header = try decoder.open(picture.data, limits: .default).header
        // Else damage in the size or in the number of frames asks for more, and rightly gets it.
        var limits = HostileInputExamination.smallLimits
        limits.pixels = min(limits.pixels, 10 * header.storedSize.area)
        limits.frames = min(limits.frames, 10 * header.frameCount)
        self.picture = picture
        examination = HostileInputExamination(decoder, limits: limits)
        brief = try examination.examineBriefly(picture.data)
        thorough = try examination.examine(picture.data)
    }

    /// Rows handed over stand for time here: they don't depend on the machine.
    func examine(_ data: Data, _ damage: String, thoroughly: Bool) throws {
        do {
            let work = try thoroughly ? examination.examine(data) : examination.examineBriefly(data)
            let valid = thoroughly ? thorough : brief
            #expect(work.pixels <= 10 * valid.pixels, "\(picture), \(damage): \(work) instead of \(valid)")
        } catch {
            Issue.record("\(picture), \(damage): \(error)")
        }
    }
}
