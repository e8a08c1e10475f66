#if canImport(Glibc)
    import ImageCodecPNG
    import LeakChecking
    import Testing

    @Suite("PNG: memory")
    struct LeakTests {
        @Test("the memory of encodings and decodes is freed")
        func leaks() async {
            await #expect(processExitsWith: .success) {
                try checkForLeaks(encodedBy: PNGEncoder(), decodedBy: PNGDecoder(), rounds: 10)
            }
        }
    }
#endif
