extension Sequence<String> {
    /// The texts, each after its length in UTF-8. Different lists have different texts, whatever the texts contain.
    package var textWithLengths: String { map(\.textWithLength).joined() }
}

extension String {
    /// The text after its length in UTF-8.
    package var textWithLength: String { "\(utf8.count):\(self)" }
}
