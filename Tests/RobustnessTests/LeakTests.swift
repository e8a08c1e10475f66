#if canImport(Glibc)
    import CAllocations
    import Foundation
    import GeneratedPictures
    import ImageContractTesting
    import ImageCore
    import Testing

    @Suite("Memory after damaged pictures")
    struct LeakTests {
        /// In a process of its own, where nothing else takes or gives back memory.
        @Test("what was taken for damaged pictures is given back, in Swift and in C")
        func leaks() async {
            await #expect(processExitsWith: .success) {
                let pictures = try GeneratedPicture.all()
                // The first time, things that stay are made: metadata, tables, caches of the runtime.
                try Damage.decodeAll(pictures)
                let before = bytes_in_use()
                try Damage.decodeAll(pictures)
                let grown = bytes_in_use() - before
                precondition(grown < 16 << 10, "\(grown) bytes were not given back")
            }
        }
    }

    private enum Damage {
        /// Some thousand damaged files, each decoded as far as it goes.
        static func decodeAll(_ pictures: [GeneratedPicture]) throws {
            for picture in pictures {
                guard let decoder = Decoders.decoder(of: picture.format) else { continue }
                for index in stride(from: 0, to: picture.data.count, by: 7) {
                    var changed = picture.data
                    changed[index] ^= 0xFF
                    for data in [changed, picture.data.prefix(index)] {
                        try HostileInputExamination(decoder).examineBriefly(data)
                    }
                }
            }
        }
    }
#endif
