#if os(Linux)
    import CImageDecodingIsolation
    import Glibc
    public import ImageCore

    /// The program of the worker processes of `IsolatedDecoders`.
    public enum ImageWorker {
        /// The first argument of a worker.
        static let argument = "image-decoding-worker"

        /// Decodes images, if this process was started as a worker, and never returns. Otherwise returns at once.
        ///
        /// Call it first in `main`, before the program starts a thread or opens a file.
        ///
        /// - Parameters:
        ///   - readableFolders: The folders that decoders read, for example of fonts. Calls that try to read others are not
        ///     reported if there are any.
        ///   - prepare: Called once, before the first worker: what it makes, all workers have. It must start no threads.
        ///   - makeEncoder: Returns the encoder with a name, for `IsolatedDecoders.encoder`, or nil. Called for each image.
        ///   - makeDecoder: Returns the decoder. It is called while the process can still open files. It must decode an image
        ///     if its libraries load files with the first one, and start no threads.
        public static func runIfAsked(
            readableFolders: [String] = [], prepare: () -> Void = {},
            makeEncoder: @escaping (String) -> (any ImageEncoder)? = { _ in nil },
            makeDecoder: (WorkerSetup) -> any SizedImageDecoder
        ) {
            guard CommandLine.arguments.count == 2, CommandLine.arguments[1] == argument else {
                return worker_prepare()
            }
            worker_depend_on_parent()
            prepare()
            worker_start_others()
            var bytes = [UInt8](repeating: 0, count: WorkerSetup.byteCount)
            var metadata: Int32 = -1
            let count = unsafe worker_receive(WorkerLoop.socket, &bytes, bytes.count, &metadata)
            guard (1...bytes.count).contains(Int(count)) else { exit(2) }
            let setup = WorkerSetup(Array(bytes.prefix(Int(count))))
            var loop = WorkerLoop(decoder: makeDecoder(setup), makeEncoder: makeEncoder, metadata: metadata)
            loop.lock(readableFolders, memory: setup.memoryByteLimit)
            while true { loop.answer() }
        }
    }

    /// A worker, inside of its process. If it can't go on, it exits: the parent starts another one.
    private struct WorkerLoop {
        static let socket: Int32 = 0

        let decoder: any SizedImageDecoder
        let makeEncoder: (String) -> (any ImageEncoder)?
        let metadata: Int32
        private var data = Data()
        private var reader: (frames: any FrameReader, request: DecodingRequest)?
        private var preview: DecodedImage?
        /// The frames of the animation that is encoded next.
        private var frames: [AnimationFrame] = []
        private var encoded = Data()

        init(
            decoder: any SizedImageDecoder, makeEncoder: @escaping (String) -> (any ImageEncoder)?, metadata: Int32
        ) {
            self.decoder = decoder
            self.makeEncoder = makeEncoder
            self.metadata = metadata
        }

        func lock(_ folders: [String], memory: Int) {
            // Copies for C, used until the process ends.
            let names = unsafe folders.map { unsafe UnsafePointer(strdup($0)) }
            var calls: Int32 = -1
            let protection = unsafe worker_lock(names, names.count, UInt64(memory), &calls)
            let reply = WorkerReply.ready(protection: Int(protection)).bytes(number: 0)
            guard unsafe worker_send(Self.socket, reply, reply.count, calls) == 0, worker_end_with(Self.socket) == 0
            else {
                exit(3)
            }
            worker_close(calls)
        }

        mutating func answer() {
            var bytes = [UInt8](repeating: 0, count: WorkerRequest.byteCount)
            var file: Int32 = -1
            let count = unsafe worker_receive(Self.socket, &bytes, bytes.count, &file)
            guard count == bytes.count, let request = WorkerRequest(bytes) else { exit(count == 0 ? 0 : 4) }
            let reply: WorkerReply
            do throws(ImageDecodingError) {
                reply = try self.reply(to: request, file: file)
            } catch {
                reply = .failure(error)
            }
            worker_close(file)
            let message = reply.bytes(number: request.number)
            guard unsafe worker_send(Self.socket, message, message.count, -1) == 0 else { exit(5) }
        }

        private mutating func reply(to request: WorkerRequest, file: Int32) throws(ImageDecodingError) -> WorkerReply {
            let isCancelled = { @Sendable [metadata, number = request.number] in
                var bytes = [UInt8](repeating: 0, count: 8)
                guard unsafe worker_read(metadata, &bytes, bytes.count, 0) == 0 else { exit(6) }
                var word = Words(bytes)
                return word.next() == number
            }
            switch request.kind {
            case .open:
                open(file, request.byteCount)
                return header(try decoder.header(of: data))
            case .preview:
                open(file, request.byteCount)
                let session = decoder.makeSession(request: request.decoding, throttle: .unlimited)
                preview = try session?.append(data, at: .zero, isCancelled: isCancelled)
                return preview.map { header($0.header) } ?? .nothing
            case .previewPixels: return preview.map { write($0, file, request) } ?? .nothing
            case .image:
                return write(
                    try decoder.decode(data, request: request.decoding, isCancelled: isCancelled), file, request)
            case .frame:
                let frames = try frames(request.decoding)
                let bitmap = try frames.frame(at: request.decoding.frame, isCancelled: isCancelled)
                return write(DecodedImage(bitmap), file, request)
            case .addFrame:
                frames.append(frame(request.encoding, file, request.byteCount))
                return .nothing
            case .encode:
                frames.append(frame(request.encoding, file, request.byteCount))
                defer { frames = [] }
                encoded = try encode(request.encoding)
                return .encoded(encoded.count)
            case .encodedFile:
                guard encoded.count == request.byteCount, write(Array(encoded), to: file) else { exit(9) }
                return .encoded(encoded.count)
            }
        }

        /// Maps the file: nobody can change it, or cut it.
        private mutating func open(_ file: Int32, _ count: Int) {
            reader = nil
            preview = nil
            data = Data()
            if count == 0 { return }
            guard let bytes = unsafe worker_map(file, count) else { exit(7) }
            data = unsafe Data(bytesNoCopy: bytes, count: count, deallocator: .unmap)
        }

        /// Returns the frames of the file that is open, in the size and color of a request.
        private mutating func frames(_ request: DecodingRequest) throws(ImageDecodingError) -> any FrameReader {
            var request = request
            request.frame = 0
            if let reader, reader.request == request { return reader.frames }
            let frames = try decoder.makeFrameReader(of: data, request: request)
            reader = (frames, request)
            return frames
        }

        private func frame(_ job: EncodingJob, _ file: Int32, _ count: Int) -> AnimationFrame {
            var pixels = [UInt8](repeating: 0, count: count)
            guard unsafe worker_read(file, &pixels, count, 0) == 0 else { exit(7) }
            let bitmap = Bitmap(size: job.size, pixels: pixels, isOpaque: job.isOpaque, colorSpace: job.colorSpace)
            return AnimationFrame(bitmap: bitmap, delay: job.delay)
        }

        private func encode(_ job: EncodingJob) throws(ImageDecodingError) -> Data {
            guard let encoder = makeEncoder(job.encoder) else {
                throw .unsupported(.png, "the worker has no encoder \(job.encoder)")
            }
            do throws(ImageEncodingError) {
                guard let loopCount = job.loopCount else {
                    return try encoder.encode(frames[0].bitmap, options: job.options)
                }
                return try encoder.encode(frames, loopCount: loopCount, options: job.options)
            } catch {
                // The parent knows the format.
                throw .unsupported(encoder.format, "\(error)")
            }
        }

        private func header(_ header: ImageHeader) -> WorkerReply {
            let bytes = HeaderReply.metadata(of: header)
            guard write(bytes, to: metadata, offset: WorkerSetup.metadataOffset) else { exit(8) }
            return .header(HeaderReply(header))
        }

        private func write(_ image: DecodedImage, _ file: Int32, _ request: WorkerRequest) -> WorkerReply {
            let bitmap = image.bitmap
            guard bitmap.byteCount == request.byteCount, write(bitmap.pixels, to: file) else { exit(9) }
            return .image(bitmap.size, bitmap.colorSpace, image.completeness)
        }

        private func write(_ bytes: [UInt8], to file: Int32, offset: Int = 0) -> Bool {
            unsafe worker_write(file, bytes, bytes.count, offset) == 0
        }
    }
#endif
