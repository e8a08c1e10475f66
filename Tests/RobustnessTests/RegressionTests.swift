import Foundation
import ImageContractTesting
import ImageCore
import ImageTesting
import Testing

/// Files under Tests/Fixtures/regression, in a folder for each format: what a fuzzer found, and what is known to be nasty.
@Suite("Files that did harm or might")
struct RegressionTests {
    static let folder = URL(filePath: #filePath).appending(path: "../../Fixtures/regression").standardized

    /// Paths below the folder.
    static let files: [String] = {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        let names = files?.compactMap { entry -> String? in
            guard let url = entry as? URL, (try? url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
            else { return nil }
            return "\(url.deletingLastPathComponent().lastPathComponent)/\(url.lastPathComponent)"
        }
        return (names ?? []).sorted()
    }()

    @Test("there are some of each format")
    func some() {
        for decoder in Decoders.all {
            #expect(Self.files.contains { $0.hasPrefix("\(decoder.format)/") }, "none of \(decoder.format)")
        }
    }

    @Test("each is an image or a typed error, whichever decoder gets it", arguments: files)
    func examined(file: String) throws {
        let data = try Data(contentsOf: Self.folder.appending(path: file))
        for decoder in Decoders.all {
            try HostileInputCheck(decoder).examine(data)
            guard let decoder = decoder as? any IncrementalImageDecoder else { continue }
            for lengths in [[1], [7, 1, 64], [1000]] {
                try IncrementalDecodingCheck(decoder, expectsWholeImages: false).examine(data, cutInto: lengths)
            }
        }
    }

    @Test("those that say that they are huge are refused", arguments: files)
    func refused(file: String) throws {
        // By name, so that a huge size that slips through shows here, not as a process out of memory.
        guard file.contains("-by-") || file.contains("largest") || file.contains("65535") else { return }
        let data = try Data(contentsOf: Self.folder.appending(path: file))
        let decoder = try #require(Decoders.all.first { file.hasPrefix("\($0.format)/") })
        #expect(throws: DecodingFailure.self) {
            let image = try decoder.open(data, limits: HostileInputCheck.smallLimits)
            try image.decode(
                frame: 0, size: image.header.storedSize, layout: .rgba8, into: CollectingRowSink())
        }
    }
}
