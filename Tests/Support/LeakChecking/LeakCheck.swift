#if canImport(Glibc)
    import CAllocations
    import Foundation
    import GeneratedImages
    public import ImageCore
    import ImageDecoding

    /// Returns the number of bytes that Swift and C code have allocated and not freed. For exit tests only.
    public func bytesInUse() -> Int {
        let count = bytes_in_use()
        precondition(count > 0, "the memory in use is unknown")
        return Int(count)
    }

    /// Stops the process if work leaves memory allocated, in Swift or in C.
    ///
    /// For exit tests only: in another process, other code allocates and frees memory meanwhile. The last of three runs
    /// counts: those before allocate memory that stays allocated, such as metadata, tables, and caches of threads.
    public func checkForLeaks(_ work: () throws -> Void) rethrows {
        for _ in 0..<2 { try work() }
        let before = bytesInUse()
        try work()
        let growth = bytesInUse() - before
        precondition(growth < 16 << 10, "\(growth) bytes were not freed")
    }

    /// Stops the process if 200 runs of work leave more than 20 files open. Waits up to ten seconds for threads that end later.
    ///
    /// For exit tests only: in another process, other code opens files meanwhile.
    public func checkForOpenFiles(_ work: () throws -> Void) async throws {
        func count() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        try work()
        let before = try count()
        for _ in 0..<200 { try work() }
        for _ in 0..<100 where try count() > before + 20 { try await Task.sleep(for: .milliseconds(100)) }
        let growth = try count() - before
        precondition(growth <= 20, "\(growth) files are open")
    }

    /// Checks a codec: encodes images and animations, and decodes what it encoded in two sizes, whole and cut.
    ///
    /// - Parameter rounds: How often.
    public func checkForLeaks(
        encodedBy encoder: any ImageEncoder, decodedBy decoder: any ImageDecoder, rounds: Int
    ) throws {
        let decoder = DownsamplingDecoder(decoders: [decoder])
        let options = [
            EncodingOptions(), EncodingOptions(isLossless: true), EncodingOptions(quality: 0.5, isProgressive: true),
        ]
        try checkForLeaks {
            for round in 0..<rounds * options.count {
                let hasAlpha = round % 2 == 0
                let options = options[round % options.count]
                let still = try encoder.encode(Scene.bitmap(200, 160, hasAlpha: hasAlpha), options: options)
                // Some formats have no animations.
                let moving = try? encoder.encode(Scene.frames(hasAlpha: hasAlpha), loopCount: 2, options: options)
                for file in [still, moving].compactMap(\.self) {
                    for target in [nil, ImageTarget.fit(width: 10, height: 8)] {
                        let request = DecodingRequest(target: target)
                        _ = try decoder.decode(file, request: request)
                        // Whether a cut file is decoded is not the question here.
                        _ = try? decoder.decode(file.prefix(file.count * 2 / 3), request: request)
                    }
                }
            }
        }
    }
#endif
