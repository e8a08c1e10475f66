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
        ///   - makeDecoder: Returns the decoder. It is called while the process can still open files. It must decode an image
        ///     if its libraries load files with the first one, and start no threads.
        public static func runIfAsked(
            readableFolders: [String] = [], makeDecoder: (WorkerSetup) -> any SizedImageDecoder
        ) {
            guard CommandLine.arguments.count == 2, CommandLine.arguments[1] == argument else {
                return worker_prepare()
            }
            worker_depend_on_parent()
            var bytes = [UInt8](repeating: 0, count: WorkerSetup.byteCount)
            var metadata: Int32 = -1
            let count = unsafe worker_receive(WorkerLoop.socket, &bytes, bytes.count, &metadata)
            guard (1...bytes.count).contains(Int(count)) else { exit(2) }
            let setup = WorkerSetup(Array(bytes.prefix(Int(count))))
            let decoder = makeDecoder(setup)
            var loop = WorkerLoop(decoder: decoder, metadata: metadata)
            loop.lock(readableFolders, memory: setup.memoryByteLimit)
            while true { loop.answer() }
        }
    }

    /// A worker, inside of its process. If it can't go on, it exits: the parent starts another one.
    private struct WorkerLoop {
        static let socket: Int32 = 0

        let decoder: any SizedImageDecoder
        let metadata: Int32
        private var data = Data()
        private var reader: (any FrameReader)?
        private var preview: DecodedImage?

        init(decoder: any SizedImageDecoder, metadata: Int32) {
            self.decoder = decoder
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
                read(file, request.byteCount)
                return header(try decoder.header(of: data))
            case .preview:
                read(file, request.byteCount)
                let session = decoder.makeSession(request: request.decoding, throttle: .unlimited)
                preview = try session?.append(data, at: .zero, isCancelled: isCancelled)
                return preview.map { header($0.header) } ?? .nothing
            case .previewPixels: return preview.map { write($0, file, request) } ?? .nothing
            case .image:
                return write(
                    try decoder.decode(data, request: request.decoding, isCancelled: isCancelled), file, request)
            case .frame:
                if reader == nil { reader = try decoder.makeFrameReader(of: data, request: request.decoding) }
                let bitmap = try reader?.frame(at: request.decoding.frame, isCancelled: isCancelled)
                return bitmap.map { write(DecodedImage($0), file, request) } ?? .nothing
            }
        }

        private mutating func read(_ file: Int32, _ count: Int) {
            (reader, preview) = (nil, nil)
            var bytes = [UInt8](repeating: 0, count: count)
            guard unsafe worker_read(file, &bytes, count, 0) == 0 else { exit(7) }
            data = Data(bytes)
        }

        private func header(_ header: ImageHeader) -> WorkerReply {
            let bytes = HeaderReply.metadata(of: header)
            guard unsafe worker_write(metadata, bytes, bytes.count, WorkerSetup.metadataOffset) == 0 else { exit(8) }
            return .header(HeaderReply(header))
        }

        private func write(_ image: DecodedImage, _ file: Int32, _ request: WorkerRequest) -> WorkerReply {
            let bitmap = image.bitmap
            guard bitmap.byteCount == request.byteCount,
                unsafe worker_write(file, bitmap.pixels, bitmap.byteCount, 0) == 0
            else { exit(9) }
            return .image(bitmap.size, bitmap.colorSpace, image.completeness)
        }
    }
#endif
