#if canImport(Glibc)
    import ImageCodecJPEG
    import LeakChecking
    import Testing

    @Suite("JPEG: memory")
    struct LeakTests {
        @Test("the memory of encodings and decodes is freed")
        func leaks() async {
            await #expect(processExitsWith: .success) {
                try checkForLeaks(encodedBy: JPEGEncoder(), decodedBy: JPEGDecoder(), rounds: 10)
            }
        }
    }
#endif
