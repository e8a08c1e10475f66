#if canImport(Glibc)
    import Foundation
    import GeneratedImages
    import ImageContractTesting
    import ImageCore
    import LeakChecking
    import Testing

    @Suite("Memory leaks with damaged images")
    struct LeakTests {
        @Test("memory that is allocated for damaged images is freed, in Swift and in C")
        func leaks() async {
            await #expect(processExitsWith: .success) {
                let images = try GeneratedImage.all()
                try checkForLeaks { try Damage.decodeAll(images) }
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
