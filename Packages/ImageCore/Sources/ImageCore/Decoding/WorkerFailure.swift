/// Why a worker process did not decode an image. The image is lost, the application is not.
@nonexhaustive
public enum WorkerFailure: Hashable, Sendable {
    /// The process ended by this signal, for example 11 (SIGSEGV). 9 (SIGKILL) can mean that memory was short.
    case signal(Int32)
    /// The process ended with this status.
    case exited(Int32)
    /// The process did not answer within the time limit.
    case timedOut
    /// The process made a call to the system that no decoder makes, for example `execve`, or 100 calls that
    /// were refused. The call was not executed.
    case forbiddenCall(String)
    /// The answer contradicts the request. The text is for humans.
    case invalidAnswer(String)
    /// The process did not become a worker. The text says what is missing.
    case notStarted(String)
    /// The kernel can't protect the application from the process. The text says what is missing.
    case unprotected(String)
}

extension WorkerFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .signal(let number): "it ended by signal \(number)"
        case .exited(let status): "it ended with status \(status)"
        case .timedOut: "it did not answer in time"
        case .forbiddenCall(let name): "it called \(name)"
        case .invalidAnswer(let text): "its answer is wrong: \(text)"
        case .notStarted(let text), .unprotected(let text): text
        }
    }
}

/// An event of the worker processes that decode images.
@nonexhaustive
public enum WorkerEvent: Hashable, Sendable {
    /// A worker failed. Another one replaces it.
    case failed(WorkerFailure)
    /// The kernel refused a call of a worker, for example `openat`. The worker continues.
    case callRefused(String)
    /// Images are decoded in this process, because the kernel can't protect it. Reported once.
    case unprotected(String)
}
