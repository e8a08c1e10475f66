/// What a change took out of a cache: mostly one value, for which no memory is allocated.
@usableFromInline
struct RemovedValues<Value: Sendable>: Sendable {
    @usableFromInline var first: Value?
    @usableFromInline var others: [Value] = []

    @inlinable
    init() {}

    @inlinable
    mutating func append(_ value: Value) {
        if first == nil { first = value } else { others.append(value) }
    }
}
