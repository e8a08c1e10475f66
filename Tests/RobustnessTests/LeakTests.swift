#if canImport(Glibc)
    import CAllocations
    import Foundation
    import GeneratedImages
    import ImageContractTesting
    import ImageCore
    import Testing

    @Suite("Memory after damaged images")
    struct LeakTests {
        /// In a process of its own, where nothing else takes or gives back memory.
        @Test("what was taken for damaged images is given back, in Swift and in C")
        func leaks() async {
            await #expect(processExitsWith: .success) {
                let images = try GeneratedImage.all()
                // The first time, things that stay are made: metadata, tables, caches of the runtime.
                try Damage.decodeAll(images)
                let before = bytes_in_use()
                try Damage.decodeAll(images)
                let grown = bytes_in_use() - before
                precondition(grown < 16 << 10, "\(grown) bytes were not given back")
            }
        }
    }

    private enum Damage {
        /// Some thousand damaged files, each decoded as far as it goes.
        static func decodeAll(_ images: [GeneratedImage]) throws {
            for image in images {
                guard let decoder = Decoders.decoder(of: image.format) else { continue }
                for index in stride(from: 0, to: image.data.count, by: 7) {
                    var changed = image.data
                    changed[index] ^= 0xFF
                    for data in [changed, image.data.prefix(index)] {
                        try HostileInputCheck(decoder).examineBriefly(data)
                    }
                }
            }
        }
    }
#endif
