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
        private let buffers: PixelBufferPool
        private var scope: WorkerScope

        /// Creates a decoder, and starts the program of its workers.
        ///
        /// - Parameters:
        ///   - formats: The formats that a worker decodes.
        ///   - limits: The limits of each image. Profiles have at most 64 MiB, and animations 1,048,576 frames.
        ///   - isolation: The number of workers, and their limits.
        ///   - buffers: Reuses the memory of images.
        public init(
            formats: [ImageFormat], limits: DecodingLimits = .default, isolation: ImageIsolation,
            buffers: PixelBufferPool = PixelBufferPool(byteLimit: 16_000_000)
        ) {
            self.buffers = buffers
            scope = WorkerScope(
                setup: WorkerSetup(
                    formats: formats, limits: limits, memoryByteLimit: isolation.memoryByteLimit))
            pool = WorkerPool(isolation)
        }

        /// Returns a decoder whose workers have seen no image of another origin, so that a file that took over a worker sees
        /// none.
        /// - Parameter origin: A name, for example of a server or a user.
        public func scoped(to origin: String) -> IsolatedDecoders {
            var decoder = self
            decoder.scope.origin = origin
            return decoder
        }

        /// Returns a decoder with other limits. Its workers are others.
        ///
        /// - Parameters:
        ///   - limits: The limits of each image.
        ///   - memoryByteLimit: The memory of a worker in bytes.
        public func limited(to limits: DecodingLimits, memoryByteLimit: Int) -> IsolatedDecoders {
            var decoder = self
            let setup = WorkerSetup(
                formats: scope.setup.formats, limits: limits, memoryByteLimit: memoryByteLimit)
            decoder.scope = WorkerScope(setup: setup, origin: scope.origin)
            return decoder
        }

        /// Returns an encoder that encodes in a worker. The worker ends if the task is cancelled, so that the codec needn't be
        /// interruptible. A worker that fails is `ImageEncodingError.failed`. The worker holds all frames of an animation.
        ///
        /// - Parameters:
        ///   - base: An encoder of the same format. It encodes nothing.
        ///   - name: By this name, `ImageWorker.runIfAsked` makes the encoder in the worker. Up to 64 bytes of UTF-8;
        ///     longer ones trap.
        public func encoder(like base: any ImageEncoder, named name: String) -> any ImageEncoder {
            precondition(name.utf8.count <= 64, "the name of an encoder has up to 64 bytes: \(name)")
            return IsolatedEncoder(
                format: base.format, keepsAlpha: base.keepsAlpha, name: name, pool: pool, scope: scope)
        }

        public func header(of data: Data) throws(ImageDecodingError) -> ImageHeader {
            try pool.use(scope, file: data, isCancelled: { Task.isCancelled }) { worker throws(ImageDecodingError) in
                try worker.header(of: data, isCancelled: { Task.isCancelled })
            }
        }

        public func decode(
            _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
        ) throws(ImageDecodingError) -> DecodedImage {
            if isCancelled() { throw .cancelled }
            try limits.check(.encodedBytes, data.count)
            return try pool.use(scope, file: data, isCancelled: isCancelled) { worker throws(ImageDecodingError) in
                let header = try worker.header(of: data, isCancelled: isCancelled)
                return try worker.pixels(.image, of: header, request, pool: buffers, isCancelled: isCancelled)
            }
        }

        public func makeFrameReader(
            of data: Data, request: DecodingRequest
        ) throws(ImageDecodingError) -> any FrameReader {
            let number = pool.makeReader()
            let header = try pool.use(scope, file: data, isCancelled: { Task.isCancelled }) {
                worker throws(ImageDecodingError) in
                try worker.header(of: data, reader: number, isCancelled: { Task.isCancelled })
            }
            return IsolatedFrameReader(
                header: header, number: number, data: data, request: request, pool: pool, buffers: buffers, scope: scope
            )
        }

        public func makeSession(request: DecodingRequest, throttle: PreviewThrottle) -> (any DecodingSession)? {
            IsolatedSession(self, request: request, throttle: throttle)
        }

        /// Makes a preview of the first bytes of a file.
        fileprivate func preview(
            of data: Data, _ request: DecodingRequest, isCancelled: () -> Bool
        ) throws(ImageDecodingError) -> DecodedImage? {
            try pool.use(scope, isCancelled: isCancelled) { worker throws(ImageDecodingError) in
                guard let header = try worker.open(.preview, data, request, isCancelled: isCancelled) else {
                    return nil
                }
                return try worker.pixels(
                    .previewPixels, of: header, request, pool: buffers, isCancelled: isCancelled)
            }
        }

        fileprivate var limits: DecodingLimits { scope.setup.limits }
    }

    /// Encodes images and animations in a worker.
    private struct IsolatedEncoder: ImageEncoder {
        let format: ImageFormat
        let keepsAlpha: Bool
        let name: String
        let pool: WorkerPool
        let scope: WorkerScope

        func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
            let frame = AnimationFrame(bitmap: bitmap, delay: .zero)
            return try encode([frame], EncodingJob(encoder: name, options: options))
        }

        func encode(
            _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
        ) throws(ImageEncodingError) -> Data {
            _ = try commonSize(of: frames)
            return try encode(frames, EncodingJob(encoder: name, options: options, loopCount: max(0, loopCount)))
        }

        private func encode(_ frames: [AnimationFrame], _ job: EncodingJob) throws(ImageEncodingError) -> Data {
            try checkCancellation()
            do throws(ImageDecodingError) {
                return try pool.use(scope, isCancelled: { Task.isCancelled }) { worker throws(ImageDecodingError) in
                    try worker.encode(frames, with: job, isCancelled: { Task.isCancelled })
                }
            } catch .cancelled {
                throw .cancelled
            } catch .unsupported(_, let text) {
                throw .failed(format, text)
            } catch {
                throw .failed(format, "\(error)")
            }
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
        private let scope: WorkerScope

        init(
            header: ImageHeader, number: UInt64, data: Data, request: DecodingRequest, pool: WorkerPool,
            buffers: PixelBufferPool, scope: WorkerScope
        ) {
            self.header = header
            self.number = number
            self.data = data
            self.request = request
            self.pool = pool
            self.buffers = buffers
            self.scope = scope
        }

        deinit { pool.release(reader: number) }

        func frame(at index: Int, isCancelled: @Sendable () -> Bool) throws(ImageDecodingError) -> Bitmap {
            if isCancelled() { throw .cancelled }
            guard (0..<header.frameCount).contains(index) else {
                throw .noSuchFrame(index, frameCount: header.frameCount)
            }
            request.frame = index
            return try pool.use(scope, file: data, reader: number, isCancelled: isCancelled) {
                worker throws(ImageDecodingError) in
                _ = try worker.header(of: data, reader: number, isCancelled: isCancelled)
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
                hasEnded = true
                data = Data()
                return nil
            }
        }
    }
#endif
