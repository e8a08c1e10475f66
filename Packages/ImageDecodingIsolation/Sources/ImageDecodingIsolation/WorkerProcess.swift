#if os(Linux)
    import CImageDecodingIsolation
    import ImageCore

    /// A worker process, as its parent sees it. Call `end` once, when nobody uses it anymore.
    ///
    /// Its calls block the thread until the worker answers.
    struct WorkerProcess: Sendable {
        let setup: WorkerSetup
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
        /// Whose images it has seen.
        let origin: String?
        /// The reader whose file is open in the worker.
        var reader: UInt64?

        /// Starts a worker and waits until it has locked itself.
        ///
        /// - Throws: `.workerFailed(.notStarted)` or `.workerFailed(.unprotected)`.
        init(_ isolation: ImageIsolation, setup: WorkerSetup, origin: String?) throws(ImageDecodingError) {
            if isolation.program == nil, worker_is_prepared() == 0 {
                throw .workerFailed(
                    .notStarted("call ImageWorker.runIfAsked() first in main, or set ImageIsolation.program"))
            }
            self.isolation = isolation
            self.setup = setup
            self.origin = origin
            metadata = worker_memory(nil, setup.metadataCapacity, 1)
            var (process, socket) = (Int32(0), Int32(-1))
            let program = isolation.program ?? "/proc/self/exe"
            let error =
                metadata < 0 ? -metadata : unsafe worker_start(program, ImageWorker.argument, &process, &socket)
            guard error == 0 else {
                worker_close(metadata)
                throw .workerFailed(.notStarted("\(program) doesn't start: error \(error)"))
            }
            (self.process, self.socket) = (process, socket)
            do throws(ImageDecodingError) {
                try start()
            } catch {
                let failure = end()
                if case .workerFailed(.unprotected) = error { throw error }
                throw .workerFailed(
                    .notStarted("\(program) did not become a worker (\(failure)): does it call runIfAsked?"))
            }
        }

        private mutating func start() throws(ImageDecodingError) {
            try send(setup.bytes, file: metadata)
            var file: Int32 = -1
            let reply = try unsafe reply(within: Self.startTime, file: &file, isCancelled: { false })
            calls = file
            guard case .ready(let protection) = reply else { throw .invalidAnswer("another kind of answer") }
            let missing = [
                (worker_no_new_privileges, "no_new_privs"), (worker_landlock, "Landlock"), (worker_seccomp, "seccomp"),
                (worker_limits, "limits"),
            ].filter { protection & Int($0.0) == 0 }.map(\.1)
            if !missing.isEmpty {
                throw .workerFailed(.unprotected("the kernel lacks \(missing.joined(separator: ", "))"))
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
        /// Reads the header of a file, or of a preview of its start. Returns nil if there is no preview yet.
        mutating func open(
            _ kind: WorkerRequest.Kind, _ data: Data, _ request: DecodingRequest, isCancelled: () -> Bool
        ) throws(ImageDecodingError) -> ImageHeader? {
            imageCount += 1
            reader = nil
            let file = try Self.file(unsafe data.withUnsafeBytes { unsafe worker_memory($0.baseAddress, $0.count, 0) })
            defer { worker_close(file) }
            let reply = try exchange(kind, request, byteCount: data.count, file: file, isCancelled: isCancelled)
            switch reply {
            case .header(let reply): return try reply.header(metadata: read(reply.metadataByteCount))
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
            let (limit, byteCount) = (setup.limits.decodedByteLimit, size.byteCount(.rgba8))
            // Without memory, the worker throws the error of the limit.
            let file = byteCount > limit ? -1 : try Self.file(worker_memory(nil, byteCount, 1))
            defer { worker_close(file) }
            let reply = try exchange(kind, request, byteCount: byteCount, file: file, isCancelled: isCancelled)
            guard case .image(let written, let space, let completeness) = reply, file >= 0, written == size else {
                throw .invalidAnswer("an image of another size")
            }
            if case .space(let wanted) = request.color, space != wanted { throw .invalidAnswer("another color space") }
            guard Self.allows(completeness, of: kind, request) else { throw .invalidAnswer("an incomplete image") }
            var pixels = pool.takeFilled(byteCount: byteCount)
            // What the worker writes from now on is not shown.
            let error = unsafe worker_read(file, &pixels, byteCount, 0)
            guard error == 0 else { throw .invalidAnswer("pixels that can't be read: error \(error)") }
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

        private static func file(_ result: Int32) throws(ImageDecodingError) -> Int32 {
            guard result >= 0 else { throw .workerFailed(.notStarted("there is no shared memory: error \(-result)")) }
            return result
        }

        private func read(_ count: Int) throws(ImageDecodingError) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            let error = unsafe worker_read(metadata, &bytes, count, WorkerSetup.metadataOffset)
            guard error == 0 else { throw .invalidAnswer("metadata that can't be read: error \(error)") }
            return bytes
        }

        private mutating func exchange(
            _ kind: WorkerRequest.Kind, _ decoding: DecodingRequest, byteCount: Int, file: Int32,
            isCancelled: () -> Bool
        ) throws(ImageDecodingError) -> WorkerReply {
            number += 1
            isBusy = true
            try send(WorkerRequest(kind, number: number, byteCount: byteCount, decoding: decoding).bytes, file: file)
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
            var cancels = false
            while true {
                switch worker_wait(socket, calls, deadline) {
                case worker_message: return try unsafe receive(file)
                case worker_call: try refuseCall()
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
            return try WorkerReply(bytes, number: number, setup: setup)
        }

        private func refuseCall() throws(ImageDecodingError) {
            var isForbidden: Int32 = 0
            let call = unsafe worker_refuse(calls, &isForbidden)
            if call < 0 { return }
            let name = unsafe worker_call_name(call).map { unsafe String(cString: $0) } ?? "call \(call)"
            isolation.onEvent(.callRefused(name))
            if isForbidden != 0 { throw .workerFailed(.forbiddenCall(name)) }
        }
    }
#endif
