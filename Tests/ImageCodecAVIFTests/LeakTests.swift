#if AVIF && canImport(Glibc)
    import ImageCodecAVIF
    import LeakChecking
    import Testing

    @Suite("AVIF: memory")
    struct LeakTests {
        @Test("the memory of encodings and decodes is freed")
        func leaks() async {
            await #expect(processExitsWith: .success) {
                try checkForLeaks(encodedBy: AVIFEncoder(), decodedBy: AVIFDecoder(), rounds: 1)
            }
        }
    }
#endif
