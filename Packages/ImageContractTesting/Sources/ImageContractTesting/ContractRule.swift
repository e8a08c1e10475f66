public import ImageCore

/// A promise of a protocol, as a check that you can run on any implementation.
///
/// Run the rules of a protocol as one parameterized test:
/// ```swift
/// @Test(arguments: ImageCacheContract.rules)
/// func passes(_ rule: ContractRule<ImageCacheContract.Subject>) async throws {
///     try await rule.check { limit in MyCache(byteLimit: limit) }
/// }
/// ```
public struct ContractRule<Subject: Sendable>: Sendable, CustomStringConvertible {
    /// The promise, as a sentence.
    public let name: String
    private let body: @Sendable (Subject) async throws -> Void

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - name: The promise, as a sentence.
    ///   - body: Checks a subject. It throws `ContractViolation`, preferably with `expect`, if the subject breaks the
    ///     promise.
    init(_ name: String, body: @escaping @Sendable (Subject) async throws -> Void) {
        self.name = name
        self.body = body
    }

    /// Checks a subject.
    ///
    /// - Throws: `ContractViolation` if the subject breaks the promise, or an error that the subject throws.
    public func check(_ subject: Subject) async throws { try await body(subject) }

    /// Checks a double that is known to break the promise. Waits for a shorter time than `check`.
    func checkBrokenDouble(_ subject: Subject) async throws {
        try await WaitLimit.$yields.withValue(5_000) { try await body(subject) }
    }

    /// The name of the rule.
    public var description: String { name }
}

/// An error that says which promise an implementation broke, and how.
public struct ContractViolation: Error, CustomStringConvertible, LocalizedError {
    /// What the implementation did wrong.
    public let description: String

    /// Creates a violation with a description of what the implementation did wrong.
    public init(_ description: String) { self.description = description }

    public var errorDescription: String? { description }
}

/// Throws `ContractViolation` with `message` if `condition` is false.
public func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws(ContractViolation) {
    if !condition { throw ContractViolation(message()) }
}

/// Returns the error that `body` throws, or nil if it throws none.
func thrownError<Failure: Error>(by body: () throws(Failure) -> Void) -> Failure? {
    do throws(Failure) {
        try body()
        return nil
    } catch {
        return error
    }
}
