#if os(Linux)
    public import ImageCore

    /// Reads answers of any bytes, for the fuzzer and the tests of this package.
    @_spi(Fuzzing)
    public enum WorkerReplyFuzzing {
        private static let setup = WorkerSetup(
            formats: [.png, .gif], limits: DecodingLimits(maxPixels: 10_000, maxSide: 500, maxFrames: 20),
            memoryByteLimit: 1)

        /// An answer of each kind, as a worker writes it to its first request.
        public static var seeds: [Data] {
            var header = ImageHeader(
                format: .gif, storedSize: PixelSize(width: 30, height: 20), frameCount: 2,
                frameDelays: [.milliseconds(40), .nanoseconds(7)], color: SourceColor(profile: Data([1, 2])))
            header.color.transfer = .pq
            let replies: [WorkerReply] = [
                .ready(protection: 15), .header(HeaderReply(header)), .nothing, .encoded(70_000),
                .image(PixelSize(width: 3, height: 4), .displayP3, .truncated), .failure(.malformed(.png, "no end")),
                .failure(.limitExceeded(.frames, value: 21, allowed: 20)), .failure(.cancelled),
            ]
            return replies.map { Data($0.bytes(number: 1) + HeaderReply.metadata(of: header)) }
        }

        /// Reads a message, and the bytes after it as the metadata of a header.
        ///
        /// - Returns: The header, if it exceeds the limits of the worker or can't be; otherwise nil.
        public static func wrongHeader(in data: Data) -> ImageHeader? {
            let message = Array(data.prefix(WorkerReply.byteCount))
            // What is refused, by whichever error, is no wrong header.
            guard case .header(let reply) = try? WorkerReply(message, number: 1, setup: setup) else { return nil }
            guard (0...setup.metadataCapacity).contains(reply.metadataByteCount) else { return reply.header }
            var metadata = Array(data.dropFirst(message.count).prefix(reply.metadataByteCount))
            metadata += [UInt8](repeating: 0, count: reply.metadataByteCount - metadata.count)
            guard let header = try? reply.header(metadata: metadata) else { return nil }
            let (size, limits) = (header.storedSize, setup.limits)
            let isRight =
                setup.formats.contains(header.format) && size.width > 0 && size.height > 0
                && max(size.width, size.height) <= limits.maxSide && size.area <= limits.maxPixels
                && (1...limits.maxFrames).contains(header.frameCount) && header.loopCount >= 0
                && header.frameDelays.allSatisfy { $0 >= .zero }
            return isRight ? nil : header
        }
    }
#endif
