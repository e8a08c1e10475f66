#if canImport(Glibc)
    import ImageCodecWebP
    import LeakChecking
    import Testing

    @Suite("WebP: memory")
    struct LeakTests {
        @Test("the memory of encodings and decodes is freed")
        func leaks() async {
            await #expect(processExitsWith: .success) {
                try checkForLeaks(encodedBy: WebPEncoder(), decodedBy: WebPDecoder(), rounds: 5)
            }
        }
    }
#endif
