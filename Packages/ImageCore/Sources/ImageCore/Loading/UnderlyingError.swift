/// An error that code of an application threw, for example a fetch, a processor or a cache.
///
/// ```swift
/// } catch ImageError.fetch(let failure) where failure.error is SignInError {
/// ```
///
/// Two are equal if the types and the descriptions of their errors are equal.
public struct UnderlyingError: Error, Sendable {
    /// The error as it was thrown.
    public let error: any Error

    /// Wraps an error. That of another `UnderlyingError` is not wrapped twice.
    public init(_ error: any Error) { self.error = (error as? UnderlyingError)?.error ?? error }
}

extension UnderlyingError: Hashable {
    public static func == (left: UnderlyingError, right: UnderlyingError) -> Bool {
        type(of: left.error) == type(of: right.error) && left.description == right.description
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

extension UnderlyingError: CustomStringConvertible, LocalizedError {
    public var description: String { String(describing: error) }
    public var errorDescription: String? { (error as? any LocalizedError)?.errorDescription ?? description }
}
