#if os(Linux)
    import CImageDecodingIsolation
    import ImageCore

    /// The program, started once, which starts workers: they have its libraries, and are there in a millisecond or two. It sees no
    /// images. Ends with this object.
    final class WorkerStarter: Sendable {
        private let program: String
        private let process: Int32
        let socket: Int32

        /// Starts the program, and does not wait until it is ready.
        ///
        /// - Parameter program: The path, or nil for the program that runs.
        /// - Throws: `.workerFailed(.notStarted)`.
        init(_ program: String?) throws(ImageDecodingError) {
            if program == nil, worker_is_prepared() == 0 {
                throw .workerFailed(
                    .notStarted("call ImageWorker.runIfAsked() first in main, or set ImageIsolation.program"))
            }
            self.program = program ?? "/proc/self/exe"
            var (process, socket) = (Int32(0), Int32(-1))
            let error = unsafe worker_start_starter(self.program, ImageWorker.argument, &process, &socket)
            guard error == 0 else {
                throw .workerFailed(.notStarted("\(self.program) doesn't start: error \(error)"))
            }
            self.process = process
            self.socket = socket
        }

        deinit {
            worker_close(socket)
            worker_end(process)
        }

        func failure(_ reason: String) -> ImageDecodingError {
            .workerFailed(.notStarted("\(program) did not become a worker (\(reason)): does it call runIfAsked?"))
        }
    }

    /// A worker process, as its parent sees it. Call `end` once, when nobody uses it anymore.
    ///
    /// Its calls block the thread until the worker answers.
    struct WorkerProcess: Sendable {
        /// Whose images it sees.
        let scope: WorkerScope
        private let isolation: ImageIsolation
        private let process: Int32
        private let socket: Int32
        /// The file by which the kernel asks about calls that the worker may not make, or -1.
        private var calls: Int32 = -1
        private let metadata: Int32
        private var number = 0
        /// The number of images that it has opened.
        private(set) var imageCount = 0
        /// Whether it owes an answer.
        private(set) var isBusy = false
        /// The file that is open in the worker, and its header.
        private var opened: (file: Data, header: ImageHeader)?
        /// The reader whose file is open in the worker.
        var reader: UInt64?

        /// What the kernel lacks to lock the worker, or nil.
        private(set) var missingProtection: String?

        /// Starts a worker and waits until it has locked itself.
        ///
        /// - Throws: `.workerFailed(.notStarted)`.
        init(_ isolation: ImageIsolation, _ scope: WorkerScope, by starter: WorkerStarter) throws(ImageDecodingError) {
            self.isolation = isolation
            self.scope = scope
            metadata = worker_memory(nil, scope.setup.metadataCapacity, 1)
            var (process, socket) = (Int32(0), Int32(-1))
            let deadline = worker_deadline(Int64(Self.startTime / .milliseconds(1)))
            let error = metadata < 0 ? -metadata : unsafe worker_start(starter.socket, deadline, &process, &socket)
            guard error == 0 else {
                worker_close(metadata)
                throw starter.failure("error \(error)")
            }
            self.process = process
            self.socket = socket
            do throws(ImageDecodingError) {
                try finishStart()
            } catch {
                throw starter.failure("\(end())")
            }
        }

        private mutating func finishStart() throws(ImageDecodingError) {
            try send(scope.setup.bytes, file: metadata)
            var file: Int32 = -1
            // Closed with the process, also if the answer is not valid.
            defer { calls = file }
            let reply = try unsafe reply(within: Self.startTime, file: &file, isCancelled: { false })
            guard case .ready(let protection) = reply else { throw .invalidAnswer("another kind of answer") }
            let missing = [
                (worker_no_new_privileges, "no_new_privs"), (worker_landlock, "Landlock"), (worker_seccomp, "seccomp"),
                (worker_limits, "limits"),
            ].filter { protection & Int($0.0) == 0 }.map(\.1)
            if !missing.isEmpty { missingProtection = "the kernel lacks \(missing.joined(separator: ", "))" }
        }

        /// Whether it may see an image, and keeps no file for a reader.
        func isFree(for scope: WorkerScope) -> Bool { reader == nil && self.scope == scope }

        /// Whether a file is open in the worker. A copy of its bytes doesn't count.
        func hasOpened(_ file: Data?) -> Bool {
            guard let file, let opened, file.count == opened.file.count else { return false }
            return unsafe file.withUnsafeBytes { bytes in
                unsafe opened.file.withUnsafeBytes { unsafe $0.baseAddress == bytes.baseAddress }
            }
        }

        /// The worker has closed its socket. How it ended is known after `end`.
        static let gone = ImageDecodingError.workerFailed(.exited(-1))

        /// Ends the process. Returns how it had ended, if it had: otherwise by signal 9.
        @discardableResult
        func end() -> WorkerFailure {
            let status = worker_end(process)
            for file in [socket, calls, metadata] { worker_close(file) }
            let signal = worker_end_signal(status)
            return signal == 0 ? .exited(worker_exit_code(status)) : .signal(signal)
        }
    }

    extension WorkerProcess {
        /// Opens a file, unless it is open already.
        /// - Parameter reader: Keeps the worker for this reader of frames.
        mutating func header(
            of data: Data, reader: UInt64? = nil, isCancelled: () -> Bool
        ) throws(ImageDecodingError) -> ImageHeader {
            try scope.setup.limits.check(.encodedBytes, data.count)
            let header =
                hasOpened(data)
                ? opened?.header : try open(.open, data, DecodingRequest(), isCancelled: isCancelled)
            guard let header else { throw .invalidAnswer("no header") }
            self.reader = reader
            return header
        }

        /// Reads the header of a file, or of a preview of its start. Returns nil if there is no preview yet.
        mutating func open(
            _ kind: WorkerRequest.Kind, _ data: Data, _ request: DecodingRequest, isCancelled: () -> Bool
        ) throws(ImageDecodingError) -> ImageHeader? {
            imageCount += 1
            reader = nil
            opened = nil
            let file = try Self.file(unsafe data.withUnsafeBytes { unsafe worker_memory($0.baseAddress, $0.count, 0) })
            defer { worker_close(file) }
            let request = WorkerRequest(kind, byteCount: data.count, decoding: request)
            switch try exchange(request, file: file, isCancelled: isCancelled) {
            case .header(let reply):
                var bytes = [UInt8](repeating: 0, count: reply.metadataByteCount)
                try Self.read(metadata, into: &bytes, offset: WorkerSetup.metadataOffset)
                let header = try reply.header(metadata: bytes)
                if kind == .open { opened = (data, header) }
                return header
            case .nothing where kind == .preview: return nil
            default: throw .invalidAnswer("another kind of answer")
            }
        }

        /// Decodes what is open.
        mutating func pixels(
            _ kind: WorkerRequest.Kind, of header: ImageHeader, _ request: DecodingRequest, pool: PixelBufferPool,
            isCancelled: () -> Bool
        ) throws(ImageDecodingError) -> DecodedImage {
            let size = request.outputSize(for: header.size)
            let (limit, byteCount) = (scope.setup.limits.decodedByteLimit, size.byteCount(.rgba8))
            // Without memory, the worker throws the error of the limit.
            let file = byteCount > limit ? -1 : try Self.file(worker_memory(nil, byteCount, 1))
            defer { worker_close(file) }
            let message = WorkerRequest(kind, byteCount: byteCount, decoding: request)
            let reply = try exchange(message, file: file, isCancelled: isCancelled)
            guard case .image(let written, let space, let completeness) = reply, file >= 0, written == size else {
                throw .invalidAnswer("an image of another size")
            }
            if case .space(let wanted) = request.color, space != wanted { throw .invalidAnswer("another color space") }
            guard Self.allows(completeness, of: kind, request) else { throw .invalidAnswer("an incomplete image") }
            var pixels = pool.takeFilled(byteCount: byteCount)
            // What the worker writes from now on is not shown.
            try Self.read(file, into: &pixels)
            let bitmap = Bitmap(size: size, pixels: pixels, colorSpace: space, pool: pool)
            return DecodedImage(bitmap: bitmap, header: header, completeness: completeness)
        }

        private static func allows(
            _ completeness: DecodedImage.Completeness, of kind: WorkerRequest.Kind, _ request: DecodingRequest
        ) -> Bool {
            switch completeness {
            case .complete: kind != .previewPixels
            case .preview: kind == .previewPixels
            case .truncated: kind == .image && request.acceptsTruncated
            }
        }

        /// Encodes an image, or the frames of an animation.
        mutating func encode(
            _ frames: [AnimationFrame], with job: EncodingJob, isCancelled: () -> Bool
        ) throws(ImageDecodingError) -> Data {
            imageCount += 1
            var reply = WorkerReply.nothing
            for (index, frame) in frames.enumerated() {
                guard reply == .nothing else { throw .invalidAnswer("another kind of answer") }
                let isLast = index == frames.count - 1
                reply = try send(
                    frame, isLast ? .encode : .addFrame, with: job.encoding(frame), isCancelled: isCancelled)
            }
            let pixelBytes = frames.reduce(0) { $0 + $1.bitmap.size.byteCount(.rgba8) }
            // No encoder makes a file of noise much larger than its pixels.
            guard case .encoded(let count) = reply, (1...pixelBytes * 2 + 65_536).contains(count) else {
                throw .invalidAnswer("a file of another size")
            }
            let file = try Self.file(worker_memory(nil, count, 1))
            defer { worker_close(file) }
            let result = WorkerRequest(.encodedFile, byteCount: count)
            guard case .encoded(count) = try exchange(result, file: file, isCancelled: isCancelled) else {
                throw .invalidAnswer("another kind of answer")
            }
            var bytes = [UInt8](repeating: 0, count: count)
            try Self.read(file, into: &bytes)
            return Data(bytes)
        }

        private mutating func send(
            _ frame: AnimationFrame, _ kind: WorkerRequest.Kind, with job: EncodingJob, isCancelled: () -> Bool
        ) throws(ImageDecodingError) -> WorkerReply {
            let pixels = frame.bitmap.pixels
            let image = try Self.file(unsafe worker_memory(pixels, pixels.count, 0))
            defer { worker_close(image) }
            let request = WorkerRequest(kind, byteCount: pixels.count, encoding: job)
            return try exchange(request, file: image, isCancelled: isCancelled)
        }

        private static func file(_ result: Int32) throws(ImageDecodingError) -> Int32 {
            guard result >= 0 else { throw .workerFailed(.notStarted("there is no shared memory: error \(-result)")) }
            return result
        }

        private static func read(
            _ file: Int32, into bytes: inout [UInt8], offset: Int = 0
        ) throws(ImageDecodingError) {
            let error = unsafe worker_read(file, &bytes, bytes.count, offset)
            guard error == 0 else { throw .invalidAnswer("memory that can't be read: error \(error)") }
        }

        private mutating func exchange(
            _ request: WorkerRequest, file: Int32, isCancelled: () -> Bool
        ) throws(ImageDecodingError) -> WorkerReply {
            number += 1
            isBusy = true
            try send(request.bytes(number: number), file: file)
            let reply = try unsafe reply(within: isolation.timeLimit, file: nil, isCancelled: isCancelled)
            isBusy = false
            if case .failure(let failure) = reply { throw failure }
            return reply
        }

        private func send(_ bytes: [UInt8], file: Int32) throws(ImageDecodingError) {
            guard unsafe worker_send(socket, bytes, bytes.count, file) == 0 else { throw Self.gone }
        }

        /// The time in which a program becomes a worker, also on a busy machine.
        private static let startTime = Duration.seconds(30)
        /// The time in which a worker answers after it was told to cancel.
        private static let cancellationMilliseconds: Int64 = 200

        /// Waits for the answer to the last request.
        private func reply(
            within limit: Duration, file: UnsafeMutablePointer<Int32>?, isCancelled: () -> Bool
        ) throws(ImageDecodingError) -> WorkerReply {
            var deadline = worker_deadline(Int64(min(limit / .milliseconds(1), 1e12)))
            var (cancels, refusedCalls) = (false, 0)
            while true {
                switch worker_wait(socket, calls, deadline) {
                case worker_message: return try unsafe receive(file)
                case worker_call: try refuseCall(&refusedCalls)
                case worker_gone: throw Self.gone
                case worker_late: throw cancels ? .cancelled : .workerFailed(.timedOut)
                default: break
                }
                if !cancels, isCancelled() {
                    cancels = true
                    deadline = min(deadline, worker_deadline(Self.cancellationMilliseconds))
                    var word = Words()
                    word.append(number)
                    // If it fails, the worker is ended soon.
                    _ = unsafe worker_write(metadata, word.bytes, word.bytes.count, 0)
                }
            }
        }

        private func receive(_ file: UnsafeMutablePointer<Int32>?) throws(ImageDecodingError) -> WorkerReply {
            var bytes = [UInt8](repeating: 0, count: WorkerReply.byteCount)
            let count = unsafe worker_receive(socket, &bytes, bytes.count, file)
            if count <= 0 { throw Self.gone }
            guard count == bytes.count else { throw .invalidAnswer("\(count) bytes") }
            return try WorkerReply(bytes, number: number, setup: scope.setup)
        }

        /// Each is an event, with which a worker could flood the application.
        private static let maxRefusedCalls = 100

        private func refuseCall(_ count: inout Int) throws(ImageDecodingError) {
            var isForbidden: Int32 = 0
            let call = unsafe worker_refuse(calls, &isForbidden)
            if call < 0 { return }
            let name = unsafe worker_call_name(call).map { unsafe String(cString: $0) } ?? "call \(call)"
            isolation.onEvent(.callRefused(name))
            count += 1
            if isForbidden != 0 || count == Self.maxRefusedCalls { throw .workerFailed(.forbiddenCall(name)) }
        }
    }
#endif
