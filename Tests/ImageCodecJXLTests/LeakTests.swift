#if JXL && canImport(Glibc)
    import ImageCodecJXL
    import LeakChecking
    import Testing

    @Suite("JXL: memory")
    struct LeakTests {
        @Test("the memory of encodings and decodes is freed")
        func leaks() async {
            await #expect(processExitsWith: .success) {
                try checkForLeaks(encodedBy: JXLEncoder(), decodedBy: JXLDecoder(), rounds: 2)
            }
        }
    }
#endif
