extension String {
    /// Returns whether terminals and readers of logs obey a character instead of showing it: control characters (C0, C1
    /// and DEL), separators of lines and paragraphs, and what changes the direction of text (Unicode, UAX #9).
    ///
    /// - Parameter scalar: The character.
    package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isBidiControl
        }
    }

    /// The text on one line, with `?` in place of each control character. For terminals and logs.
    package var withoutControls: String { replacingControls { _ in "?" } }

    /// Returns the text with other texts in place of its control characters.
    package func replacingControls(with replacement: (Unicode.Scalar) -> String) -> String {
        guard unicodeScalars.contains(where: Self.isControl) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if Self.isControl(scalar) { text += replacement(scalar) } else { text.unicodeScalars.append(scalar) }
        }
    }
}
