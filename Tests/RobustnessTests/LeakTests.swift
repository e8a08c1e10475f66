#if canImport(Glibc)
    import CAllocations
    import Foundation
    import GeneratedImages
    import ImageContractTesting
    import ImageCore
    import Testing

    @Suite("Memory leaks with damaged images")
    struct LeakTests {
        /// Runs in a separate process, in which no other code allocates or frees memory.
        @Test("memory that is allocated for damaged images is freed, in Swift and in C")
        func leaks() async {
            await #expect(processExitsWith: .success) {
                let images = try GeneratedImage.all()
                // The first run allocates memory that stays allocated: metadata, tables and caches of the runtime.
                try Damage.decodeAll(images)
                let before = bytes_in_use()
                precondition(before > 0, "the memory in use is unknown")
                try Damage.decodeAll(images)
                let growth = bytes_in_use() - before
                precondition(growth < 16 << 10, "\(growth) bytes were not freed")
            }
        }
    }

    private enum Damage {
        /// Decodes some thousand damaged files as far as possible.
        static func decodeAll(_ images: [GeneratedImage]) throws {
            for image in images {
                guard let decoder = Decoders.decoder(of: image.format) else { continue }
                for index in stride(from: 0, to: image.data.count, by: 7) {
                    var changed = image.data
                    changed[index] ^= 0xFF
                    for data in [changed, image.data.prefix(index)] {
                        try HostileInputCheck(decoder).checkBriefly(data)
                    }
                }
            }
        }
    }
#endif
