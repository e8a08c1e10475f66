import Foundation
import GeneratedImages
import ImageCore
import ImageLoaderKit
import ImageTesting
import Testing

@testable import ImageContractTesting

/// Decodes the files in `Tests/Fixtures/regression`, which has a folder for each format.
///
/// They are inputs that a fuzzer found, and other inputs that are known to cause problems in decoders.
@Suite("Regression files")
struct RegressionTests {
    static let folder = URL(filePath: #filePath).appending(path: "../../Fixtures/regression").standardized

    /// The paths of the files relative to `folder`, of formats that this build decodes.
    static let files: [String] = {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        let names = files?.compactMap { entry -> String? in
            guard let url = entry as? URL, (try? url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
            else { return nil }
            return "\(url.deletingLastPathComponent().lastPathComponent)/\(url.lastPathComponent)"
        }
        return (names ?? []).filter { name in Decoders.all.contains { name.hasPrefix("\($0.format)/") } }.sorted()
    }()

    @Test("each format has files")
    func hasFilesOfEachFormat() {
        for decoder in Decoders.all where decoder.format != .heic {
            #expect(Self.files.contains { $0.hasPrefix("\(decoder.format)/") }, "no files of \(decoder.format)")
        }
    }

    @Test("each decoder decodes each file or throws a typed error", arguments: files)
    func decodesOrThrows(file: String) throws {
        let data = try Data(contentsOf: Self.folder.appending(path: file))
        for decoder in Decoders.all {
            try HostileInputCheck(decoder).check(data)
            guard let decoder = decoder as? any IncrementalImageDecoder else { continue }
            for lengths in [[1], [7, 1, 64], [1000]] {
                try IncrementalDecodingCheck(decoder, expectsWholeImages: false).check(data, splitInto: lengths)
            }
        }
    }

    @Test("rejects files with a huge size in the header", arguments: files)
    func refused(file: String) throws {
        // Selects the files by name. Otherwise a decoder that accepts a huge size would run out of memory.
        guard file.contains("-by-") || file.contains("largest") || file.contains("65535") else { return }
        let data = try Data(contentsOf: Self.folder.appending(path: file))
        let decoder = try #require(Decoders.all.first { file.hasPrefix("\($0.format)/") })
        #expect(throws: ImageDecodingError.self) {
            let image = try decoder.open(data, limits: HostileInputCheck.smallLimits)
            try image.decode(
                frame: 0, size: image.header.storedSize, layout: .rgba8, into: CollectingRowSink())
        }
    }
}

@Suite("Generated images")
struct ValidImageTests {
    @Test("each image is decoded completely with all options")
    func valid() throws {
        for image in try GeneratedImage.all() {
            let decoder = try #require(Decoders.decoder(of: image.format))
            do {
                let work = try HostileInputCheck(decoder).work(on: image.data)
                #expect(work.completeDecodes > 0 && work.failedDecodes == 0, "\(image): \(work)")
            } catch {
                Issue.record("\(image): \(error)")
            }
        }
    }

    @Test("incremental decoding in chunks returns the same image", arguments: [[1], [13, 2, 100]])
    func incremental(lengths: [Int]) throws {
        for image in try GeneratedImage.all() {
            guard let decoder = Decoders.decoder(of: image.format) as? any IncrementalImageDecoder else { continue }
            do {
                // Bytes after the end of the image are ignored.
                for data in [image.data, image.data + Data(repeating: 0xA5, count: 300)] {
                    try IncrementalDecodingCheck(decoder).check(data, splitInto: lengths)
                }
            } catch {
                Issue.record("\(image): \(error)")
            }
        }
    }
}

/// The decoders under test.
enum Decoders {
    static let all: [any ImageDecoder] = .all

    static func decoder(of format: ImageFormat) -> (any ImageDecoder)? { all.first { $0.format == format } }
}
