#if os(Linux)
    public import ImageCore

    /// How images are decoded in worker processes.
    public struct ImageIsolation: Sendable {
        /// What happens where the kernel can't protect the application from a worker.
        @nonexhaustive
        public enum Requirement: Sendable {
            /// Images fail with `WorkerFailure.unprotected`.
            case required
            /// Workers decode with the protection that the kernel has, which `onEvent` learns once.
            case preferred
        }

        /// The number of images that are decoded at a time, at least 1. Up to four more idle workers are kept for their
        /// origins and animations.
        public var workers: Int { didSet { Self.check(workers) } }
        /// What happens where the kernel can't protect the application.
        public var requirement = Requirement.required
        /// The time of one step of an image: its header, its pixels, a frame or a preview.
        public var timeLimit = Duration.seconds(30)
        /// The memory of a worker in bytes (RLIMIT_DATA). Pixels that it shares aren't included.
        public var memoryByteLimit = 1 << 30
        /// The number of images after which a worker is replaced. It is also replaced after each error.
        public var imagesPerWorker = 1_000
        /// The path of a program that calls `ImageWorker.runIfAsked`. With nil, it is the program that runs.
        public var program: String?
        /// Receives events, on any thread.
        public var onEvent: @Sendable (WorkerEvent) -> Void = { _ in }

        /// Decodes up to this number of images at a time, each in a process of its own.
        /// - Parameter workers: At least 1; others trap.
        public static func workers(_ workers: Int) -> ImageIsolation { ImageIsolation(workers: workers) }

        private init(workers: Int) {
            Self.check(workers)
            self.workers = workers
        }

        private static func check(_ workers: Int) { precondition(workers > 0, "\(workers) workers decode nothing") }
    }
#endif
