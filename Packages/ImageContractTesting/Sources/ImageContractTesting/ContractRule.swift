/// One promise of a port, as a check that any implementation can be put to.
///
/// Run the rules of a port as one parameterised test:
/// ```swift
/// @Test(arguments: ImageCacheContract.rules)
/// func obeys(_ rule: ContractRule<ImageCacheContract.Subject>) async throws {
///     try await rule.check { limit in MyCache(byteLimit: limit) }
/// }
/// ```
public struct ContractRule<Subject: Sendable>: Sendable, CustomStringConvertible {
    /// The promise, as a sentence.
    public let name: String
    private let body: @Sendable (Subject) async throws -> Void

    /// - Parameter body: throws `ContractViolation`, best through `expect`, when the subject breaks the promise.
    public init(_ name: String, body: @escaping @Sendable (Subject) async throws -> Void) {
        self.name = name
        self.body = body
    }

    /// Throws `ContractViolation` when the subject breaks the promise.
    public func check(_ subject: Subject) async throws { try await body(subject) }

    /// The same for a double that is known to break the promise, with little patience for what never comes.
    package func checkBrokenDouble(_ subject: Subject) async throws {
        try await Patience.$turns.withValue(5_000) { try await body(subject) }
    }

    public var description: String { name }
}

/// A promise that was broken, and how.
public struct ContractViolation: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

/// Throws `ContractViolation` with `message` when `condition` is false.
public func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws(ContractViolation) {
    if !condition { throw ContractViolation(message()) }
}
