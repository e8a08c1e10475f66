#if HEIF && canImport(Glibc)
    import GeneratedImages
    import ImageCodecHEIF
    import LeakChecking
    import Testing

    @Suite("HEIF: memory")
    struct LeakTests {
        @Test("the memory of encodings and decodes is freed")
        func leaks() async {
            await #expect(processExitsWith: .success) {
                try checkForLeaks(encodedBy: HEIFEncoder(), decodedBy: HEIFDecoder(), rounds: 1)
            }
        }

        @Test("the samples of shown frames are freed while a sequence plays on")
        func shownFrames() async {
            await #expect(processExitsWith: .success) {
                let image = try heif.open(TestSequence.chain(count: 60).file())
                let used = try (0..<60).map { frame -> Int in
                    _ = try heif.pixels(image, frame: frame)
                    return bytesInUse()
                }
                // A frame has 6,144 bytes. The pictures that the decoder holds are allocated before frame 20.
                let growth = used[58] - used[20]
                precondition(growth < 10 * 6144, "\(growth) bytes of shown frames were kept")
            }
        }
    }
#endif
