#if canImport(Glibc)
    import ImageCodecGIF
    import LeakChecking
    import Testing

    @Suite("GIF: memory")
    struct LeakTests {
        @Test("the memory of encodings and decodes is freed")
        func leaks() async {
            await #expect(processExitsWith: .success) {
                try checkForLeaks(encodedBy: GIFEncoder(), decodedBy: GIFDecoder(), rounds: 1)
            }
        }
    }
#endif
