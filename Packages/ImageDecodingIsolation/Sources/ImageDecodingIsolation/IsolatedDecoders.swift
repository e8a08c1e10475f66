#if os(Linux)
    public import ImageCore

    /// Decodes images in worker processes that can't open files, connect or start programs.
    ///
    /// A decoder that crashes, hangs or is taken over by a file fails with `ImageDecodingError.workerFailed`, and the next image
    /// gets a new worker. The format is recognized in the worker, too. The application reads a message of 1,024 bytes, the
    /// color profile, the delays of frames, and pixels, and checks each number of them.
    ///
    /// The program of the worker calls `ImageWorker.runIfAsked`. Copies share their workers.
    public struct IsolatedDecoders: SizedImageDecoder {
        private let pool: WorkerPool
        private let local: any SizedImageDecoder
        private let isolation: ImageIsolation
        private let buffers: PixelBufferPool
        private var origin: String?

        /// Creates a decoder. Starts a worker with the first image.
        ///
        /// - Parameters:
        ///   - local: Decodes in this process where the kernel can't protect it, if the isolation is only preferred.
        ///   - formats: The formats that a worker decodes.
        ///   - limits: The limits of each image. Profiles have at most 64 MiB, and animations 1,048,576 frames.
        ///   - isolation: The number of workers, and their limits.
        ///   - buffers: Reuses the memory of images.
        public init(
            _ local: any SizedImageDecoder, formats: [ImageFormat], limits: DecodingLimits = .default,
            isolation: ImageIsolation, buffers: PixelBufferPool = PixelBufferPool(byteLimit: 16_000_000)
        ) {
            self.local = local
            self.isolation = isolation
            self.buffers = buffers
            let setup = WorkerSetup(formats: formats, limits: limits, memoryByteLimit: isolation.memoryByteLimit)
            pool = WorkerPool(isolation, setup: setup)
        }

        /// Returns a decoder whose workers have seen no image of another origin, so that a file that took over a worker sees
        /// none.
        /// - Parameter origin: A name, for example of a server or a user.
        public func scoped(to origin: String) -> IsolatedDecoders {
            var decoder = self
            decoder.origin = origin
            return decoder
        }

        public func header(of data: Data) throws(ImageDecodingError) -> ImageHeader {
            try isolated(isCancelled: { false }) { worker throws(ImageDecodingError) in
                try worker.header(of: data)
            } otherwise: { () throws(ImageDecodingError) in
                try local.header(of: data)
            }
        }

        public func decode(
            _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
        ) throws(ImageDecodingError) -> DecodedImage {
            if isCancelled() { throw .cancelled }
            try pool.setup.limits.check(.encodedBytes, data.count)
            return try isolated(isCancelled: isCancelled) { worker throws(ImageDecodingError) in
                let header = try worker.header(of: data, isCancelled: isCancelled)
                return try worker.pixels(.image, of: header, request, pool: buffers, isCancelled: isCancelled)
            } otherwise: { () throws(ImageDecodingError) in
                try local.decode(data, request: request, isCancelled: isCancelled)
            }
        }

        public func makeFrameReader(
            of data: Data, request: DecodingRequest
        ) throws(ImageDecodingError) -> any FrameReader {
            let number = pool.makeReader()
            return try isolated(isCancelled: { false }) { worker throws(ImageDecodingError) -> any FrameReader in
                let header = try worker.header(of: data, reader: number)
                return IsolatedFrameReader(
                    header: header, number: number, data: data, request: request, pool: pool, buffers: buffers,
                    origin: origin)
            } otherwise: { () throws(ImageDecodingError) in
                try local.makeFrameReader(of: data, request: request)
            }
        }

        public func makeSession(request: DecodingRequest, throttle: PreviewThrottle) -> (any DecodingSession)? {
            IsolatedSession(self, request: request, throttle: throttle)
        }

        /// Makes a preview of the first bytes of a file.
        fileprivate func preview(
            of data: Data, _ request: DecodingRequest, isCancelled: () -> Bool
        ) throws(ImageDecodingError) -> DecodedImage? {
            try pool.use(origin: origin, isCancelled: isCancelled) { worker throws(ImageDecodingError) in
                guard let header = try worker.open(.preview, data, request, isCancelled: isCancelled) else {
                    return nil
                }
                return try worker.pixels(
                    .previewPixels, of: header, request, pool: buffers, isCancelled: isCancelled)
            }
        }

        fileprivate var limits: DecodingLimits { pool.setup.limits }

        private func isolated<Value>(
            isCancelled: () -> Bool, _ body: (inout WorkerProcess) throws(ImageDecodingError) -> Value,
            otherwise: () throws(ImageDecodingError) -> Value
        ) throws(ImageDecodingError) -> Value {
            do throws(ImageDecodingError) {
                return try pool.use(origin: origin, isCancelled: isCancelled, body)
            } catch .workerFailed(.unprotected) where isolation.requirement == .preferred {
                return try otherwise()
            }
        }
    }

    extension WorkerProcess {
        fileprivate mutating func header(
            of data: Data, reader: UInt64? = nil, isCancelled: () -> Bool = { false }
        ) throws(ImageDecodingError) -> ImageHeader {
            try setup.limits.check(.encodedBytes, data.count)
            guard let header = try open(.open, data, DecodingRequest(), isCancelled: isCancelled) else {
                throw .invalidAnswer("no header")
            }
            self.reader = reader
            return header
        }
    }

    /// Keeps the file open in a worker as long as no other image needs that worker.
    private final class IsolatedFrameReader: FrameReader {
        let header: ImageHeader
        private let number: UInt64
        private let data: Data
        private var request: DecodingRequest
        private let pool: WorkerPool
        private let buffers: PixelBufferPool
        private let origin: String?

        init(
            header: ImageHeader, number: UInt64, data: Data, request: DecodingRequest, pool: WorkerPool,
            buffers: PixelBufferPool, origin: String?
        ) {
            self.header = header
            self.number = number
            self.data = data
            self.request = request
            self.pool = pool
            self.buffers = buffers
            self.origin = origin
        }

        deinit { pool.release(reader: number) }

        func frame(at index: Int, isCancelled: @Sendable () -> Bool) throws(ImageDecodingError) -> Bitmap {
            if isCancelled() { throw .cancelled }
            guard (0..<header.frameCount).contains(index) else {
                throw .noSuchFrame(index, frameCount: header.frameCount)
            }
            request.frame = index
            return try pool.use(origin: origin, reader: number, isCancelled: isCancelled) {
                worker throws(ImageDecodingError) in
                if worker.reader != number {
                    _ = try worker.header(of: data, reader: number, isCancelled: isCancelled)
                }
                return try worker.pixels(.frame, of: header, request, pool: buffers, isCancelled: isCancelled).bitmap
            }
        }
    }

    /// Makes previews of all bytes so far. A worker keeps nothing of them, so that a slow download holds none.
    ///
    /// There are at least `rowShare` more bytes each time, so that all previews together cost a few decodes.
    private final class IsolatedSession: DecodingSession {
        private let decoder: IsolatedDecoders
        private let request: DecodingRequest
        private let throttle: PreviewThrottle
        private var data = Data()
        private var needed = 32
        private var last: (image: DecodedImage, moment: Duration)?
        private var hasEnded: Bool

        init(_ decoder: IsolatedDecoders, request: DecodingRequest, throttle: PreviewThrottle) {
            self.decoder = decoder
            self.request = request
            self.throttle = throttle
            // A later frame can't be shown before the frames that it is composited on.
            hasEnded = request.frame != 0
        }

        func append(
            _ bytes: Data, at elapsed: Duration, isCancelled: @Sendable () -> Bool
        ) throws(ImageDecodingError) -> DecodedImage? {
            if isCancelled() { throw .cancelled }
            data += bytes
            try decoder.limits.check(.encodedBytes, data.count)
            if hasEnded || data.count < needed { return nil }
            if let last, elapsed - last.moment < throttle.interval { return nil }
            needed = data.count + max(1, Int(Double(data.count) * throttle.rowShare))
            do throws(ImageDecodingError) {
                guard let image = try decoder.preview(of: data, request, isCancelled: isCancelled),
                    image.bitmap != last?.image.bitmap
                else { return nil }
                last = (image, elapsed)
                return image
            } catch .cancelled {
                throw .cancelled
            } catch {
                // Decoding all bytes throws the error.
                (hasEnded, data) = (true, Data())
                return nil
            }
        }
    }
#endif
