/// A part of a request that takes time.
@nonexhaustive
public enum RequestStage: String, Sendable, CaseIterable {
    /// The disk cache is asked, and what it has is read.
    case lookup
    /// The work waits for a slot in a lane, for a network, or until memory and the application state allow it.
    case queue
    /// The original is downloaded, validated or read from a file.
    case download
    /// The original is decoded.
    case decode
    /// The processors are applied.
    case process
    /// The request waits for work that another one has started.
    case join
}
